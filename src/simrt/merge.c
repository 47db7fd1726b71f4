/* merge.c: merges adjacent scalar accesses into wide ones, as ptxas does if it knows that they are
 * aligned. A host compiler does not, so that without this the counts of requests would be too high.
 * SPDX-License-Identifier: MIT
 *
 * If the machine code is known, the job has the widths of each line's accesses. Executions of one
 * access that fill an aligned stretch of that width in every lane become one request, in any order,
 * as long as the warp's lanes do not meet in between. An access on a line for which the machine
 * code has none may be part of another line's wide access, and joins that if it fits. If the
 * machine code is not known, accesses to shared memory are merged up to 16 bytes, but only for code
 * that fills every stretch before the warp meets: a compiler can only rely on an alignment that
 * always holds. */
#include "simrt/tracer.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 512, ROOM = 384, HABITS = 1024, WIDEST = 16, TRIES = 64 };

/* The width of some code's accesses in the machine code. A line may have narrow accesses as well as
 * wide ones: code that fills none of its first stretches is taken for narrow. */
struct habit {
    uint32_t code;
    uint8_t access, space, width;
    bool absent; /* the machine code has none on this line: `width` is the widest of other lines */
    bool filled;
    int tries;
};

/* For each lane of a warp an aligned stretch of memory, of which some units have been accessed. */
struct stretch {
    struct gr_record
        first;           /* of a line that the machine code has an access for, once there is one */
    struct habit *habit; /* of the first */
    bool absent;         /* no such line so far */
    bool ragged;         /* left incomplete at a meeting, where widths are guessed */
    uint32_t filled;     /* a bit for each unit of the access */
    int lanes, first_thread, width;
    uint64_t base[GR_TRACE_LANES];
    uint8_t lane[GR_TRACE_LANES];
};

struct gr_pending {
    struct stretch slots[SLOTS]; /* a hash table with linear probing */
    bool taken[SLOTS];
    int used[ROOM], used_count;
    struct habit habits[HABITS];
    struct {
        uint32_t code, origin;
    } origins[HABITS];
};

bool gr_merge_open(struct gr_tracer *t)
{
    t->pending = calloc(1, sizeof *t->pending);
    return t->pending != NULL;
}

void gr_merge_close(struct gr_tracer *t)
{
    free(t->pending);
}

static bool is_full(const struct stretch *s)
{
    return s->filled == (1u << s->width / s->first.bytes) - 1;
}

/* Passes the filled units to the observers, as the widest aligned accesses that are complete, or
 * individually. */
static void finish(struct gr_tracer *t, struct stretch *s, bool singly)
{
    int unit = s->first.bytes, units = s->width / unit;
    uint64_t address[GR_TRACE_LANES];
    for (int at = 0; at < units;) {
        int piece = s->absent || singly ? 1 : units;
        while (piece > 0 && (at % piece != 0 || at + piece > units ||
                             (s->filled >> at & ((1u << piece) - 1)) != (1u << piece) - 1))
            piece /= 2;
        if (piece == 0) {
            at++;
            continue;
        }
        for (int i = 0; i < s->lanes; i++)
            address[i] = s->base[i] + (uint64_t)(at * unit);
        struct gr_record record = s->first;
        record.address = address[0];
        gr_observe(t, &record, piece * unit, address, s->lane, s->lanes, s->first_thread);
        at += piece;
    }
    s->filled = 0;
}

/* Has the code of this stretch left any stretch incomplete? */
static bool is_ragged(const struct gr_pending *p, const struct stretch *s)
{
    for (int i = 0; i < p->used_count; i++) {
        const struct stretch *other = &p->slots[p->used[i]];
        if (other->first.code == s->first.code && other->filled && !is_full(other))
            return true;
    }
    return false;
}

void gr_merge_flush(struct gr_tracer *t)
{
    struct gr_pending *p = t->pending;
    bool guessed = p->used_count > 0 && !t->run->launch->widths_known;
    for (int i = 0; i < p->used_count; i++) {
        struct stretch *s = &p->slots[p->used[i]];
        s->ragged = guessed && is_ragged(p, s);
    }
    for (int i = 0; i < p->used_count; i++) {
        struct stretch *s = &p->slots[p->used[i]];
        p->taken[p->used[i]] = false;
        if (s->filled)
            finish(t, s, s->ragged);
    }
    p->used_count = 0;
}

/* ---- Widths of accesses. ---- */

/* The widest access in the machine code, of that line or, where `line` is null, of any line. */
static int widest_of(const struct gr_run *run, const struct gr_record *r, int space,
                     const struct gr_sim_line *line)
{
    int width = 0;
    for (int i = 0; i < run->launch->width_count; i++) {
        const struct gr_sim_width *w = &run->widths[run->launch->width_first + i];
        bool of_it = !line || (w->line == line->line && w->file == line->file);
        if (of_it && w->access == r->access && w->space == space && w->bytes > width &&
            w->bytes <= WIDEST)
            width = w->bytes;
    }
    return width;
}

static struct habit look_up(const struct gr_run *run, const struct gr_record *r, int space)
{
    struct habit habit = {.code = r->code, .access = r->access, .space = (uint8_t)space};
    const struct gr_sim_line *line = gr_line_find(run, r->code);
    if (!run->launch->widths_known) {
        habit.width = space == GR_SPACE_SHARED ? WIDEST : 0;
    } else if (line) {
        habit.width = (uint8_t)widest_of(run, r, space, line);
        habit.absent = habit.width == 0;
        if (habit.absent)
            habit.width = (uint8_t)widest_of(run, r, space, NULL);
    }
    return habit;
}

static struct habit *habit_of(struct gr_tracer *t, const struct gr_record *r)
{
    int space =
        r->address - gr_shared_base() < gr_shared_extent() ? GR_SPACE_SHARED : GR_SPACE_GLOBAL;
    struct habit *h =
        &t->pending->habits[((r->code ^ (uint32_t)r->access << 30) * 2654435761u) >> 22];
    if (h->code != r->code || h->access != r->access || h->space != space)
        *h = look_up(t->run, r, space);
    return h;
}

static uint32_t origin_of(struct gr_tracer *t, uint32_t code)
{
    unsigned slot = (code * 2654435761u) >> 22;
    if (t->pending->origins[slot].code != code) {
        t->pending->origins[slot].code = code;
        t->pending->origins[slot].origin = gr_origin_of(t->run, code);
    }
    return t->pending->origins[slot].origin;
}

/* ---- Filling stretches. ---- */

/* The unit of the stretch that all lanes access; -1: they do not all access the same unit of it.
 */
static int unit_in(const struct stretch *s, const uint64_t *address, const uint8_t *lane, int lanes)
{
    uint64_t offset = address[0] - s->base[0], differs = 0;
    if (s->lanes != lanes || offset >= (uint64_t)s->width)
        return -1;
    for (int i = 0; i < lanes; i++)
        differs |= (address[i] ^ (s->base[i] + offset)) | (uint64_t)(lane[i] ^ s->lane[i]);
    return differs ? -1 : (int)(offset / s->first.bytes);
}

static bool begin(struct stretch *s, const struct gr_record *r, struct habit *habit,
                  const uint64_t *address, const uint8_t *lane, int lanes, int first_thread)
{
    uint64_t low = (uint64_t)habit->width - 1, differs = 0;
    for (int i = 0; i < lanes; i++) {
        s->base[i] = address[i] & ~low;
        differs |= (address[i] ^ address[0]) & low;
    }
    if (differs)
        return false;
    s->first = *r;
    s->habit = habit;
    s->absent = habit->absent;
    s->width = habit->width;
    s->lanes = lanes;
    s->first_thread = first_thread;
    memcpy(s->lane, lane, (size_t)lanes);
    return true;
}

/* May the access join a stretch that another line has begun? */
static bool may_join(const struct stretch *s, const struct gr_record *r, const struct habit *habit,
                     const uint64_t *address, const uint8_t *lane, int lanes)
{
    if (!s->filled || !(s->absent || habit->absent) || s->first.access != r->access ||
        s->first.bytes != r->bytes || s->width != habit->width)
        return false;
    int unit = unit_in(s, address, lane, lanes);
    return unit >= 0 && !(s->filled >> unit & 1);
}

/* The stretch that this access continues, or else a free one. */
static struct stretch *stretch_for(struct gr_tracer *t, const struct gr_record *r,
                                   const struct habit *habit, const uint64_t *address,
                                   const uint8_t *lane, int lanes)
{
    struct gr_pending *p = t->pending;
    uint64_t number = r->address / habit->width;
    unsigned slot = (unsigned)((number * 2654435761u) >> 16 ^ number * 40503u) % SLOTS;
    struct stretch *joined = NULL;
    if (p->used_count == ROOM)
        gr_merge_flush(t);
    for (; p->taken[slot]; slot = (slot + 1) % SLOTS) {
        struct stretch *s = &p->slots[slot];
        bool same =
            s->first.code == r->code && s->first.access == r->access && s->first.bytes == r->bytes;
        if (same && s->base[0] / (unsigned)habit->width == number)
            return s;
        if (!joined && may_join(s, r, habit, address, lane, lanes))
            joined = s;
    }
    if (joined)
        return joined;
    p->taken[slot] = true;
    p->used[p->used_count++] = (int)slot;
    p->slots[slot].filled = 0;
    p->slots[slot].first = *r;
    p->slots[slot].base[0] = r->address;
    return &p->slots[slot];
}

static void fill(struct gr_tracer *t, struct stretch *s, int unit, const struct gr_record *r,
                 struct habit *habit)
{
    s->filled |= 1u << unit;
    if (s->absent && !habit->absent) {
        s->first = *r;
        s->absent = false;
    }
    if (is_full(s)) {
        habit->filled |= !s->absent;
        s->habit->filled |= !s->absent;
        if (t->run->launch->widths_known)
            finish(t, s, false);
    }
}

static void merge(struct gr_tracer *t, const struct gr_record *r, const uint64_t *address,
                  const uint8_t *lane, int lanes, int first_thread)
{
    bool may = r->access <= GR_ACCESS_STORE && r->bytes < WIDEST;
    struct habit *habit = may ? habit_of(t, r) : NULL;
    if (!may || habit->width <= r->bytes || (habit->tries > TRIES && !habit->filled)) {
        gr_observe(t, r, r->bytes, address, lane, lanes, first_thread);
        return;
    }
    struct stretch *s = stretch_for(t, r, habit, address, lane, lanes);
    int unit = s->filled ? unit_in(s, address, lane, lanes) : -1;
    if (unit < 0 || s->filled >> unit & 1) {
        if (s->filled)
            finish(t, s, false);
        habit->tries += !habit->filled;
        if (!begin(s, r, habit, address, lane, lanes, first_thread)) {
            gr_observe(t, r, r->bytes, address, lane, lanes, first_thread);
            return;
        }
        unit = unit_in(s, address, lane, lanes);
    }
    fill(t, s, unit, r, habit);
}

void gr_merge_request(struct gr_tracer *t, const struct gr_record *r, const uint64_t *address,
                      const uint8_t *lane, int lanes, int first_thread)
{
    struct gr_record record = *r;
    record.code = origin_of(t, r->code);
    merge(t, &record, address, lane, lanes, first_thread);
}

/* reorder.c: a list scheduler with a small look-ahead. SPDX-License-Identifier: MIT */
#include "sass/reorder.h"

#include "sass/bank_cost.h"

#include <stdlib.h>
#include <string.h>

enum {
    FFMA_LATENCY = 5, /* cycles between two dependent FFMAs; the compiler uses 4 */
    LONGEST = 16,     /* cycles between an FFMA and any dependent instruction of fixed latency */
    CANDIDATES = 48,  /* FFMAs that are considered for a place, in their current order */
    AHEAD = 2,        /* how many FFMAs are tried after each of them */
    REGISTERS = 256
};

/* An FFMA that must come before or after another one. */
struct edge {
    int to, cycles, next; /* next: index of the next edge of the same FFMA; -1: none */
};

struct ffma {
    int at;               /* its current place */
    int earliest, latest; /* the earliest and latest places allowed */
    int deadline;       /* the latest slot; slots are the places of FFMAs, numbered consecutively */
    int before, after;  /* the first edges to the FFMAs that must come before it, and after it */
    int slot;           /* the slot that it was assigned; -1: none yet */
    int previous, next; /* links of the list of the FFMAs that have no slot yet */
};

struct plan {
    const struct gr_sass_op *ops;
    int count;
    int *cycle;  /* the cycle of each place if nothing stalls; cycle[count]: of what follows the
                    block */
    int *number; /* the number of the FFMA at each place; -1: another instruction */
    /* f[n] for n below `total`; f[total] is the head of the list of those without a slot. */
    struct ffma *f;
    int total;
    struct edge *edges;
    int edge_count, edge_room;
    int *due; /* for each deadline, the number of FFMAs without a slot */
    bool failed;
};

static void add_edge(struct plan *p, int *list, int to, int cycles)
{
    if (p->edge_count == p->edge_room) {
        const int room = p->edge_room ? 2 * p->edge_room : 4096;
        struct edge *more = realloc(p->edges, (size_t)room * sizeof *more);
        if (!more) {
            p->failed = true;
            return;
        }
        p->edges = more;
        p->edge_room = room;
    }
    p->edges[p->edge_count] = (struct edge){to, cycles, *list};
    *list = p->edge_count++;
}

/* Requires that the instruction of place `to` comes at least `cycles` after that of place `from`.
 * If one of them is not an FFMA, the longest latency is required instead. In both cases, the
 * current distance is sufficient. `from` == -1 and `to` == `count` stand for the beginning and the
 * end of the block. */
static void put_after(struct plan *p, int from, int to, int cycles)
{
    const int a = from < 0 ? -1 : p->number[from], b = to == p->count ? -1 : p->number[to];
    const int start = from < 0 ? 0 : p->cycle[from], now = p->cycle[to] - start;
    if (a >= 0 && b >= 0) {
        add_edge(p, &p->f[b].before, a, cycles < now ? cycles : now);
        add_edge(p, &p->f[a].after, b, cycles < now ? cycles : now);
        return;
    }
    const int least = now < LONGEST ? now : LONGEST;
    if (b >= 0) {
        int place = from + 1;
        while (p->cycle[place] - start < least)
            place++;
        if (p->f[b].earliest < place)
            p->f[b].earliest = place;
    } else if (a >= 0) {
        int place = to - 1;
        while (p->cycle[to] - p->cycle[place] < least)
            place--;
        if (p->f[a].latest > place)
            p->f[a].latest = place;
    }
}

/* An FFMA has read its registers by the time the next instruction is issued. */
static void put_after_read(struct plan *p, int reader, int to)
{
    const int a = p->number[reader];
    if (a < 0 || p->number[to] >= 0)
        put_after(p, reader, to, 1);
    else if (p->f[a].latest >= to)
        p->f[a].latest = to - 1;
}

/* The last instruction that wrote each register, and those that have read it since, as places; -1
 * is the beginning of the block. */
struct uses {
    int writer[REGISTERS];
    int *readers[REGISTERS];
    int reader_count[REGISTERS];
};

static void note_read(struct plan *p, struct uses *u, unsigned r, int place)
{
    put_after(p, u->writer[r], place, FFMA_LATENCY);
    int n = u->reader_count[r];
    if ((n & (n - 1)) == 0) { /* the array is full at 0, 1, 2, 4, 8 … */
        int *more = realloc(u->readers[r], sizeof *more * (n ? 2 * (size_t)n : 1));
        if (!more) {
            p->failed = true;
            return;
        }
        u->readers[r] = more;
    }
    u->readers[r][u->reader_count[r]++] = place;
}

static void note_write(struct plan *p, struct uses *u, unsigned r, int place)
{
    put_after(p, u->writer[r], place, 1);
    for (int i = 0; i < u->reader_count[r]; i++)
        if (u->readers[r][i] != place)
            put_after_read(p, u->readers[r][i], place);
    u->writer[r] = place;
    u->reader_count[r] = 0;
}

static void find_dependences(struct plan *p)
{
    struct uses u = {0};
    for (int r = 0; r < REGISTERS; r++)
        u.writer[r] = -1;
    for (int i = 0; i < p->count && !p->failed; i++) {
        for (unsigned r = 0; r < 255; r++)
            if (gr_register_in(&p->ops[i].reads, r))
                note_read(p, &u, r, i);
        for (unsigned r = 0; r < 255; r++)
            if (gr_register_in(&p->ops[i].writes, r))
                note_write(p, &u, r, i);
    }
    for (unsigned r = 0; r < 255; r++)
        if (u.writer[r] >= 0)
            put_after(p, u.writer[r], p->count, FFMA_LATENCY);
    for (int r = 0; r < REGISTERS; r++)
        free(u.readers[r]);
}

/* For each register, the last place so far at which it could not be read, and at which it could not
 * be written. */
struct blocked {
    int read[REGISTERS], write[REGISTERS];
};

static void note_in_flight(struct blocked *b, const struct gr_pending_registers *state, int place)
{
    for (unsigned r = 0; r < 255; r++)
        for (int i = 0; i < GR_PENDING_BARRIERS; i++) {
            if (gr_register_in(&state->write[i], r))
                b->read[r] = b->write[r] = place;
            if (gr_register_in(&state->read[i], r))
                b->write[r] = place;
        }
}

static void put_behind(struct ffma *f, int place)
{
    if (f->earliest <= place)
        f->earliest = place + 1;
}

/* The earliest place of an FFMA is after the last place at which one of its registers is in
 * flight. */
static void wait_for_registers(struct plan *p, const struct gr_pending_registers *entry)
{
    struct gr_pending_registers state = *entry;
    struct blocked blocked;
    for (int r = 0; r < REGISTERS; r++)
        blocked.read[r] = blocked.write[r] = -1;
    for (int i = 0; i < p->count; i++) {
        const struct gr_sass_op *op = &p->ops[i];
        gr_pending_wait(&state, op);
        note_in_flight(&blocked, &state, i);
        if (p->number[i] >= 0) {
            struct ffma *f = &p->f[p->number[i]];
            put_behind(f, blocked.write[op->d]);
            for (int k = 0; k < GR_SASS_SOURCES; k++)
                put_behind(f, blocked.read[op->s[k]]);
        }
        gr_pending_issue(&state, op);
    }
}

/* Finds the latest slot for each FFMA, so that there is room for the FFMAs that depend on it. For
 * those that depend on its result, `spare` additional slots are reserved. */
static void find_deadlines(struct plan *p, int spare)
{
    for (int n = p->total - 1; n >= 0; n--) {
        struct ffma *f = &p->f[n];
        f->deadline = n;
        while (f->deadline + 1 < p->total && p->f[f->deadline + 1].at <= f->latest)
            f->deadline++;
        for (int e = f->after; e >= 0; e = p->edges[e].next) {
            const int cycles = p->edges[e].cycles + (p->edges[e].cycles > 1 ? spare : 0);
            const int latest = p->f[p->edges[e].to].deadline - cycles;
            f->deadline = f->deadline < latest ? f->deadline : latest;
        }
        f->deadline = f->deadline > n ? f->deadline : n;
    }
}

/* Returns the nearest slot up to which all slots are needed for FFMAs that are due by then. */
static int pressing(const struct plan *p, int slot)
{
    int due = 0;
    for (int d = slot; d < p->total; d++) {
        due += p->due[d];
        if (due >= d - slot + 1)
            return d;
    }
    return p->total;
}

static bool is_ready(const struct plan *p, const struct ffma *f, int place)
{
    if (f->earliest > place)
        return false;
    for (int e = f->before; e >= 0; e = p->edges[e].next) {
        const int slot = p->f[p->edges[e].to].slot;
        if (slot < 0 || p->cycle[p->f[slot].at] + p->edges[e].cycles > p->cycle[place])
            return false;
    }
    return true;
}

static bool comes_after(const struct plan *p, int n, int other)
{
    for (int e = p->f[n].before; e >= 0; e = p->edges[e].next)
        if (p->edges[e].to == other)
            return true;
    return false;
}

/* Returns the sources that `op` can keep in the operand cache for `next`. */
static unsigned shared(const struct gr_sass_op *op, const struct gr_sass_op *next)
{
    unsigned same = 0;
    for (int i = 0; i < GR_SASS_SOURCES; i++)
        if (op->s[i] == next->s[i] && op->s[i] < 255 && op->s[i] != op->d)
            same |= 1u << i;
    return same;
}

/* The state after the instructions that have been issued. */
struct issued {
    struct gr_banks banks;
    int64_t at; /* the cycle of the next place */
    /* The FFMA at the previous place; -1: none, or it cannot keep anything in the cache. */
    int last;
};

static int64_t issue(const struct plan *p, struct issued *s, int n, bool may_reuse)
{
    const struct gr_sass_op *op = &p->ops[p->f[n].at];
    const unsigned kept = s->last >= 0 ? shared(&p->ops[p->f[s->last].at], op) : 0;
    const int64_t at = gr_banks_issue(&s->banks, s->at, op, kept), lost = at - s->at;
    s->at = at + 1;
    s->last = may_reuse ? n : -1;
    return lost;
}

/* The FFMAs that can be executed at a place. Those that are currently being tried are marked. */
struct choice {
    int candidate[CANDIDATES], count;
    int tried[AHEAD + 1], tried_count;
};

static bool may_follow(const struct plan *p, const struct choice *c, int n)
{
    for (int i = 0; i < c->tried_count; i++)
        if (c->tried[i] == n || comes_after(p, n, c->tried[i]))
            return false;
    return true;
}

/* Returns the minimal number of cycles that candidates lose at `ahead` places from `place` on, as
 * long as FFMAs follow one another; at most `most`. */
static int64_t fewest_lost(const struct plan *p, struct choice *c, const struct issued *now,
                           int place, int ahead, int64_t most)
{
    if (ahead == 0 || place == p->count || p->number[place] < 0)
        return 0;
    for (int i = 0; i < c->count && most > 0; i++) {
        const int n = c->candidate[i];
        if (!may_follow(p, c, n))
            continue;
        struct issued s = *now;
        int64_t lost = issue(p, &s, n, p->ops[place].may_reuse);
        if (lost < most) {
            c->tried[c->tried_count++] = n;
            lost += fewest_lost(p, c, &s, place + 1, ahead - 1, most - lost);
            c->tried_count--;
        }
        most = lost < most ? lost : most;
    }
    return most;
}

/* Rates the choice of FFMA n as the next; lower is better. The cycles lost together with the best
 * successors count first, then the cycles lost by FFMA n alone, then the reads that the banks still
 * have to do. */
static int64_t rate(const struct plan *p, struct choice *c, int n, const struct issued *now,
                    int place)
{
    struct issued s = *now;
    const int64_t own = issue(p, &s, n, p->ops[place].may_reuse);
    c->tried[0] = n;
    c->tried_count = 1;
    const int64_t then = fewest_lost(p, c, &s, place + 1, AHEAD, INT8_MAX);
    int64_t left = 0;
    for (int b = 0; b < 2; b++)
        left += s.banks.free[b] > s.at ? s.banks.free[b] - s.at : 0;
    return ((own + then) * INT8_MAX + own) * INT8_MAX + left;
}

/* Chooses the FFMA for a slot; -1: none can be executed there. */
static int choose(const struct plan *p, int slot, const struct issued *now)
{
    struct choice c = {.count = 0};
    const int place = p->f[slot].at, last = pressing(p, slot);
    int best = -1, n = p->f[p->total].next;
    for (int seen = 0; seen < CANDIDATES && n != p->total; seen++, n = p->f[n].next)
        if (p->f[n].deadline <= last && is_ready(p, &p->f[n], place))
            c.candidate[c.count++] = n;
    int64_t least = INT64_MAX;
    for (int i = 0; i < c.count; i++) {
        const int64_t cost = rate(p, &c, c.candidate[i], now, place);
        if (cost < least) {
            least = cost;
            best = c.candidate[i];
        }
    }
    return best;
}

static void take(struct plan *p, int n, int slot)
{
    p->f[n].slot = slot;
    p->due[p->f[n].deadline]--;
    p->f[p->f[n].previous].next = p->f[n].next;
    p->f[p->f[n].next].previous = p->f[n].previous;
}

/* Resets the plan: no FFMA has a slot. */
static void begin(struct plan *p)
{
    memset(p->due, 0, sizeof *p->due * (size_t)p->total);
    for (int n = 0; n <= p->total; n++) {
        p->f[n].slot = -1;
        p->f[n].previous = n > 0 ? n - 1 : p->total;
        p->f[n].next = n < p->total ? n + 1 : 0;
        if (n < p->total)
            p->due[p->f[n].deadline]++;
    }
}

static bool fill_slots(struct plan *p, int *order)
{
    struct issued now = {.last = -1};
    int slot = 0;
    for (int i = 0; i < p->count; i++) {
        order[i] = i;
        if (p->number[i] < 0) {
            now.last = -1;
            now.at += p->ops[i].stall ? p->ops[i].stall : 1;
            continue;
        }
        const int n = choose(p, slot, &now);
        if (n < 0)
            return false;
        issue(p, &now, n, p->ops[i].may_reuse);
        now.at += p->ops[i].stall > 1 ? p->ops[i].stall - 1 : 0;
        order[i] = p->f[n].at;
        take(p, n, slot++);
    }
    return true;
}

/* Numbers the FFMAs that may be moved. The first instruction is excluded, because reuse bits before
 * the block may be meant for it. */
static void number_ffmas(struct plan *p)
{
    int cycle = 0;
    for (int i = 0; i < p->count; i++) {
        p->cycle[i] = cycle;
        cycle += p->ops[i].stall;
        p->number[i] = -1;
        if (i == 0 || !p->ops[i].movable)
            continue;
        p->number[i] = p->total;
        p->f[p->total++] =
            (struct ffma){.at = i, .latest = p->count - 1, .before = -1, .after = -1};
    }
    p->cycle[p->count] = cycle;
}

/* Tries increasing numbers of spare slots: with few, more orders are possible, and with many it is
 * easier to find one. */
static bool find_order(struct plan *p, int *order)
{
    static const int spare[] = {2, 16};
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
        find_deadlines(p, spare[i]);
        begin(p);
        if (fill_slots(p, order))
            return true;
    }
    return false;
}

bool gr_reorder(const struct gr_sass_op *ops, int count, const struct gr_pending_registers *entry,
                int *order)
{
    const size_t room = (size_t)count + 1;
    struct plan p = {.ops = ops,
                     .count = count,
                     .cycle = calloc(room, sizeof *p.cycle),
                     .number = calloc(room, sizeof *p.number),
                     .f = calloc(room, sizeof *p.f),
                     .due = calloc(room, sizeof *p.due)};
    bool found = p.cycle && p.number && p.f && p.due;
    if (found) {
        number_ffmas(&p);
        find_dependences(&p);
        wait_for_registers(&p, entry);
        found = !p.failed && p.total > 0 && find_order(&p, order);
    }
    free(p.cycle);
    free(p.number);
    free(p.f);
    free(p.due);
    free(p.edges);
    return found;
}

void gr_reorder_reuse(struct gr_sass_op *ops, int count)
{
    for (int i = 0; i < count; i++) {
        const bool pair = ops[i].movable && i + 1 < count && ops[i + 1].movable;
        ops[i].reuse = pair && ops[i].may_reuse ? (uint8_t)shared(&ops[i], &ops[i + 1]) : 0;
    }
}

/* data_flow_proof.c: steps through the code before and after the reordering, side by side.
 * SPDX-License-Identifier: MIT */
#include "sass/data_flow_proof.h"

#include "sass/pending_registers.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGISTERS = 256,
    BYTES = 16,
    FFMA_LATENCY = 5, /* in cycles; the compiler lets an FFMA use the result of another after 4 */
    SETTLED = 16      /* in cycles; no fixed latency is longer */
};

/* An FFMA as an expression: the instruction without its registers, and the values of its
 * sources. */
struct expression {
    struct gr_sass_word form;
    int source[GR_SASS_SOURCES];
    int value; /* the number of its value; 0: the entry is free */
};

struct proof {
    const unsigned char *text[2]; /* the code before and after */
    int count;
    struct gr_sass_op *ops[2];
    bool *leader;
    struct gr_pending_registers *entry;
    struct expression *table; /* a hash table with open addressing */
    int table_room, values;
    int latency; /* from an FFMA to an FFMA */
    char *why;
    size_t why_size;
};

static bool refuse(struct proof *p, int at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct proof *p, int at, const char *format, ...)
{
    const int length = snprintf(p->why, p->why_size, "0x%04x: ", at * BYTES);
    va_list list;
    va_start(list, format);
    if (length < (int)p->why_size)
        vsnprintf(p->why + length, p->why_size - (size_t)length, format, list);
    va_end(list);
    return false;
}

/* ---- What may differ between the two codes. ---- */

static bool is_ffma(const struct proof *p, int block, int i)
{
    return i > block && p->ops[0][i].movable; /* the first instruction of a block stays, because
                                                 reuse bits before the block may be meant for it */
}

static bool is_same(const struct proof *p, int i)
{
    return memcmp(p->text[0] + (size_t)i * BYTES, p->text[1] + (size_t)i * BYTES, BYTES) == 0;
}

static bool check_place(struct proof *p, int block, int i)
{
    const struct gr_sass_word b = gr_sass_get(p->text[0], i), a = gr_sass_get(p->text[1], i);
    if ((b.high ^ a.high) & GR_SASS_PLACE_BITS)
        return refuse(p, i, "the stall count, the yield bit or a barrier has changed");
    if (is_ffma(p, block, i))
        return p->ops[1][i].movable || refuse(p, i, "an FFMA is no FFMA any more");
    const uint64_t other = ~GR_SASS_REUSE_BITS;
    if (b.low != a.low || (b.high & other) != (a.high & other))
        return refuse(p, i, "%s has changed", *p->ops[0][i].mnemonic ? p->ops[0][i].mnemonic : "?");
    if (a.high & ~b.high & GR_SASS_REUSE_BITS)
        return refuse(p, i, "%s has a new reuse bit", p->ops[0][i].mnemonic);
    return p->ops[0][i].known || refuse(p, i, "an instruction that is not known");
}

/* ---- The values of registers. ---- */

static struct gr_sass_word form_of(struct gr_sass_word w)
{
    w.low &= ~(UINT64_C(0xffffff) << 16); /* clears three registers */
    w.high &= ~(UINT64_C(0xff) | GR_SASS_PLACE_BITS | GR_SASS_REUSE_BITS); /* and the fourth */
    return w;
}

/* Returns the number of an expression. Equal expressions have the same number. */
static int number_of(struct proof *p, const struct expression *e)
{
    uint64_t hash = e->form.low * UINT64_C(0x9e3779b97f4a7c15) ^ e->form.high;
    for (int i = 0; i < GR_SASS_SOURCES; i++)
        hash = (hash ^ (uint64_t)e->source[i]) * UINT64_C(0xff51afd7ed558ccd) ^ hash >> 29;
    for (uint64_t at = hash;; at++) {
        struct expression *x = &p->table[at % (uint64_t)p->table_room];
        if (x->value == 0) {
            *x = *e;
            x->value = ++p->values;
            return x->value;
        }
        if (x->form.low == e->form.low && x->form.high == e->form.high &&
            memcmp(x->source, e->source, sizeof e->source) == 0)
            return x->value;
    }
}

static void execute(struct proof *p, int side, int i, int value[REGISTERS])
{
    const struct gr_sass_op *op = &p->ops[side][i];
    struct expression e = {.form = form_of(gr_sass_get(p->text[side], i))};
    for (int k = 0; k < GR_SASS_SOURCES; k++)
        e.source[k] = value[op->s[k]];
    value[op->d] = number_of(p, &e);
}

/* An instruction other than an FFMA must read the same values on both sides. What it writes becomes
 * new values. */
static bool use_same(struct proof *p, int i, int before[REGISTERS], int after[REGISTERS])
{
    const struct gr_sass_op *op = &p->ops[0][i];
    for (unsigned r = 0; r < 255; r++) {
        const bool writes = gr_register_in(&op->writes, r);
        if ((writes || gr_register_in(&op->reads, r)) && before[r] != after[r])
            return refuse(p, i, "R%u has another value for %s", r, op->mnemonic);
        if (writes)
            before[r] = after[r] = ++p->values;
    }
    return true;
}

static bool check_values(struct proof *p, int block, int end)
{
    int before[REGISTERS], after[REGISTERS];
    memset(p->table, 0, sizeof *p->table * (size_t)p->table_room);
    for (int r = 0; r < REGISTERS; r++)
        before[r] = after[r] = r + 1;
    p->values = REGISTERS;
    for (int i = block; i < end; i++) {
        if (!is_ffma(p, block, i)) {
            if (!use_same(p, i, before, after))
                return false;
            continue;
        }
        execute(p, 0, i, before);
        execute(p, 1, i, after);
    }
    for (unsigned r = 0; r < 255; r++)
        if (before[r] != after[r])
            return refuse(p, block, "R%u has another value at the end of the block", r);
    return true;
}

/* ---- The barriers. ---- */

/* Checks that no FFMA uses a register that is in flight. This is known from the code before: its
 * other instructions have not changed, and its FFMAs show which registers the compiler knew to be
 * ready. */
static bool check_in_flight(struct proof *p, int block, int end)
{
    struct gr_pending_registers state = p->entry[block];
    for (int i = block; i < end; i++) {
        gr_pending_wait(&state, &p->ops[0][i]);
        if (is_ffma(p, block, i) && !gr_pending_allows(&state, &p->ops[1][i]))
            return refuse(p, i, "an FFMA uses a register that is still in flight");
        gr_pending_issue(&state, &p->ops[0][i]);
    }
    return true;
}

/* ---- Fixed latencies. ---- */

/* Returns the minimal number of cycles, within a block, between an FFMA and another FFMA that uses
 * its result, and sets *place to the latter; INT_MAX: there is no such pair. */
static int shortest(const struct proof *p, int side, int block, int end, int *place)
{
    int written[REGISTERS], least = INT_MAX, cycle = 0;
    for (int r = 0; r < REGISTERS; r++)
        written[r] = -1;
    for (int i = block; i < end; i++) {
        const struct gr_sass_op *op = &p->ops[side][i];
        if (op->movable) {
            for (int k = 0; k < GR_SASS_SOURCES; k++)
                if (op->s[k] < 255 && written[op->s[k]] >= 0 && cycle - written[op->s[k]] < least) {
                    least = cycle - written[op->s[k]];
                    *place = i;
                }
            written[op->d] = cycle;
        } else {
            for (unsigned r = 0; r < 255; r++)
                if (gr_register_in(&op->writes, r))
                    written[r] = -1;
        }
        cycle += op->stall;
    }
    return least;
}

/* The uses of a register by FFMAs between two other instructions that use it; the beginning and the
 * end of the block count as uses of all registers. All times are in cycles; INT_MAX: there is
 * none. */
struct gap {
    int first_read;  /* the first read of what the earlier of the two writes, even if other
                        instructions read it too */
    int first_write; /* the first write after the earlier of the two */
    int last_write;  /* the last write before the later of the two */
};

/* The state of a register while the gaps are listed. */
struct tracked {
    int gap, opened; /* the current gap, and its first cycle */
    /* The gap and cycle of the last write by an instruction other than an FFMA. */
    int writer_gap, written;
    bool rewritten; /* an FFMA has written it since then */
    int last_write; /* the last write by an FFMA in the current gap; -1: none */
};

static void close_gap(struct gap *g, const struct tracked *t, int cycle)
{
    g->last_write = t->last_write < 0 ? INT_MAX : cycle - t->last_write;
}

static void open_gap(struct gap *gaps, int gap, struct tracked *t, bool writes, int cycle)
{
    gaps[gap] = (struct gap){INT_MAX, INT_MAX, INT_MAX};
    t->gap = gap;
    t->opened = cycle;
    t->last_write = -1;
    if (writes) {
        t->writer_gap = gap;
        t->written = cycle;
        t->rewritten = false;
    }
}

static void note_ffma(struct gap *gaps, struct tracked *t, bool reads, bool writes, int cycle)
{
    int *first_read = &gaps[t->writer_gap].first_read, *first_write = &gaps[t->gap].first_write;
    if (reads && !t->rewritten && *first_read == INT_MAX)
        *first_read = cycle - t->written;
    if (!writes)
        return;
    if (*first_write == INT_MAX)
        *first_write = cycle - t->opened;
    t->last_write = cycle;
    t->rewritten = true;
}

/* Lists the gaps in the order in which they begin, which is the same on both sides. Returns their
 * number. */
static int list_gaps(const struct proof *p, int side, int block, int end, struct gap *gaps)
{
    struct tracked tracked[REGISTERS];
    int count = 0, cycle = 0;
    for (int r = 0; r < 255; r++)
        open_gap(gaps, count++, &tracked[r], true, 0);
    for (int i = block; i < end; i++) {
        const struct gr_sass_op *op = &p->ops[side][i];
        for (unsigned r = 0; r < 255; r++) {
            const bool reads = gr_register_in(&op->reads, r),
                       writes = gr_register_in(&op->writes, r);
            struct tracked *t = &tracked[r];
            if (is_ffma(p, block, i)) {
                note_ffma(gaps, t, reads, writes, cycle);
            } else if (reads || writes) {
                close_gap(&gaps[t->gap], t, cycle);
                open_gap(gaps, count++, t, writes, cycle);
            }
        }
        cycle += op->stall;
    }
    for (int r = 0; r < 255; r++)
        close_gap(&gaps[tracked[r].gap], &tracked[r], cycle);
    return count;
}

static bool is_late_enough(int after, int before)
{
    return after >= (before < SETTLED ? before : SETTLED);
}

static bool compare_gaps(struct proof *p, int block, const struct gap *before,
                         const struct gap *after, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_late_enough(after[i].first_read, before[i].first_read) ||
            !is_late_enough(after[i].first_write, before[i].first_write) ||
            !is_late_enough(after[i].last_write, before[i].last_write))
            return refuse(p, block,
                          "a fixed latency: an FFMA is too near to an instruction that "
                          "writes or uses one of its registers");
    return true;
}

static bool check_latencies(struct proof *p, int block, int end)
{
    int place = block;
    if (shortest(p, 1, block, end, &place) < p->latency)
        return refuse(p, place, "a fixed latency: an FFMA uses the result of another too soon");
    size_t room = 255;
    for (int i = block; i < end; i++)
        for (unsigned r = 0; r < 255 && !is_ffma(p, block, i); r++)
            room +=
                gr_register_in(&p->ops[0][i].reads, r) || gr_register_in(&p->ops[0][i].writes, r);
    struct gap *before = malloc(room * sizeof *before), *after = malloc(room * sizeof *after);
    bool holds = before && after;
    if (!holds)
        refuse(p, block, "not enough memory");
    if (holds) {
        const int count = list_gaps(p, 0, block, end, before);
        holds = list_gaps(p, 1, block, end, after) == count &&
                compare_gaps(p, block, before, after, count);
    }
    free(before);
    free(after);
    return holds;
}

/* ---- The operand cache. ---- */

static bool check_reuse(struct proof *p, int block, int end)
{
    for (int i = block; i < end; i++) {
        const struct gr_sass_op *op = &p->ops[1][i], *next = op + 1;
        const bool before_ffma = i + 1 < end && next->movable;
        if (!op->movable && op->reuse)
            return refuse(p, i, "a reuse bit of %s, which is no FFMA", op->mnemonic);
        for (int k = 0; k < GR_SASS_SOURCES && op->movable; k++) {
            if (!(op->reuse >> k & 1))
                continue;
            if (!before_ffma || next->s[k] != op->s[k])
                return refuse(p, i, "a reuse bit, but the next instruction has another register");
            if (op->s[k] == op->d || op->s[k] == 255 || !op->may_reuse)
                return refuse(p, i, "a reuse bit that may not be set");
        }
    }
    return true;
}

/* ---- A block, and the whole code. ---- */

static bool prove_block(struct proof *p, int block, int end)
{
    for (int i = block; i < end; i++)
        if (!check_place(p, block, i))
            return false;
    return check_values(p, block, end) && check_in_flight(p, block, end) &&
           check_latencies(p, block, end) && check_reuse(p, block, end);
}

static bool is_changed(const struct proof *p, int block, int end)
{
    for (int i = block; i < end; i++)
        if (!is_same(p, i))
            return true;
    return false;
}

static int block_end(const struct proof *p, int block)
{
    int end = block + 1;
    while (!p->leader[end])
        end++;
    return end;
}

static bool prove(struct proof *p, int cc)
{
    gr_sass_effects(cc, p->text[0], p->count, p->ops[0]);
    gr_sass_effects(cc, p->text[1], p->count, p->ops[1]);
    if (!gr_sass_leaders(p->ops[0], p->count, p->leader))
        return refuse(p, 0, "control goes where the code does not say");
    gr_pending_find(p->ops[0], p->count, p->leader, p->entry);
    int place;
    p->latency = FFMA_LATENCY;
    for (int i = 0; i < p->count; i = block_end(p, i)) {
        const int least = shortest(p, 0, i, block_end(p, i), &place);
        p->latency = least < p->latency ? least : p->latency;
    }
    for (int i = 0; i < p->count; i = block_end(p, i))
        if (is_changed(p, i, block_end(p, i)) && !prove_block(p, i, block_end(p, i)))
            return false;
    return true;
}

bool gr_data_flow_proof(int cc, const unsigned char *before, const unsigned char *after, int count,
                        char *why, size_t size)
{
    const size_t n = (size_t)count;
    struct proof p = {.text = {before, after},
                      .count = count,
                      .ops = {calloc(n + 1, sizeof **p.ops), calloc(n + 1, sizeof **p.ops)},
                      .leader = calloc(n + 1, sizeof *p.leader),
                      .entry = calloc(n + 1, sizeof *p.entry),
                      .table_room = 4 * count + 1,
                      .table = calloc(4 * n + 1, sizeof *p.table),
                      .why = why,
                      .why_size = size};
    bool proven = p.ops[0] && p.ops[1] && p.leader && p.entry && p.table;
    proven = proven ? count > 0 && prove(&p, cc) : refuse(&p, 0, "not enough memory");
    free(p.ops[0]);
    free(p.ops[1]);
    free(p.leader);
    free(p.entry);
    free(p.table);
    return proven;
}

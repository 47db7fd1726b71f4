/* access_history.c: finds races from the history of each granule. SPDX-License-Identifier: MIT
 *
 * Lanes that write one granule in the same instruction do not race: the CUDA programming guide says
 * that one of the writes takes effect. A plain read concurrent with atomics does race, with one
 * exception: a compare-and-swap loop begins with such a read, and the swap of the same thread then
 * checks the value. So these reads are kept as doubtful until that swap has come or the block has
 * ended. */
#include "simrt/access_history.h"

#include "simrt/releases.h"

#include <stdlib.h>
#include <string.h>

enum { DOUBTS = 1024 };

struct gr_doubts {
    int count;
    struct doubt {
        const struct gr_word *word;
        int reader;
        struct gr_fault_at fault;
    } items[DOUBTS];
};

/* Is that access ordered before what the thread does now? */
static bool ordered(const struct gr_touch *x, const struct gr_then *then)
{
    const struct gr_tracer *t = x->t;
    int warp = t->sm->warp;
    if (then->phase == 0)
        return true;
    if (then->phase < t->first_phase)
        return !x->global || gr_released(t, then, x->thread);
    if (then->phase != t->phase || then->thread == x->thread)
        return true;
    if (then->thread / warp == x->thread / warp &&
        (t->run->job->lockstep || gr_takes_turns(t, x->thread / warp) ||
         gr_lanes_ordered(x->order, x->thread / warp, x->thread % warp, then->thread % warp,
                          then->met)))
        return true;
    return gr_released(t, then, x->thread);
}

static struct gr_fault_at fault_of(const struct gr_touch *x, const struct gr_then *then,
                                   bool then_writes)
{
    bool writes = x->access != GR_ACCESS_LOAD && x->access != GR_ACCESS_COPY;
    return (struct gr_fault_at){
        .kind = GR_FIND_RACE,
        .code = x->code,
        .other_code = then->code,
        .thread = x->thread,
        .other = then->thread,
        .writes = writes,
        .other_writes = then_writes,
        .same_value = writes && then_writes && !then->strong && !x->strong &&
                      x->value != GR_VALUE_UNKNOWN && x->value == then->value,
        .other_block = then->phase < x->t->first_phase ? gr_block_at(x->t, then->phase) : NULL,
        .array = x->array,
        .address = x->address};
}

static void report(const struct gr_touch *x, const struct gr_then *then, bool then_writes)
{
    const struct gr_fault_at fault = fault_of(x, then, then_writes);
    gr_fault_report(x->t, &fault);
}

/* ---- Plain reads concurrent with atomics. ---- */

static void doubt(const struct gr_touch *x, const struct gr_word *w, const struct gr_then *then,
                  bool then_writes)
{
    struct gr_doubts *d = x->t->doubts;
    if (!d)
        d = x->t->doubts = calloc(1, sizeof *d);
    if (d && d->count < DOUBTS)
        d->items[d->count++] = (struct doubt){.word = w,
                                              .reader = then_writes ? x->thread : then->thread,
                                              .fault = fault_of(x, then, then_writes)};
}

static void settle(const struct gr_touch *x, const struct gr_word *w)
{
    struct gr_doubts *d = x->t->doubts;
    for (int i = d ? d->count - 1 : -1; i >= 0; i--)
        if (d->items[i].word == w && d->items[i].reader == x->thread)
            d->items[i] = d->items[--d->count];
}

void gr_doubts_report(struct gr_tracer *t)
{
    struct gr_doubts *d = t->doubts;
    for (int i = 0; d && i < d->count; i++)
        gr_fault_report(t, &d->items[i].fault);
    if (d)
        d->count = 0;
}

void gr_doubts_close(struct gr_tracer *t)
{
    free(t->doubts);
}

/* ---- Reads. ---- */

/* One lane's read among those of its warp. */
static struct gr_then read_of(const struct gr_word *w, const struct gr_reads *r, int lane, int warp)
{
    return (struct gr_then){.phase = w->read_phase,
                            .met = r->met,
                            .tick = r->tick,
                            .code = r->code,
                            .thread = (uint16_t)(w->read_warp * warp + lane) & 0x7fff,
                            .strong = r->strong};
}

/* May the reads race with this access? Most were made before a barrier, which has ordered them. */
static bool may_matter(const struct gr_touch *x, const struct gr_word *w, const struct gr_reads *r)
{
    bool in_block = w->read_phase >= x->t->first_phase;
    if (!w->read_phase || !r->lanes || (r->strong && x->strong))
        return false;
    return in_block ? w->read_phase == x->t->phase : x->global;
}

/* A read after which the write is not ordered; false: there is none. */
static bool find_read(const struct gr_touch *x, const struct gr_word *w, struct gr_then *found)
{
    int warp = x->t->sm->warp;
    const struct gr_then *const others[] = {&w->other, &w->past};
    for (int i = 0; i < 2; i++) {
        const struct gr_reads *r = &w->reads[i];
        for (uint64_t left = may_matter(x, w, r) ? r->lanes : 0; left; left &= left - 1) {
            *found = read_of(w, r, __builtin_ctzll(left), warp);
            if (!ordered(x, found))
                return true;
        }
    }
    for (int i = 0; i < 2; i++)
        if (!(others[i]->strong && x->strong) && !ordered(x, others[i])) {
            *found = *others[i];
            return true;
        }
    return false;
}

/* One read of an earlier block is kept: an unordered one, if there is any. */
static void retire(const struct gr_touch *x, struct gr_word *w)
{
    for (int i = 0; i < 2; i++)
        if (x->global && w->reads[i].lanes && w->read_phase < x->t->first_phase &&
            ordered(x, &w->past))
            w->past = read_of(w, &w->reads[i], __builtin_ctzll(w->reads[i].lanes), x->t->sm->warp);
    w->other.phase = 0;
    w->reads[0].lanes = w->reads[1].lanes = 0;
}

/* The group of reads that the lane's read belongs to. Groups that later reads make unnecessary are
 * dropped first. */
static struct gr_reads *place_for(const struct gr_touch *x, struct gr_word *w, uint32_t met)
{
    uint64_t lane = 1ULL << x->thread % x->t->sm->warp;
    int into = -1;
    for (int i = 0; i < 2; i++) {
        struct gr_reads *r = &w->reads[i];
        if (r->lanes && r->met == met && r->strong == x->strong)
            into = i;
        r->lanes &= ~lane; /* the lane has read again */
        if (r->met < x->order->all[w->read_warp])
            r->lanes = 0;
    }
    if (into >= 0 && w->reads[into].lanes)
        return &w->reads[into];
    if (into < 0)
        into = !w->reads[0].lanes ? 0 : !w->reads[1].lanes || w->reads[1].met < w->reads[0].met;
    w->reads[into] =
        (struct gr_reads){.met = met, .tick = x->tick, .code = x->code, .strong = x->strong};
    return &w->reads[into];
}

static void keep_read(const struct gr_touch *x, struct gr_word *w)
{
    int warp = x->thread / x->t->sm->warp;
    uint32_t met = x->order->met[warp];
    if (w->read_phase != x->t->phase) {
        retire(x, w);
        w->read_phase = x->t->phase;
        w->read_warp = (uint16_t)warp;
    }
    if (w->read_warp == warp)
        place_for(x, w, met)->lanes |= 1ULL << x->thread % x->t->sm->warp;
    else
        w->other = (struct gr_then){.phase = x->t->phase,
                                    .met = met,
                                    .tick = x->tick,
                                    .code = x->code,
                                    .thread = x->thread & 0x7fff,
                                    .strong = x->strong};
}

static void forget_reads(struct gr_word *w)
{
    w->read_phase = w->other.phase = w->past.phase = 0;
    w->reads[0].lanes = w->reads[1].lanes = 0;
}

static void on_read(const struct gr_touch *x, struct gr_word *w)
{
    if (!ordered(x, &w->plain))
        report(x, &w->plain, true);
    if (!x->strong && !ordered(x, &w->atomic))
        doubt(x, w, &w->atomic, true);
    keep_read(x, w);
}

/* ---- Writes. ---- */

/* If several lanes of one instruction store to one element, one of the values remains. In the
 * kernel's results this is accepted only if the values are equal, since otherwise the result is not
 * determined. */
static bool one_wins(const struct gr_touch *x, const struct gr_word *w)
{
    if (w->plain.thread / x->t->sm->warp != x->thread / x->t->sm->warp)
        return false;
    if (!x->global)
        return w->plain.code == x->code;
    bool alike = x->value != GR_VALUE_UNKNOWN && x->value == w->plain.value;
    return w->request == x->request && (alike || !x->array->is_result);
}

/* Has another lane stored to the granule by the same instruction of a warp that runs in lockstep?
 * Lockstep orders different instructions, but not the lanes of one. */
static bool stored_together(const struct gr_touch *x, const struct gr_word *w)
{
    return x->t->run->job->lockstep && x->global && w->plain.phase == x->t->phase &&
           w->request == x->request && w->plain.thread != x->thread;
}

static void keep_write(const struct gr_touch *x, struct gr_word *w)
{
    struct gr_then *kept = x->strong ? &w->atomic : &w->plain;
    *kept = (struct gr_then){.phase = x->t->phase,
                             .met = x->order->met[x->thread / x->t->sm->warp],
                             .tick = x->tick,
                             .code = x->code,
                             .value = x->value,
                             .thread = x->thread & 0x7fff,
                             .strong = x->strong};
    if (x->strong)
        return;
    w->request = x->request;
    w->atomic.phase = 0; /* ordered before this write, or reported */
    forget_reads(w);
}

/* An atomic access of the thread that has read: the swap that checks the value. */
static void forget_own_read(const struct gr_touch *x, struct gr_word *w)
{
    int warp = x->t->sm->warp;
    for (int i = 0; i < 2 && w->read_phase == x->t->phase && w->read_warp == x->thread / warp; i++)
        w->reads[i].lanes &= ~(1ULL << x->thread % warp);
    if (w->other.thread == x->thread)
        w->other.phase = 0;
    settle(x, w);
}

static void on_write(const struct gr_touch *x, struct gr_word *w)
{
    struct gr_then read;
    bool atomic = x->access == GR_ACCESS_ATOMIC;
    /* A flag that blocks set one after another, each after it has read the previous block's value,
     * is released each time.
     */
    bool both_volatile = x->strong && !atomic && w->atomic.value != GR_VALUE_UNKNOWN &&
                         !gr_is_flag(x->t, x->address);
    if (!one_wins(x, w) && (stored_together(x, w) || !ordered(x, &w->plain)))
        report(x, &w->plain, true);
    if ((!x->strong || (both_volatile && w->atomic.value != x->value)) && !ordered(x, &w->atomic))
        report(x, &w->atomic, true);
    if (atomic)
        forget_own_read(x, w);
    if (find_read(x, w, &read)) {
        if (atomic && read.phase >= x->t->first_phase)
            doubt(x, w, &read, false);
        else
            report(x, &read, false);
    }
    keep_write(x, w);
}

void gr_word_touch(const struct gr_touch *x, struct gr_word *w)
{
    if (x->access == GR_ACCESS_LOAD || x->access == GR_ACCESS_COPY)
        on_read(x, w);
    else
        on_write(x, w);
}

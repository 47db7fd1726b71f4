/* observe_races.c: shared memory, word by word: who wrote and who read it since the last barrier, and whether it was
 * written at all. SPDX-License-Identifier: MIT
 *
 * Two accesses of one word by different threads, one of them a write, need a barrier between them. Threads of one warp
 * may also meet by __syncwarp or a shuffle. Lanes that write one word in the same instruction are no race: one of them
 * wins. */
#include "simrt/tracer.h"

#include <stdlib.h>
#include <string.h>

struct gr_shadow {
    uint32_t write_phase, read_phase; /* the tracer's; 0: never. Phases never come again */
    uint32_t write_code, read_code;
    uint16_t write_met, read_met; /* the warp's */
    uint16_t write_thread;
    uint16_t read_thread : 14;
    uint16_t many_read : 1;  /* by other threads, too */
    uint16_t many_warps : 1; /* and of other warps */
};

static bool open_shadow(struct gr_tracer *t)
{
    t->shadow = calloc(gr_shared_extent() / (uint64_t)t->run->ask->granule + 16, sizeof *t->shadow);
    return t->shadow != NULL;
}

static void close_shadow(struct gr_tracer *t)
{
    free(t->shadow);
}

struct touch {
    struct gr_tracer *t;
    const struct gr_request *q;
    uint64_t address; /* in shared memory */
    uint16_t thread;
    uint16_t met; /* of the warp */
    bool atomic;
};

static void report(const struct touch *x, enum gr_fault_kind kind, uint32_t other_code,
                   int other_thread, bool writes, bool other_writes)
{
    const struct gr_fault_at fault = {.kind = kind,
                                      .code = x->q->site->code,
                                      .other_code = other_code,
                                      .thread = x->thread,
                                      .other = other_thread,
                                      .writes = writes,
                                      .other_writes = other_writes,
                                      .array = x->q->array,
                                      .address = x->address};
    gr_fault_report(x->t, &fault);
}

/* Is what that thread did then ordered before what this one does now? */
static bool ordered(const struct touch *x, uint32_t phase, uint16_t met, int thread)
{
    if (phase != x->t->phase || thread == x->thread)
        return true;
    int warp = x->t->sm->warp;
    return thread / warp == x->thread / warp && met != x->met;
}

static void on_write(const struct touch *x, struct gr_shadow *w)
{
    bool same_instruction = w->write_code == x->q->site->code &&
                            w->write_thread / x->t->sm->warp == x->thread / x->t->sm->warp;
    if (!same_instruction && !x->atomic &&
        !ordered(x, w->write_phase, w->write_met, w->write_thread))
        report(x, GR_FAULT_RACE, w->write_code, w->write_thread, true, true);
    bool alone = !w->many_warps && ordered(x, w->read_phase, w->read_met, w->read_thread) &&
                 (!w->many_read || w->read_met != x->met);
    if (w->read_phase == x->t->phase && !alone && !x->atomic)
        report(x, GR_FAULT_RACE, w->read_code, w->read_thread, true, false);
    w->write_phase = x->t->phase;
    w->write_met = x->met;
    w->write_thread = x->thread;
    w->write_code = x->q->site->code;
}

static void on_read(const struct touch *x, struct gr_shadow *w)
{
    if (w->write_phase < x->t->first_phase)
        report(x, GR_FAULT_UNINITIALISED, 0, -1, false, false);
    else if (!ordered(x, w->write_phase, w->write_met, w->write_thread))
        report(x, GR_FAULT_RACE, w->write_code, w->write_thread, false, true);
    if (w->read_phase == x->t->phase) {
        if (w->read_thread != x->thread) {
            int warp = x->t->sm->warp;
            w->many_read = true;
            w->many_warps |= w->read_thread / warp != x->thread / warp;
        }
        return;
    }
    w->read_phase = x->t->phase;
    w->read_met = x->met;
    w->read_thread = x->thread;
    w->read_code = x->q->site->code;
    w->many_read = w->many_warps = false;
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->space != GR_SPACE_SHARED || t->spoiled)
        return;
    uint64_t base = gr_shared_base();
    int granule = t->run->ask->granule;
    if (q->end - base > gr_shared_extent())
        return;
    struct touch x = {.t = t, .q = q, .atomic = q->access == GR_ACCESS_ATOMIC};
    x.met = (uint16_t)t->warp_phase[q->first_thread / t->sm->warp];
    for (int i = 0; i < q->lanes; i++) {
        x.address = q->address[i] - base;
        x.thread = (uint16_t)(q->first_thread + q->lane[i]);
        struct gr_shadow *w = &t->shadow[x.address / (uint64_t)granule];
        for (int k = 0; k < q->bytes; k += granule, w++) {
            if (q->access == GR_ACCESS_LOAD)
                on_read(&x, w);
            else
                on_write(&x, w);
        }
    }
}

const struct gr_observer gr_observe_races = {
    .open = open_shadow, .close = close_shadow, .request = request};

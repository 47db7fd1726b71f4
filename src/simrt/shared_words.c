/* shared_words.c: races, word by word. SPDX-License-Identifier: MIT
 *
 * Two accesses of one word by different threads, one of them a write, need a barrier between them. Threads of one warp
 * may also meet by __syncwarp or a shuffle. Lanes that write one word in the same instruction are no race: one of them
 * wins. */
#include "simrt/shared_words.h"

struct touch {
    struct gr_tracer *t;
    const struct gr_logged *q;
    uint64_t address; /* in shared memory */
    uint16_t thread;
};

static void report(const struct touch *x, uint32_t other_code, int other_thread, bool writes,
                   bool other_writes)
{
    const struct gr_fault_at fault = {.kind = GR_FAULT_RACE,
                                      .code = x->q->code,
                                      .other_code = other_code,
                                      .thread = x->thread,
                                      .other = other_thread,
                                      .writes = writes,
                                      .other_writes = other_writes,
                                      .array = x->q->array < 0 ? NULL : &gr_arrays[x->q->array],
                                      .address = x->address};
    gr_fault_report(x->t, &fault);
}

/* Is what that thread did then ordered before what this one does now? */
static bool ordered(const struct touch *x, uint32_t phase, uint16_t met, int thread)
{
    if (phase != x->t->phase || thread == x->thread)
        return true;
    int warp = x->t->sm->warp;
    return thread / warp == x->thread / warp && met != x->q->met;
}

static void on_write(const struct touch *x, struct gr_word *w)
{
    bool atomic = x->q->access == GR_ACCESS_ATOMIC;
    bool same_instruction = w->write_code == x->q->code &&
                            w->write_thread / x->t->sm->warp == x->thread / x->t->sm->warp;
    if (!same_instruction && !(atomic && w->write_atomic) &&
        !ordered(x, w->write_phase, w->write_met, w->write_thread))
        report(x, w->write_code, w->write_thread, true, true);
    bool alone = !w->many_warps && ordered(x, w->read_phase, w->read_met, w->read_thread) &&
                 (!w->many_read || w->read_met != x->q->met);
    if (w->read_phase == x->t->phase && !alone && !atomic) {
        int reader = w->read_thread == x->thread ? w->other_read : w->read_thread;
        report(x, w->read_code, reader, true, false);
    }
    /* Atomic writes are no race among themselves, so it is the plain one that is kept. */
    if (atomic && w->write_phase == x->t->phase && !w->write_atomic)
        return;
    w->write_phase = x->t->phase;
    w->write_met = x->q->met;
    w->write_thread = x->thread;
    w->write_code = x->q->code;
    w->write_atomic = atomic;
}

static void on_read(const struct touch *x, struct gr_word *w)
{
    if (!ordered(x, w->write_phase, w->write_met, w->write_thread))
        report(x, w->write_code, w->write_thread, false, true);
    if (w->read_phase == x->t->phase) {
        if (w->read_thread != x->thread) {
            int warp = x->t->sm->warp;
            w->many_read = true;
            w->other_read = x->thread & 0x3fff;
            w->many_warps |= w->read_thread / warp != x->thread / warp;
        }
        return;
    }
    w->read_phase = x->t->phase;
    w->read_met = x->q->met;
    w->read_thread = x->thread & 0x3fff;
    w->read_code = x->q->code;
    w->many_read = w->many_warps = false;
}

void gr_words_touch(struct gr_tracer *t, const struct gr_logged *q)
{
    int granule = t->shared->granule;
    struct touch x = {.t = t, .q = q};
    for (int i = 0; i < q->lanes; i++) {
        x.thread = (uint16_t)(q->first_thread + q->lane[i]);
        for (int k = 0; k < q->bytes; k += granule) {
            x.address = q->offset[i] + (uint64_t)k;
            struct gr_word *w = &t->shared->words[x.address / (uint64_t)granule];
            if (q->access == GR_ACCESS_LOAD)
                on_read(&x, w);
            else
                on_write(&x, w);
        }
    }
}

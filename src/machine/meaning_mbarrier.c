/* meaning_mbarrier.c: operations on mbarriers: SYNCS and ARRIVES.
 * SPDX-License-Identifier: MIT
 *
 * When a test or a wait fails, the copies that complete on its mbarrier arrive, the oldest first,
 * until it succeeds. If a wait succeeds for no lane, it is executed again after an mbarrier has
 * changed. */
#include "machine/async_forms.h"
#include "machine/cluster_blocks.h"
#include "machine/copies.h"
#include "machine/flights.h"
#include "machine/meaning.h"

#include <string.h>

/* The number of failed tests in a block, without a change of an mbarrier, after which it is a
 * deadlock. */
enum { TESTS_IN_VAIN = 1 << 22 };

static uint32_t address_of(const struct gr_warp *w, const struct gr_syncs *s, int lane)
{
    return w->v[s->base][lane] + w->v[s->uniform][lane] + (uint32_t)s->offset;
}

/* Returns the block of a lane's address, and the offset in its shared memory. Only a form without a
 * result may refer to another block. Returns null if the launch has ended. */
static struct gr_block *find(struct gr_warp *w, const struct gr_syncs *s, int lane,
                             uint32_t *offset)
{
    const uint32_t address = address_of(w, s, lane);
    if (s->kind == GR_SYNCS_ARRIVE && s->reduces)
        return gr_cluster_find(w, address, offset);
    return gr_cluster_own(w, address, offset) ? w->block : NULL;
}

static unsigned char *word_of(struct gr_warp *w, const struct gr_syncs *s, int lane,
                              uint32_t *offset)
{
    struct gr_block *b = find(w, s, lane, offset);
    return b ? gr_mbarrier_at(w, b, *offset) : NULL;
}

static void exchange(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_syncs *s = step->form;
    const gr_lanes *value = gr_source_of(w, &s->value);
    int lane = __builtin_ctz(active);
    uint32_t offset, words[2] = {value[0][lane], value[1][lane]};
    unsigned char *at = word_of(w, s, lane, &offset);
    if (!at)
        return;
    memcpy(at, words, 8);
    gr_block_event(w->block);
}

static void invalidate(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_syncs *s = step->form;
    for (uint32_t left = active; left; left &= left - 1) {
        uint32_t offset;
        unsigned char *at = word_of(w, s, __builtin_ctz(left), &offset);
        if (!at)
            return;
        memset(at, 0xff, 8); /* no longer a valid mbarrier */
    }
}

static void arrive(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_syncs *s = step->form;
    const gr_lanes *value = gr_source_of(w, &s->value);
    for (uint32_t left = active; left && w->block->status == GR_BLOCK_RUNS; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t offset;
        struct gr_block *b = find(w, s, lane, &offset);
        uint64_t before =
            b ? gr_mbarrier_change(w, b, offset, s->operation, s->drop, value[0][lane]) : 0;
        w->v[s->d + 1][lane] = (uint32_t)(before >> 32); /* the lower register is not written */
    }
}

static void arrive_after_copies(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_syncs *s = step->form;
    for (uint32_t left = active; left && w->block->status == GR_BLOCK_RUNS; left &= left - 1) {
        struct gr_flight f = {.kind = GR_FLIGHT_ARRIVAL,
                              .to = w->block,
                              .barrier_block = w->block,
                              .copies = gr_copies_begun(w),
                              .operation = s->operation};
        if (word_of(w, s, __builtin_ctz(left), &f.barrier))
            gr_flight_begin(w, &f);
    }
}

/* Is the phase complete? */
static bool test(struct gr_warp *w, const struct gr_syncs *s, int lane, uint32_t state)
{
    uint32_t offset;
    uint64_t word;
    const unsigned char *at = word_of(w, s, lane, &offset);
    while (at) {
        memcpy(&word, at, 8);
        if (word & 1) {
            gr_block_fail(w, GR_BLOCK_FAILED,
                          "the mbarrier at 0x%x is not initialised, instruction 0x%x", offset,
                          w->pc * GR_STEP_BYTES);
            return false;
        }
        if (gr_mbarrier_is_complete(word, state))
            return true;
        if (!gr_flights_arrive(w, w->block, offset))
            return false;
    }
    return false;
}

static void phase(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_syncs *s = step->form;
    const gr_lanes *state = gr_source_of(w, &s->value);
    uint32_t over = 0;
    for (uint32_t left = active; left && w->block->status == GR_BLOCK_RUNS; left &= left - 1) {
        int lane = __builtin_ctz(left);
        over |= (uint32_t)test(w, s, lane, state[0][lane]) << lane;
    }
    if (w->block->status != GR_BLOCK_RUNS)
        return;
    if (over == 0 && s->waits && !w->timed_out) {
        gr_warp_wait_again(w, active);
        return;
    }
    w->timed_out = false;
    w->p[s->predicate] = (w->p[s->predicate] & ~active) | over;
    if (over)
        return;
    gr_warp_yield(w);
    if (!s->waits && w->block->in_vain++ > TESTS_IN_VAIN)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "an mbarrier whose phase never completes is tested again and again, "
                      "instruction 0x%x",
                      w->pc * GR_STEP_BYTES);
}

static bool make(struct gr_translation *t, struct gr_step *step)
{
    static gr_step_fn *const functions[] = {[GR_SYNCS_EXCHANGE] = exchange,
                                            [GR_SYNCS_ARRIVE] = arrive,
                                            [GR_SYNCS_PHASE] = phase,
                                            [GR_SYNCS_INVALIDATE] = invalidate,
                                            [GR_SYNCS_COPIES] = arrive_after_copies};
    struct gr_syncs syncs;
    if (!gr_syncs_take(t, &syncs))
        return false;
    if (syncs.keeps_mask)
        return gr_refuse(t, "an arrival that completes no phase is not modelled");
    step->run = functions[syncs.kind];
    return gr_keep_form(t, step, &syncs, sizeof syncs);
}

static const struct gr_meaning list[] = {{"SYNCS", make}, {"ARRIVES", make}, {NULL, NULL}};

const struct gr_meanings gr_meanings_mbarrier = {list};

/* advice_block_shape.c: a block that is not a whole number of warps, or has only one warp.
 *
 * Threads are scheduled in warps, so the missing threads of a partial warp occupy lanes without
 * working. And an SM holds a limited number of blocks (32 on sm_90), so that blocks of one warp
 * can provide at most half of the warps that it could hold. The rule reports every block that is
 * not a multiple of the warp size, and blocks smaller than `threads_per_sm / blocks_per_sm` if
 * each thread computes fewer than 32 results (with more, few warps are enough:
 * advice_occupancy.c has the calculation). Saves: for a partial warp, its share of the
 * arithmetic's bound; else unknown. Needs a launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <inttypes.h>

enum { MANY_RESULTS = 32 };

static void tell_unfilled(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                          const struct gr_trace_site *at, struct gr_findings *findings)
{
    int64_t threads = gr_input_threads(s), warp = gr_advice_warp(s);
    int64_t full = (threads + warp - 1) / warp * warp;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double after = gr_bounds_floor(&b), use = (double)threads / (double)full;
    b.compute /= use;
    b.issue /= use;
    struct gr_gain gain = {(double)threads, (double)full, "threads a block",
                           gr_bounds_floor(&b) - after};
    gr_advise(findings, GR_FIND_BLOCK_SHAPE, at, &gain,
              "a block of %" PRId64 " threads is %" PRId64 " warps, the last with %" PRId64
              " of %" PRId64
              " threads: the rest of it takes issue slots and registers and does nothing; make the "
              "block a multiple of %" PRId64,
              threads, full / warp, threads - (full - warp), warp, warp);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->launch || s->launch->once)
        return;
    struct gr_trace_site at = {
        .line = s->stanza->block.count > 0 ? s->stanza->block.items[0].place.line : 0};
    int64_t threads = gr_input_threads(s), warp = gr_advice_warp(s);
    int64_t enough = s->device->threads_per_sm / s->device->blocks_per_sm;
    if (threads % warp != 0)
        tell_unfilled(s, sections, &at, findings);
    if (threads >= enough || gr_results_a_thread(s) >= MANY_RESULTS || !gr_input_multiplies(s))
        return;
    struct gr_gain gain = {(double)threads, (double)enough, "threads a block", 0};
    gr_advise(findings, GR_FIND_BLOCK_SHAPE, &at, &gain,
              "an SM holds %" PRId64 " blocks at most, and of %" PRId64 " threads they are %" PRId64
              " of the %" PRId64 " that it could hold; take blocks of %" PRId64 " threads or more, "
              "which also share more of what they load",
              s->device->blocks_per_sm, threads, s->device->blocks_per_sm * threads,
              s->device->threads_per_sm, 2 * enough);
}

const struct gr_advice gr_advice_block_shape = {
    .name = "block_shape",
    .kind = GR_FIND_BLOCK_SHAPE,
    .reports = "a block is not a whole number of warps, or has one warp with little work",
    .needs = "launch",
    .look = look,
};

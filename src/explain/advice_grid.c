/* advice_grid.c: fewer blocks than SMs.
 *
 * The rule reports a stanza that multiplies with at most 4 blocks for 5 SMs; every SM without a
 * block is idle for the whole run. The remedies are smaller tiles, as long as a block still has
 * at least 64 x 64 elements of C (with fewer the traffic from L2 grows by more than is gained),
 * or split-K, if each part keeps at least 128 of K (the cost of writing and adding a partial
 * tile; kernels/gpu/12_best.cu). If M*N*K is too small for both, nothing is reported. Saves: the
 * factor by which the work of the busiest SM would decrease, for every bound except that of
 * memory. Needs a launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <inttypes.h>

enum { LEAST_TILE = 64, LEAST_DEPTH = 128 };

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->launch || !gr_input_multiplies(s))
        return;
    int64_t blocks = gr_input_blocks(s), sms = s->device->sms;
    double elements = (double)s->problem->m * (double)s->problem->n / (double)blocks;
    double smaller = elements / (LEAST_TILE * LEAST_TILE);
    double splits = (double)s->problem->k / LEAST_DEPTH;
    double more = smaller >= 2 ? smaller : splits;
    if (5 * blocks > 4 * sms || more < 2)
        return;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double now = gr_bounds_floor(&b), could = least(more, (double)sms / (double)blocks);
    b.compute /= could;
    b.issue /= could;
    b.lsu /= could;
    b.l2 /= could;
    struct gr_gain gain = {(double)blocks, (double)blocks * could, "blocks",
                           now - gr_bounds_floor(&b)};
    gr_advise(
        findings, GR_FIND_WAVES, NULL, &gain,
        "%" PRId64 " block%s cannot employ %" PRId64 " SMs: %" PRId64 " have nothing to do; %s",
        blocks, blocks == 1 ? "" : "s", sms, sms - blocks,
        smaller >= 2 ? "take smaller tiles of C, and where that is not enough, divide K among "
                       "several blocks and add their partial results (split-K)"
                     : "divide K among several blocks, and add their partial results (split-K)");
}

const struct gr_advice gr_advice_grid = {
    .name = "grid",
    .kind = GR_FIND_WAVES,
    .reports = "there are fewer blocks than SMs, and smaller tiles or dividing K would help",
    .needs = "launch",
    .look = look,
};

/* advice_barriers.c: little work between two barriers.
 *
 * At a barrier the block waits for its last warp, and then begins with empty pipelines. The rule
 * reports fewer than 64 multiply-adds per thread between two barriers: rung 06 with a tile 16
 * deep has exactly 64 and reaches 16.7 TFLOP/s at 4096 on an H200; with a tile 8 deep it has 32
 * and reaches 14.4 (docs/ladder/06.md). Saves: unknown, since no bound includes waiting. Needs a
 * trace; the multiply-adds are computed from the problem. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { WANTED = 64 };

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    double mma = 0, fmas = gr_warp_fmas(s);
    if (!s->trace || s->trace->barriers == 0 || fmas == 0 || s->problem->k < WANTED ||
        (gr_advice_fact(s, sections, "code.mma", &mma) && mma > 0))
        return;
    double each = fmas / (double)s->trace->barriers;
    if (each >= 0.9 * WANTED) /* blocks at the edges of the matrix have fewer */
        return;
    struct gr_gain gain = {each, WANTED, "multiply-adds a barrier", 0};
    gr_advise(
        findings, GR_FIND_BARRIERS, NULL, &gain,
        "a thread makes %s multiply-adds between two barriers, and at each the block waits for "
        "its last warp; give a thread more results (TM, TN), make the tile deeper (BK), or "
        "keep two tiles in turn, so that one barrier a tile is enough",
        gr_count_text(each).text);
}

const struct gr_advice gr_advice_barriers = {
    .name = "barriers",
    .kind = GR_FIND_BARRIERS,
    .reports = "there are fewer than 64 multiply-adds per thread between two barriers",
    .needs = "trace",
    .look = look,
};

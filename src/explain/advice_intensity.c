/* advice_intensity.c: too few multiply-adds for each read of shared memory.
 *
 * An SM executes fp32_lanes / warp warp-level multiply-adds per clock (4 on sm_80 and later for
 * f32) and one wavefront of shared memory. A loop with fewer multiply-adds per wavefront waits
 * for shared memory, however well it is written otherwise. Wavefronts here are those that the
 * bytes need, without bank conflicts (advice_banks.c reports those). The rule reports a kernel
 * whose shared-memory clocks exceed those of its arithmetic, minus a fifth, since the
 * multiply-adds are computed from the launch and the problem and a trace does not count them.
 * Saves: the load/store bound (advise.h), if there were only as many wavefronts as the
 * arithmetic hides. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <stdlib.h>

/* The wavefronts that the loads need, and the most expensive of their places. */
static double passes_of(const struct gr_trace_site *places, int count,
                        const struct gr_trace_site **worst)
{
    double passes = 0;
    for (int i = 0; i < count; i++) {
        const struct gr_trace_site *p = &places[i];
        if (p->space != GR_SPACE_SHARED || p->access != GR_ACCESS_LOAD)
            continue;
        *worst = *worst ? *worst : p;
        passes += gr_place_clocks(p) - gr_place_excess(p);
    }
    return passes;
}

static const char *remedy(const struct gr_analysis_input *s)
{
    double results = gr_results_a_thread(s);
    if (results < 2)
        return "let a thread make a column of 8 elements of C, so that each element of B's tile "
               "that "
               "it reads is used 8 times";
    if (results <= 16)
        return "let a thread make a square of 8 x 8 elements of C: 16 reads then feed 64 "
               "multiply-adds";
    return "let a thread make a larger, squarer piece of C, and read its operands 16 bytes at a "
           "time";
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    const struct gr_trace_site *worst = NULL;
    double passes = passes_of(places, count, &worst), fmas = gr_warp_fmas(s), mma = 0;
    int64_t lanes = s->problem->types.acc == GR_F64 ? s->device->fp64_lanes_per_sm
                                                    : s->device->fp32_lanes_per_sm;
    double rate = (double)lanes / gr_advice_warp(s);
    bool plain = !gr_advice_fact(s, sections, "code.mma", &mma) || mma == 0;
    double ratio = worst && fmas > 0 ? fmas / passes : 0;
    if (plain && ratio > 0 && 1.25 * ratio < rate) {
        struct gr_gain gain = {ratio, rate, "multiply-adds a pass",
                               gr_gain_lsu(s, sections, passes * (1 - ratio / rate))};
        gr_advise(
            findings, GR_FIND_INTENSITY, worst, &gain,
            "the reads of shared memory feed %s multiply-add%s a pass over the banks, and the "
            "arithmetic units could do %s in that time: they wait for shared memory; %s",
            gr_count_text(gain.now).text, ratio > 0.995 && ratio < 1.005 ? "" : "s",
            gr_count_text(rate).text, remedy(s));
    }
    free(places);
}

const struct gr_advice gr_advice_intensity = {
    .name = "intensity",
    .kind = GR_FIND_INTENSITY,
    .reports = "shared memory is busy for longer than the arithmetic units by a quarter",
    .needs = "trace",
    .look = look,
};

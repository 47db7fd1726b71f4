/* advice_occupancy.c: too few warps on an SM to hide latencies.
 *
 * A scheduler hides a latency of L clocks with L independent instructions: the number of its
 * warps times the number of independent instructions in each, which is about the number of
 * results of a thread. Shared memory has a latency of 20 to 30 clocks (Jia et al., "Dissecting
 * the NVIDIA Volta GPU architecture via microbenchmarking", 2018), so 32 are wanted. The rule
 * reports a kernel if its warps per scheduler times its results per thread are fewer, and if
 * registers, shared memory or the number of blocks limit the warps to less than half of what the
 * SM could hold. A kernel with 8 warps and 128 results per thread is therefore not reported.
 * Saves: unknown, since no bound includes latency. Needs compiled code and a launch.
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "model/occupancy.h"

#include <inttypes.h>

enum { WANTED = 32 };

static const char *remedy(const struct gr_occupancy *o)
{
    if (o->limit == GR_LIMIT_REGISTERS)
        return "let the compiler use fewer, with __launch_bounds__(threads, blocks), or give a "
               "thread more results, which need fewer warps";
    if (o->limit == GR_LIMIT_SMEM)
        return "take a tile that is less deep (BK), fewer stages, or give a thread more results, "
               "which need fewer warps";
    return "take larger blocks";
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    (void)sections;
    if (!s->kernel || !s->launch || !gr_input_multiplies(s))
        return;
    const struct gr_block_needs needs = gr_input_needs(s);
    struct gr_occupancy o = gr_occupancy_of(s->device, &needs);
    double each = (double)o.warps / (double)o.sm.schedulers_per_sm;
    double ready = each * gr_results_a_thread(s);
    if (o.blocks == 0 || o.fraction >= 0.5 || ready >= WANTED || o.limit == GR_LIMIT_WARPS)
        return;
    struct gr_gain gain = {(double)o.warps, (double)o.warps_max / 2, "warps an SM", 0};
    gr_advise(findings, GR_FIND_OCCUPANCY, NULL, &gain,
              "%s let%s only %" PRId64 " of %" PRId64 " warps onto an SM, %s a scheduler with %s "
              "result%s a thread: too few to have work while shared or global memory answers; %s",
              gr_input_is_amd(s) ? gr_occupancy_limit_name_amd(o.limit)
                                 : gr_occupancy_limit_name(o.limit),
              o.limit == GR_LIMIT_SMEM ? "s" : "", o.warps, o.warps_max, gr_count_text(each).text,
              gr_count_text(gr_results_a_thread(s)).text, gr_results_a_thread(s) < 1.5 ? "" : "s",
              remedy(&o));
}

const struct gr_advice gr_advice_occupancy = {
    .name = "occupancy",
    .kind = GR_FIND_OCCUPANCY,
    .reports = "the warps of a scheduler times the results of a thread are fewer than 32, and a "
               "resource is the cause",
    .needs = "code, launch",
    .look = look,
};

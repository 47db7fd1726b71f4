/* advice_spills.c: register spills: values that are stored to local memory and loaded back.
 *
 * The rule reports any load or store of local memory in the hot loop, because it is repeated for
 * every k, and outside of the loop 8 or more, since fewer cost only a few clocks per thread.
 * Needs compiled code; the line is that of the kernel, because the machine code gives no better
 * one. Saves: the load/store bound (advise.h), by one request for each such instruction and
 * iteration of the loop, if the number of iterations follows from its multiply-adds; 0 outside of
 * the loop. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { FEW = 8 };

static double number(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                     const char *key)
{
    double value = 0;
    return gr_advice_fact(s, sections, key, &value) ? value : 0;
}

/* The reduction of the time floor, computed from the number of the loop's requests to local memory
 * per multiply-add. */
static double saved(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                    double in_loop)
{
    double fmas = number(s, sections, "loop.ffma") + number(s, sections, "loop.dfma");
    double sms_hz = (double)s->device->sms * (double)s->device->clock_mhz * 1e6;
    if (fmas <= 0 || sms_hz <= 0)
        return 0;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double after = gr_bounds_floor(&b);
    b.lsu += in_loop / fmas * gr_warp_fmas(s) / sms_hz * b.uneven;
    return gr_bounds_floor(&b) - after;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->kernel)
        return;
    double all = number(s, sections, "code.ldl") + number(s, sections, "code.stl");
    double in_loop = number(s, sections, "loop.ldl") + number(s, sections, "loop.stl");
    if (in_loop == 0 && all < FEW)
        return;
    struct gr_trace_site kernel = {.line = s->stanza->signature.line};
    struct gr_gain gain = {in_loop > 0 ? in_loop : all, 0, "local loads and stores",
                           saved(s, sections, in_loop)};
    bool full = s->kernel->registers >= s->device->registers_per_thread - 15;
    gr_advise(findings, GR_FIND_SPILLS, &kernel, &gain,
              "%s instructions%s go to local memory, which is global memory behind L1: %s",
              gr_count_text(gain.now).text, in_loop > 0 ? " of the hot loop" : "",
              full ? "a thread has no registers left, so give it fewer results (TM, TN)"
                   : "either __launch_bounds__ (or -maxrregcount) allows too few registers, or an "
                     "array is indexed by a value that is not known at compile time; unroll the "
                     "loops over "
                     "the thread's own arrays (#pragma unroll) so that each index is a constant");
}

const struct gr_advice gr_advice_spills = {
    .name = "spills",
    .kind = GR_FIND_SPILLS,
    .reports = "the hot loop accesses local memory, or 8 instructions outside of it do",
    .needs = "code",
    .look = look,
};

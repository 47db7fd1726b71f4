/* advice_issue.c: a hot loop in which few of the instructions are multiply-adds.
 *
 * A scheduler issues one instruction per clock, of whatever kind. The rule reports a loop that
 * the issue rate alone limits to less than 60 % of the peak (`loop.peak_fraction`), if nothing
 * else is a tighter limit: other rules treat reads of shared and global memory, so the
 * load/store bound must be lower, and less than a quarter of the loop's instructions may be such
 * reads (the load/store unit accepts one request per clock, of the SM's four instructions). The
 * threshold is 60 % because a thread with 8 x 8 results that reads its operands one element at a
 * time has 64 multiply-adds in 80 instructions, and one with 8 x 1 results has 8 in 17 before
 * the compiler merges reads. Saves: the issue bound (advise.h), down to 90 % of the peak, which
 * is what the ladder's best rungs reach. Needs compiled code. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { MANY_RESULTS = 32 };

#define FIRES_BELOW 0.6
#define WITHIN_REACH 0.9

static double number(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                     const char *key)
{
    double value = 0;
    return gr_advice_fact(s, sections, key, &value) ? value : 0;
}

/* While a thread has few results, it helps most to use the same reads and addresses for more
 * multiply-adds. */
static const char *remedy(double integers, double fmas, double results)
{
    if (integers > fmas)
        return "unroll the loop (#pragma unroll, with bounds known at compile time), so that "
               "offsets "
               "become constants, and move what does not change in it out of it";
    if (results < MANY_RESULTS)
        return "give a thread more results (TM x TN), so that the same reads and addresses feed "
               "more "
               "multiply-adds";
    return "unroll the loop over k, and read shared memory 16 bytes at a time";
}

/* The fraction of the loop's instructions that read memory. */
static double reads(const struct gr_analysis_input *s, const struct gr_explanation *sections)
{
    return number(s, sections, "loop.ldg") + number(s, sections, "loop.lds") +
           number(s, sections, "loop.ldl");
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    struct gr_bounds b = gr_bounds_of(s, sections);
    double reach = 0, total = number(s, sections, "loop.instructions");
    double fmas = number(s, sections, "loop.ffma") + number(s, sections, "loop.dfma");
    double integers = number(s, sections, "loop.integer");
    if (!s->kernel || !gr_advice_fact(s, sections, "loop.peak_fraction", &reach) || fmas == 0 ||
        reach >= FIRES_BELOW || total == 0 || b.lsu > b.issue || 4 * reads(s, sections) >= total)
        return;
    double now = gr_bounds_floor(&b);
    b.issue *= reach / WITHIN_REACH;
    struct gr_trace_site kernel = {.line = s->stanza->signature.line};
    struct gr_gain gain = {100 * fmas / total, 100 * fmas / total * WITHIN_REACH / reach,
                           "% of the loop's instructions", now - gr_bounds_floor(&b)};
    gr_advise(
        findings, GR_FIND_ISSUE, &kernel, &gain,
        "of the hot loop's %s instructions, %s are multiply-adds and %s compute addresses and "
        "the like: however fast memory is, that reaches %.0f %% of the peak; %s",
        gr_count_text(total).text, gr_count_text(fmas).text, gr_count_text(integers).text,
        100 * reach, remedy(integers, fmas, gr_results_a_thread(s)));
}

const struct gr_advice gr_advice_issue = {
    .name = "issue",
    .kind = GR_FIND_ISSUE,
    .reports = "the other instructions of the loop alone keep it below 60 % of the peak",
    .needs = "code",
    .look = look,
};

/* advice_issue.c: a hot loop in which few of the instructions are multiply-adds.
 *
 * A scheduler issues one instruction a clock, whatever it is. Fires where issue alone keeps the
 * loop below 60 % of the peak
 * (`loop.peak_fraction`) and nothing that this counts is a harder limit: reads of shared and global
 * memory are the concern of other rules, so the load/store bound must lie below, and less than a
 * quarter of the loop be such reads (the load/store unit takes one request a clock of the SM's four
 * instructions). 60 %: a thread of 8 x 8 results that reads its operands one element at a time has
 * 64 of 80, one of 8 x 1 has 8 of 17 before the compiler merges reads. Saves: the issue bound
 * (advise.h), down to 90 % of the peak, what the ladder's best rungs issue. Needs compiled code.
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { MANY_RESULTS = 32 };

#define FIRES_BELOW 0.6
#define WITHIN_REACH 0.9

static double number(const struct gr_specimen *s, const struct gr_explanation *sections,
                     const char *key)
{
    double value = 0;
    return gr_advice_fact(s, sections, key, &value) ? value : 0;
}

/* More multiply-adds of the same reads and addresses help most while a thread has few results. */
static const char *remedy(double integers, double fmas, double results)
{
    if (integers > fmas)
        return "unroll the loop (#pragma unroll, with bounds known when compiling), so that "
               "offsets "
               "become constants, and move what does not change in it out of it";
    if (results < MANY_RESULTS)
        return "give a thread more results (TM x TN), so that the same reads and addresses feed "
               "more "
               "multiply-adds";
    return "unroll the loop over k, and read shared memory 16 bytes at a time";
}

/* Reads of any memory in the loop. */
static double reads(const struct gr_specimen *s, const struct gr_explanation *sections)
{
    return number(s, sections, "loop.ldg") + number(s, sections, "loop.lds") +
           number(s, sections, "loop.ldl");
}

static void look(const struct gr_specimen *s, const struct gr_explanation *sections,
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

/* advice_banks.c: shared-memory bank conflicts.
 *
 * The rule reports lines that need at least 10 % more wavefronts than their bytes require, if
 * the excess is at least 1/64 of the kernel's load/store clocks; a smaller gain could not be
 * measured. Wavefronts are counted as the hardware does, so that a word that many lanes read (a
 * broadcast) costs nothing. Saves: the load/store bound (advise.h), where each excess wavefront
 * is one clock of an SM's shared memory. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <inttypes.h>
#include <stdlib.h>

static bool applies(const struct gr_trace_site *p, double all)
{
    double conflicts = (double)(p->wavefronts - p->wavefronts_ideal);
    return p->space == GR_SPACE_SHARED && p->requests > 0 &&
           conflicts >= 0.1 * (double)p->wavefronts_ideal && gr_place_excess(p) >= all / 64;
}

/* The widest access to the array: padding must keep its vectors aligned. */
static int widest(const struct gr_analysis_input *s, int array)
{
    int bytes = 0;
    for (int i = 0; i < s->trace->site_count; i++)
        if (s->trace->sites[i].array == array && s->trace->sites[i].bytes > bytes)
            bytes = s->trace->sites[i].bytes;
    return bytes;
}

/* If the conflicting lanes are a multiple of 32 banks apart, they are in different rows of the
 * array, and rows that are slightly longer move them to different banks. Padding does not help
 * against a short stride. */
static char *remedy(const struct gr_analysis_input *s, const struct gr_trace_site *p,
                    const struct gr_lanes *lanes)
{
    const struct gr_trace_array *array = gr_trace_array_of(s->trace, p);
    int element = array && array->element_bytes > 0 ? array->element_bytes : 4;
    int pad = widest(s, p->array) >= 16 ? 16 / element : element < 4 ? 4 / element : 1;
    int64_t stride = llabs(lanes->stride);
    if (lanes->shape != GR_LANES_SCATTERED && stride > p->bytes && stride <= 64 && p->bytes < 16)
        return gr_printf(
            "let neighbouring threads have neighbouring elements, or read each thread's "
            "%" PRId64 " elements 16 bytes at a time",
            stride / element);
    if (lanes->shape != GR_LANES_SCATTERED && stride > p->bytes && stride <= 64)
        return gr_strdup("take a thread's elements in pieces of 16 bytes, and let neighbouring "
                         "threads have neighbouring pieces");
    return gr_printf("pad each row of %s by %d element%s%s, or swizzle the columns (column ^ row)",
                     gr_place_array(s, p), pad, pad == 1 ? "" : "s",
                     pad * element >= 16 ? " (16 bytes, so that vectors stay aligned)" : "");
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, struct gr_findings *findings)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    struct gr_bank_clash clash = gr_lanes_clash(p);
    double requests = (double)p->requests;
    struct gr_gain gain = {(double)p->wavefronts / requests, (double)p->wavefronts_ideal / requests,
                           "passes a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    char *todo = remedy(s, p, &lanes);
    if (clash.lanes > 1)
        gr_advise(findings, GR_FIND_BANKS, p, &gain,
                  "threads %d and %d of a warp %s %s %" PRId64 " words apart, a multiple of the %d "
                  "banks, and so do others: bank %d must deliver %d words at once, which takes %s "
                  "passes a request where %s would do; %s",
                  clash.first, clash.second, p->access == GR_ACCESS_STORE ? "store to" : "read",
                  gr_place_array(s, p), clash.words,
                  gr_banks_of(&p->rules, p->bytes, p->access == GR_ACCESS_LOAD), clash.bank,
                  clash.lanes, gr_count_text(gain.now).text, gr_count_text(gain.fixed).text,
                  todo ? todo : "");
    else
        gr_advise(
            findings, GR_FIND_BANKS, p, &gain,
            "the threads of a warp access the same banks of %s: %s passes a request where %s would "
            "do; %s",
            gr_place_array(s, p), gr_count_text(gain.now).text, gr_count_text(gain.fixed).text,
            todo ? todo : "");
    free(todo);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++)
        if (applies(&places[i], all))
            report(s, sections, &places[i], findings);
    free(places);
}

const struct gr_advice gr_advice_banks = {
    .name = "banks",
    .kind = GR_FIND_BANKS,
    .reports = "accesses to shared memory take 10 % more wavefronts than their bytes need",
    .needs = "trace",
    .look = look,
};

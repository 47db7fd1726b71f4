/* analysis_shared.c: wavefronts and bank conflicts of accesses to shared memory.
 * SPDX-License-Identifier: MIT */
#include "explain/executed.h"
#include "explain/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void add_facts(const struct gr_analysis_input *s, struct gr_section *section,
                      enum gr_access access, int array)
{
    struct gr_trace_sum sum = gr_trace_total(s->trace, GR_SPACE_SHARED, access, array);
    int64_t conflicts = gr_traced_excess(sum.wavefronts, sum.wavefronts_ideal);
    gr_traced_fact(s, section, GR_SPACE_SHARED, access, array, "requests", (double)sum.requests,
                   "requests");
    gr_traced_fact(s, section, GR_SPACE_SHARED, access, array, "wavefronts", (double)sum.wavefronts,
                   "wavefronts");
    gr_traced_fact(s, section, GR_SPACE_SHARED, access, array, "wavefronts_ideal",
                   (double)sum.wavefronts_ideal, "wavefronts");
    gr_traced_fact(s, section, GR_SPACE_SHARED, access, array, "conflicts", (double)conflicts,
                   "wavefronts");
    if (sum.requests > 0)
        gr_traced_fact(s, section, GR_SPACE_SHARED, access, array, "wavefronts_per_request",
                       gr_traced_each(sum.wavefronts, sum.requests), "wavefronts a request");
}

static void say_row(const struct gr_analysis_input *s, struct gr_section *section,
                    enum gr_access access, int array)
{
    struct gr_trace_sum sum = gr_trace_total(s->trace, GR_SPACE_SHARED, access, array);
    char label[96];
    snprintf(label, sizeof label, "%s%s", array < 0 ? "" : "  ",
             array < 0 ? gr_traced_title(access) : s->trace->arrays[array].name);
    gr_section_printf(section, "  %-12.12s%15" PRId64 "%15" PRId64 "%15" PRId64 "%15" PRId64, label,
                      sum.requests, sum.wavefronts, sum.wavefronts_ideal,
                      gr_traced_excess(sum.wavefronts, sum.wavefronts_ideal));
}

/* What the hardware's documents call a pass over the banks; AMD's wavefronts are NVIDIA's warps. */
static const char *name_of_pass(const struct gr_analysis_input *s)
{
    return gr_input_is_amd(s) ? "passes" : "wavefronts";
}

static void say_conflicts(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_trace *t = s->trace;
    int64_t wavefronts = 0, ideal = 0;
    for (int access = 0; access < GR_ACCESS_COUNT; access++) {
        struct gr_trace_sum sum = gr_trace_total(t, GR_SPACE_SHARED, access, -1);
        wavefronts += sum.wavefronts;
        ideal += sum.wavefronts_ideal;
    }
    int64_t conflicts = gr_traced_excess(wavefronts, ideal);
    if (conflicts == 0)
        gr_section_printf(section,
                          "No bank conflicts: every request takes as few %s as its bytes need.",
                          name_of_pass(s));
    else
        gr_section_printf(section,
                          "%.1f %% of the %s are conflicts: lanes of a request need different "
                          "words of one bank, and are served in turn.",
                          100 * (double)conflicts / (double)wavefronts, name_of_pass(s));
}

/* Loads of matrices (ldmatrix) are loads of shared memory, but the hardware counts them
 * separately. */
static void say_matrices(const struct gr_analysis_input *s, struct gr_section *section)
{
    struct gr_executed_totals *t = s->trace->instruction_count > 0 ? malloc(sizeof *t) : NULL;
    if (!t)
        return;
    gr_executed_totals_of(s->trace, t);
    const int64_t conflicts = gr_traced_excess(t->ldsm_wavefronts, t->ldsm_wavefronts_ideal);
    gr_section_number(section, "shared.ldsm.requests", (double)t->ldsm_requests, "requests");
    gr_section_number(section, "shared.ldsm.wavefronts", (double)t->ldsm_wavefronts, "wavefronts");
    gr_section_number(section, "shared.ldsm.wavefronts_ideal", (double)t->ldsm_wavefronts_ideal,
                      "wavefronts");
    gr_section_number(section, "shared.ldsm.conflicts", (double)conflicts, "wavefronts");
    if (t->ldsm_requests > 0)
        gr_section_printf(section, "  %-12s%15" PRId64 "%15" PRId64 "%15" PRId64 "%15" PRId64,
                          "  by LDSM", t->ldsm_requests, t->ldsm_wavefronts,
                          t->ldsm_wavefronts_ideal, conflicts);
    free(t);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const bool touches = gr_traced_touches(s->trace, GR_SPACE_SHARED);
    if (touches) {
        gr_section_printf(
            section,
            "A request takes %spasses over the %d banks of 4 bytes. Beyond the fewest "
            "that its bytes need, they are conflicts%s.\n",
            gr_input_is_amd(s) ? "" : "wavefronts: ", gr_rules_banks(&s->device->rules),
            s->device->cc ? "" : " (by the documents, no counter was read)");
        gr_section_printf(section, "  %-12s%15s%15s%15s%15s", "", "requests", name_of_pass(s),
                          "at best", "conflicts");
    } else {
        gr_section_printf(section, "The kernel uses no shared memory.");
    }
    gr_traced_rows(s, section, GR_SPACE_SHARED, add_facts, say_row);
    say_matrices(s, section);
    if (!touches)
        return;
    gr_section_printf(section, "%s", "");
    say_conflicts(s, section);
}

const struct gr_analysis gr_analysis_shared = {
    .order = 85, .title = "Shared memory", .applies = gr_traced_applies, .explain = explain};

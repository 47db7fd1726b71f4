/* analysis_coverage.c: reports how much of the launch was simulated, and therefore which counts are
 * exact. SPDX-License-Identifier: MIT */
#include "explain/traced.h"

#include <inttypes.h>

static const char *s_of(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_coverage(const struct gr_trace *t, struct gr_section *section)
{
    switch (t->coverage) {
    case GR_COVERAGE_WHOLE:
        gr_section_printf(section, "Exact: every block was traced, %" PRId64 " in all.", t->blocks);
        break;
    case GR_COVERAGE_CLASSES:
        gr_section_printf(
            section,
            "Exact: blocks that are alike make a class; one of each was traced and "
            "counted for all of its class, and others taken at random agreed: %" PRId64
            " of %" PRId64 " blocks.",
            t->blocks_traced, t->blocks);
        break;
    case GR_COVERAGE_SAMPLED:
        gr_section_printf(section,
                          "Sampled, never exact: blocks differ within their classes, and %" PRId64
                          " of %" PRId64
                          " were traced within the time limit. The counts below are extrapolated.",
                          t->blocks_traced, t->blocks);
        break;
    }
}

static void say_widths(const struct gr_trace *t, struct gr_section *section)
{
    int merged = 0;
    for (int i = 0; i < t->site_count; i++)
        merged += t->sites[i].bytes > t->sites[i].source_bytes && t->sites[i].source_bytes > 0;
    switch (t->widths) {
    case GR_WIDTHS_CUBIN:
        gr_section_printf(section,
                          "Widths of accesses are those of the machine code, line by line.");
        break;
    case GR_WIDTHS_CODE:
        gr_section_printf(section, "The machine code was executed: its accesses are counted as the "
                                   "GPU's compiler made them.");
        return;
    case GR_WIDTHS_MERGED:
        gr_section_printf(
            section,
            "Widths of accesses are a guess, because there is no machine code: neighbouring "
            "accesses of a thread count as one where ptxas would merge them.");
        break;
    case GR_WIDTHS_SOURCE:
        gr_section_printf(section,
                          "Widths of accesses are as the source writes them; ptxas may merge "
                          "neighbouring ones.");
        break;
    }
    if (merged > 0)
        gr_section_printf(section,
                          "%d access%s of the source %s counted wider than written, merged with "
                          "neighbours.",
                          merged, merged == 1 ? "" : "es", merged == 1 ? "is" : "are");
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_trace *t = s->trace;
    say_coverage(t, section);
    say_widths(t, section);
    if (t->barriers > 0)
        gr_section_printf(section, "Warps waited at %" PRId64 " barrier%s in all.", t->barriers,
                          s_of(t->barriers));
    gr_section_number(section, "blocks.total", (double)t->blocks, "");
    gr_section_number(section, "blocks.traced", (double)t->blocks_traced, "");
    gr_section_number(section, "blocks.classes", (double)t->classes, "");
    gr_section_word(section, "coverage", gr_coverage_name(t->coverage));
    gr_section_word(section, "widths", gr_widths_name(t->widths));
    gr_section_number(section, "barriers.waits", (double)t->barriers, "warps at a barrier");
}

const struct gr_analysis gr_analysis_coverage = {
    .order = 70, .title = "Simulated", .applies = gr_traced_applies, .explain = explain};

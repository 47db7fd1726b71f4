/* analysis_global.c: how well warps' accesses to global memory are coalesced.
 * SPDX-License-Identifier: MIT */
#include "explain/traced.h"

#include <inttypes.h>
#include <stdio.h>

static void add_facts(const struct gr_analysis_input *s, struct gr_section *section,
                      enum gr_access access, int array)
{
    struct gr_trace_sum sum = gr_trace_total(s->trace, GR_SPACE_GLOBAL, access, array);
    double requests = (double)sum.requests;
    gr_traced_fact(s, section, GR_SPACE_GLOBAL, access, array, "requests", requests, "requests");
    gr_traced_fact(s, section, GR_SPACE_GLOBAL, access, array, "sectors", (double)sum.sectors,
                   "sectors");
    if (sum.requests == 0)
        return;
    gr_traced_fact(s, section, GR_SPACE_GLOBAL, access, array, "sectors_per_request",
                   gr_traced_each(sum.sectors, sum.requests), "sectors a request");
    gr_traced_fact(s, section, GR_SPACE_GLOBAL, access, array, "sectors_per_request_ideal",
                   gr_traced_each(sum.sectors_ideal, sum.requests), "sectors a request");
}

static void say_row(const struct gr_analysis_input *s, struct gr_section *section,
                    enum gr_access access, int array)
{
    struct gr_trace_sum sum = gr_trace_total(s->trace, GR_SPACE_GLOBAL, access, array);
    char label[96];
    snprintf(label, sizeof label, "%s%s", array < 0 ? "" : "  ",
             array < 0 ? gr_traced_title(access) : s->trace->arrays[array].name);
    gr_section_printf(section, "  %-20.20s%15" PRId64 "%16" PRId64 "%12.2f%9.2f", label,
                      sum.requests, sum.sectors, gr_traced_each(sum.sectors, sum.requests),
                      gr_traced_each(gr_traced_best(sum.sectors, sum.sectors_ideal), sum.requests));
}

/* Lists the arrays that need more sectors than their contiguous bytes would. */
static void say_waste(const struct gr_analysis_input *s, struct gr_section *section)
{
    static const char *const names[] = {"Loads", "Stores", "Atomics", "Copies"};
    const struct gr_trace *t = s->trace;
    bool any = false;
    for (int access = 0; access < GR_ACCESS_COUNT; access++)
        for (int i = 0; i < t->array_count; i++) {
            struct gr_trace_sum sum = gr_trace_total(t, GR_SPACE_GLOBAL, access, i);
            if ((double)sum.sectors <= 1.05 * (double)sum.sectors_ideal)
                continue;
            any = true;
            gr_section_printf(section,
                              "%s of %s: the requested bytes would fill %.3g of the %.3g sectors a "
                              "request if they were contiguous: %.1f %% of what is moved.",
                              names[access], t->arrays[i].name,
                              gr_traced_each(sum.sectors_ideal, sum.requests),
                              gr_traced_each(sum.sectors, sum.requests),
                              100 * gr_traced_each(sum.sectors_ideal, sum.sectors));
        }
    if (!any)
        gr_section_printf(
            section,
            "No array costs more sectors than its bytes would fill if they were contiguous.");
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const bool touches = gr_traced_touches(s->trace, GR_SPACE_GLOBAL);
    if (touches) {
        gr_section_printf(
            section,
            "A request is one access executed by one warp. It moves "
            "sectors of %d bytes%s; best is the fewest that hold the requested bytes.\n",
            gr_rules_sector(&s->device->rules),
            s->device->cc ? "" : " (cache lines; by the documents, no counter was read)");
        gr_section_printf(section, "  %-20s%15s%16s%12s%9s", "", "requests", "sectors", "a request",
                          "at best");
    } else {
        gr_section_printf(section, "The kernel accesses no global memory.");
    }
    gr_traced_rows(s, section, GR_SPACE_GLOBAL, add_facts, say_row);
    if (!touches)
        return;
    gr_section_printf(section, "%s", "");
    say_waste(s, section);
}

const struct gr_analysis gr_analysis_global = {
    .order = 80, .title = "Global memory", .applies = gr_traced_applies, .explain = explain};

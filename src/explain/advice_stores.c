/* advice_stores.c: stores of a warp that are not coalesced.
 *
 * The thresholds are those of advice_coalescing.c; the remedies differ. A thread that has
 * several neighbouring results stores them one by one, so the stores of adjacent lanes are that
 * many elements apart. A 16-byte store, another distribution of the tile over the threads, or a
 * transposition through shared memory makes the warp's stores contiguous. Saves: the load/store
 * bound (advise.h). Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <stdlib.h>

static bool applies(const struct gr_trace_site *p, const struct gr_lanes *lanes, double all)
{
    return p->space == GR_SPACE_GLOBAL && p->access == GR_ACCESS_STORE && p->requests > 0 &&
           p->sectors_ideal > 0 && (double)p->sectors >= 1.5 * (double)p->sectors_ideal &&
           gr_place_excess(p) >= all / 64 &&
           2 * lanes->sectors_if_aligned >= 3 * lanes->sectors_side_by_side;
}

static const char *remedy(const struct gr_analysis_input *s, const struct gr_trace_site *p,
                          int64_t apart, bool rows)
{
    if (rows && gr_kernel_has_workload(s->variant->kernel))
        return "let neighbouring threads store neighbouring columns, from a tile in shared memory "
               "if the loads need another order";
    if (rows && gr_results_a_thread(s) < 2)
        return "let threadIdx.x walk the columns of C";
    if (!rows && p->bytes < 16 && apart <= 8 * p->bytes)
        return "store a thread's neighbouring results 16 bytes at a time";
    if (!rows && p->bytes >= 16)
        return "give a thread its results in pieces of 16 bytes, and let neighbouring threads have "
               "neighbouring pieces";
    return "collect the tile in shared memory first, and let neighbouring threads store "
           "neighbouring "
           "columns";
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, const struct gr_lanes *lanes,
                   struct gr_findings *findings)
{
    const char *array = gr_place_array(s, p);
    int64_t row = gr_row_bytes(s, gr_trace_array_of(s->trace, p)), apart = llabs(lanes->stride);
    int touched = gr_lanes_rows(p, row);
    double requests = (double)p->requests;
    struct gr_gain gain = {(double)p->sectors / requests, (double)p->sectors_ideal / requests,
                           "sectors a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    struct gr_count_text now = gr_count_text(gain.now), fixed = gr_count_text(gain.fixed);
    bool rows = touched > 1 && lanes->distinct < 4 * touched;
    bool strided = lanes->period > 1 && apart > p->bytes;
    const char *todo = remedy(s, p, strided ? apart : row, rows);
    char aligned[160];
    if (!rows && strided && apart <= 16 && gr_unaligned_rows(s, p, aligned, sizeof aligned))
        todo = aligned;
    if (!rows && strided)
        gr_advise(findings, GR_FIND_COALESCING, p, &gain,
                  "neighbouring threads store to %s %lld bytes apart, %d bytes each: %s sectors a "
                  "request where %s would do; %s",
                  array, (long long)apart, p->bytes, now.text, fixed.text, todo);
    else if (rows)
        gr_advise(findings, GR_FIND_COALESCING, p, &gain,
                  "the %d threads of a warp store to %d rows of %s, %d bytes of each: %s sectors a "
                  "request where %s would do; %s",
                  lanes->active, touched, array, p->bytes * lanes->distinct / touched, now.text,
                  fixed.text, todo);
    else
        gr_advise(
            findings, GR_FIND_COALESCING, p, &gain,
            "the %d threads of a warp store to %s in %d separate pieces: %s sectors a request "
            "where %s would do; %s",
            lanes->active, array, lanes->pieces, now.text, fixed.text, todo);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++) {
        struct gr_lanes lanes = gr_lanes_of(&places[i]);
        if (applies(&places[i], &lanes, all))
            report(s, sections, &places[i], &lanes, findings);
    }
    free(places);
}

const struct gr_advice gr_advice_stores = {
    .name = "stores",
    .kind = GR_FIND_COALESCING,
    .reports = "a warp's stores access 1.5 times the sectors that their bytes need, because of "
               "their pattern",
    .needs = "trace",
    .look = look,
};

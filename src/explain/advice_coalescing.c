/* advice_coalescing.c: loads of a warp that are not coalesced.
 *
 * The rule reports lines whose requests access at least 1.5 times the sectors that the
 * same bytes would need if they were contiguous, unless only their alignment is wrong
 * (advice_leading.c). The threshold is 1.5 because a warp that reads short pieces of two rows
 * may need one sector in five more without a problem, while using less than two thirds of each
 * sector is a wrong pattern. A line that takes less than 1/64 of the kernel's load/store clocks
 * is not reported, since a fix could not be measured. Saves: the load/store bound (advise.h).
 * Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <stdlib.h>

static bool applies(const struct gr_trace_site *p, const struct gr_lanes *lanes, double all)
{
    return p->space == GR_SPACE_GLOBAL &&
           (p->access == GR_ACCESS_LOAD || p->access == GR_ACCESS_COPY) && p->requests > 0 &&
           p->sectors_ideal > 0 && (double)p->sectors >= 1.5 * (double)p->sectors_ideal &&
           gr_place_excess(p) >= all / 64 &&
           2 * lanes->sectors_if_aligned >= 3 * lanes->sectors_side_by_side;
}

/* A thread's own elements are contiguous, so that it could load several at once. */
static bool fits_vector(const struct gr_trace_site *p, const struct gr_lanes *lanes)
{
    return lanes->shape == GR_LANES_STRIDE && lanes->stride > p->bytes && lanes->stride <= 16 &&
           16 % lanes->stride == 0;
}

/* A row of A and a column of op(B) both run along k in memory, as in x * w^T. */
static bool both_along_k(const struct gr_analysis_input *s)
{
    return gr_input_multiplies(s) && !s->problem->trans_a && s->problem->trans_b;
}

/* What a kernel without shared memory can do if a warp reads many rows of an operand. Neighbouring
 * columns of C have contiguous loads only if B is contiguous along n, and a fragment's elements
 * belong to the lanes that the instruction says. */
static const char *remedy_without_shared(const struct gr_analysis_input *s)
{
    if (s->uses_tensor_cores)
        return "the instruction says which lane holds which elements of a fragment: copy a tile "
               "into shared memory first, with neighbouring threads at neighbouring 16 bytes of a "
               "row, and load the fragments from there";
    if (both_along_k(s))
        return "A and B are both contiguous along k, so that no order of the threads over C makes "
               "the loads of both contiguous: load tiles into shared memory, with threadIdx.x "
               "along k, and multiply from there";
    if (s->launch && s->launch->block[1] == 1 && s->launch->block[2] == 1)
        return "let neighbouring threads make neighbouring columns of C: take the column as the "
               "remainder and the row as the quotient of the thread's number";
    return "threadIdx.x counts fastest along a warp, so let it walk the columns: swap x and y, "
           "or make the block a line of threads and take row and column as quotient and "
           "remainder";
}

static const char *remedy(const struct gr_analysis_input *s, const struct gr_trace_site *p,
                          const struct gr_lanes *lanes, bool rows)
{
    if (fits_vector(p, lanes))
        return "let each thread read its neighbouring elements at once, as one vector, or let "
               "neighbouring threads read neighbouring elements";
    if (rows && !gr_uses_shared(s))
        return remedy_without_shared(s);
    if (rows && lanes->shape == GR_LANES_GROUPS && p->rules.sector_bytes > 0)
        return "let more neighbouring threads share a row: a cache line of it at least, with "
               "column = threadIdx.x % BK";
    if (rows && lanes->shape == GR_LANES_GROUPS)
        return "let more neighbouring threads share a row: 32 bytes of it (BK of 8 floats) at "
               "least, "
               "with column = threadIdx.x % BK";
    if (rows)
        return "let neighbouring threads load neighbouring columns of the tile: column = "
               "threadIdx.x % BK, row = threadIdx.x / BK";
    return "let neighbouring threads read neighbouring elements";
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, const struct gr_lanes *lanes,
                   struct gr_findings *findings)
{
    const char *array = gr_place_array(s, p);
    int64_t row = gr_row_bytes(s, gr_trace_array_of(s->trace, p));
    int touched = gr_lanes_rows(p, row), bytes = p->bytes * lanes->distinct;
    double requests = (double)p->requests;
    struct gr_gain gain = {(double)p->sectors / requests, (double)p->sectors_ideal / requests,
                           "sectors a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    struct gr_count_text now = gr_count_text(gain.now), fixed = gr_count_text(gain.fixed);
    bool rows = touched > 1 && lanes->distinct < 8 * touched;
    const char *todo = remedy(s, p, lanes, rows);
    char aligned[160];
    if (p->bytes < 16 && gr_uses_shared(s) && gr_unaligned_rows(s, p, aligned, sizeof aligned))
        todo = aligned;
    if (rows)
        gr_advise(findings, GR_FIND_COALESCING, p, &gain,
                  "the %d threads of a warp read %d rows of %s, %d bytes of each: %s sectors a "
                  "request where %s would do; %s",
                  lanes->active, touched, array, bytes / touched, now.text, fixed.text, todo);
    else if (lanes->shape == GR_LANES_STRIDE)
        gr_advise(findings, GR_FIND_COALESCING, p, &gain,
                  "neighbouring threads read %s %lld bytes apart and use %d of them: %s sectors a "
                  "request where %s would do; %s",
                  array, (long long)llabs(lanes->stride), p->bytes, now.text, fixed.text, todo);
    else
        gr_advise(findings, GR_FIND_COALESCING, p, &gain,
                  "the %d threads of a warp read %s in %d separate pieces: %s sectors a request "
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

const struct gr_advice gr_advice_coalescing = {
    .name = "coalescing",
    .kind = GR_FIND_COALESCING,
    .reports = "a warp's loads access 1.5 times the sectors that their bytes need, because of "
               "their pattern",
    .needs = "trace",
    .look = look,
};

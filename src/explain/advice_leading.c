/* advice_leading.c: rows that do not begin at a multiple of 32 bytes, so that each piece of them
 * needs one more sector.
 *
 * The rule reports lines whose requests access at least 1.15 times the sectors that their bytes
 * need, if the most expensive request would need at most 1.25 times as many with each of its
 * pieces aligned to 32 bytes: then the alignment of the rows is the problem, not the pattern.
 * The threshold is 1.15 because misalignment costs one sector in four for 128 contiguous bytes,
 * and affects 7 of 8 rows. The cause is the problem rather than the kernel: with leading
 * dimensions that are multiples of 32 bytes nothing is reported. Saves: the load/store bound
 * (advise.h). Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <inttypes.h>
#include <stdlib.h>

static bool applies(const struct gr_analysis_input *s, const struct gr_trace_site *p, double all)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    int64_t row = gr_row_bytes(s, gr_trace_array_of(s->trace, p));
    return p->space == GR_SPACE_GLOBAL && p->access != GR_ACCESS_ATOMIC && p->requests > 0 &&
           row % gr_rules_sector(&p->rules) != 0 &&
           (double)p->sectors >= 1.15 * (double)p->sectors_ideal &&
           gr_place_excess(p) >= all / 64 && lanes.sectors > lanes.sectors_if_aligned &&
           4 * lanes.sectors_if_aligned <= 5 * lanes.sectors_side_by_side;
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, struct gr_findings *findings)
{
    const struct gr_trace_array *array = gr_trace_array_of(s->trace, p);
    int64_t element = array->element_bytes, row = gr_row_bytes(s, array);
    const int sector = gr_rules_sector(&p->rules);
    int64_t unit = sector / element, ld = row / element;
    double requests = (double)p->requests;
    struct gr_gain gain = {(double)p->sectors / requests, (double)p->sectors_ideal / requests,
                           "sectors a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    gr_advise(findings, GR_FIND_COALESCING, p, &gain,
              "rows of %s are %" PRId64
              " bytes apart, no multiple of %d, so pieces of them straddle "
              "sectors: %s a request where %s would do; pad the leading dimension to a multiple of "
              "%" PRId64 ", from %" PRId64 " to %" PRId64,
              array->name, row, sector, gr_count_text(gain.now).text,
              gr_count_text(gain.fixed).text, unit, ld, (ld + unit - 1) / unit * unit);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++)
        if (applies(s, &places[i], all))
            report(s, sections, &places[i], findings);
    free(places);
}

const struct gr_advice gr_advice_leading = {
    .name = "leading",
    .kind = GR_FIND_COALESCING,
    .reports = "rows do not begin at a multiple of 32 bytes, and that costs 15 % of the sectors",
    .needs = "trace",
    .look = look,
};

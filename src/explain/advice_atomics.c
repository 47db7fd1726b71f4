/* advice_atomics.c: atomic operations of a warp on one element, or on scattered elements.
 *
 * Atomics on one address are serialized: 32 lanes that add to one element take 32 steps, where a
 * sum over the warp (__shfl_down_sync) and one atomic would do. The rule reports a line if at
 * least 4 lanes share an address, on average, in its most expensive request (2 or 3 may be
 * chance), or if a request accesses 1.5 times the sectors that it needs, as for loads
 * (advice_coalescing.c); and if the line takes at least 1/64 of the load/store clocks, with
 * serialized atomics counted one by one. Saves: the load/store bound (advise.h), without the
 * additional cost of atomics in L2. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <stdlib.h>

enum { SHARED_BY = 4 };

/* The average number of lanes for each distinct address. */
static double fold_of(const struct gr_trace_site *p)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    return lanes.distinct > 0 ? (double)lanes.active / lanes.distinct : 0;
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, struct gr_findings *findings)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    double requests = (double)p->requests, fold = fold_of(p);
    const char *array = gr_place_array(s, p);
    if (fold >= SHARED_BY) {
        struct gr_gain gain = {lanes.active, lanes.distinct, "atomics a request", 0};
        gr_advise(findings, GR_FIND_ATOMICS, p, &gain,
                  "%d threads of a warp add to %d element%s of %s, one after the other; sum within "
                  "the warp first (__shfl_down_sync), and let one thread add the sum",
                  lanes.active, lanes.distinct, lanes.distinct == 1 ? "" : "s", array);
        return;
    }
    if (p->space != GR_SPACE_GLOBAL || p->sectors_ideal == 0 ||
        (double)p->sectors < 1.5 * (double)p->sectors_ideal)
        return;
    struct gr_gain gain = {(double)p->sectors / requests, (double)p->sectors_ideal / requests,
                           "sectors a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    gr_advise(findings, GR_FIND_ATOMICS, p, &gain,
              "the atomics of a warp on %s are not contiguous: %s sectors a request where %s would "
              "do; let "
              "neighbouring threads add to neighbouring elements",
              array, gr_count_text(gain.now).text, gr_count_text(gain.fixed).text);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++)
        if (places[i].access == GR_ACCESS_ATOMIC && places[i].requests > 0 &&
            fold_of(&places[i]) * gr_place_clocks(&places[i]) >= all / 64)
            report(s, sections, &places[i], findings);
    free(places);
}

const struct gr_advice gr_advice_atomics = {
    .name = "atomics",
    .kind = GR_FIND_ATOMICS,
    .reports = "4 lanes or more add to one element, or the atomics of a warp are not contiguous",
    .needs = "trace",
    .look = look,
};

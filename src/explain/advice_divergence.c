/* advice_divergence.c: requests in which many lanes of the warp are inactive.
 *
 * The rule reports lines where fewer than 3 of 4 lanes are active both on average and in the
 * most expensive request. Edges of the matrix do not trigger it, because the most expensive
 * request is one of a full tile if there is one. The line must take at least 1/8 of the kernel's
 * load/store clocks, since a last warp that loads the rest of a tile does no harm. A grid of one
 * block is not reported, because it may consist of edges only. Saves: the load/store bound
 * (advise.h), if full warps made the same accesses. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <stdlib.h>

static bool applies(const struct gr_analysis_input *s, const struct gr_trace_site *p, double all)
{
    double warp = gr_advice_warp(s);
    return p->space != GR_SPACE_OTHER && p->requests > 0 && s->trace->blocks > 1 &&
           (double)p->lanes < 0.75 * warp * (double)p->requests &&
           gr_lanes_of(p).active < 0.75 * warp && gr_place_clocks(p) >= all / 8;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s), warp = gr_advice_warp(s);
    for (int i = 0; i < count; i++) {
        const struct gr_trace_site *p = &places[i];
        if (!applies(s, p, all))
            continue;
        double lanes = (double)p->lanes / (double)p->requests;
        bool odd = s->launch && gr_input_threads(s) % gr_advice_warp(s) != 0;
        struct gr_gain gain = {lanes, warp, "threads a request",
                               gr_gain_lsu(s, sections, gr_place_clocks(p) * (1 - lanes / warp))};
        gr_advise(
            findings, GR_FIND_DIVERGENCE, p, &gain,
            "of the %s threads of a warp, %s take part when %s is %s, and the others wait; %s",
            gr_count_text(warp).text, gr_count_text(lanes).text, gr_place_array(s, p),
            p->access == GR_ACCESS_STORE ? "written" : "read",
            odd ? "make the block a whole number of warps"
                : "distribute the work so that whole warps do it, and let conditions differ "
                  "between warps, not within one");
    }
    free(places);
}

const struct gr_advice gr_advice_divergence = {
    .name = "divergence",
    .kind = GR_FIND_DIVERGENCE,
    .reports = "on average a quarter or more of a warp's lanes take no part in expensive requests",
    .needs = "trace",
    .look = look,
};

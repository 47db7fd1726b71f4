/* advice_width.c: narrow contiguous loads of global memory, where 16-byte vector loads are
 * possible.
 *
 * The rule reports lines that read an operand with less than 16 bytes per thread, contiguous
 * over at least 16 bytes of the warp, in a kernel whose threads each load several elements (a
 * tile with more elements than threads). Together they must take at least 1/32 of the kernel's
 * load/store clocks: rung 08 is 4 % faster than 07, where they take 1/28, and a smaller gain is
 * within the variation of measurements. In a kernel with one thread per element of C and no
 * tile, vector loads are not the next step, and nothing is reported. Saves: the load/store bound
 * (advise.h), by three of four of these requests. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"

#include <stdlib.h>

static bool narrow(const struct gr_analysis_input *s, const struct gr_trace_site *p)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    int64_t run = lanes.pieces > 0 ? (int64_t)lanes.distinct * p->bytes / lanes.pieces : 0;
    return p->space == GR_SPACE_GLOBAL && p->bytes < 16 && run >= 16 && lanes.distinct > 1 &&
           gr_array_is_input(s, gr_trace_array_of(s->trace, p)) && p->access == GR_ACCESS_LOAD;
}

/* The elements of the tile that a thread loads at once, from the number of its loads between two
 * barriers. */
static bool loads_several(const struct gr_analysis_input *s, double requests)
{
    double barriers = (double)s->trace->barriers;
    return barriers > 0 && requests / barriers >= 2;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count, found = 0;
    struct gr_trace_site *places = gr_places(s, &count);
    const struct gr_trace_site *worst = NULL;
    double requests = 0, spared = 0, all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++) {
        if (!narrow(s, &places[i]))
            continue;
        worst = worst ? worst : &places[i];
        requests += (double)places[i].requests;
        spared += (double)places[i].requests * (1 - places[i].bytes / 16.0);
        found++;
    }
    if (worst && requests >= all / 32 && loads_several(s, requests)) {
        int fold = 16 / worst->bytes;
        struct gr_gain gain = {requests, requests - spared, "requests",
                               gr_gain_lsu(s, sections, spared)};
        gr_advise(
            findings, GR_FIND_WIDTH, worst, &gain,
            "%s is read %d bytes a thread and request%s, although its neighbours are needed too: "
            "%d loads where one of 16 bytes would do; read (and store to shared memory) a "
            "%s at a time, and require rows that are aligned to 16 bytes",
            gr_place_array(s, worst), worst->bytes, found > 1 ? " (and so are other places)" : "",
            fold,
            worst->bytes == 8   ? "double2"
            : worst->bytes == 4 ? "float4"
                                : "vector of 16 bytes");
    }
    free(places);
}

const struct gr_advice gr_advice_width = {
    .name = "width",
    .kind = GR_FIND_WIDTH,
    .reports = "a tile is loaded with less than 16 bytes per thread and access, and that costs "
               "1/32 of the clocks",
    .needs = "trace",
    .look = look,
};

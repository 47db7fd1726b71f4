/* advice_latency.c: a tile is loaded and waited for while too few other warps can multiply.
 *
 * The rule looks for a kernel that loads from global memory and stores the data to shared memory
 * without multiply-adds in between: in its source the stores to shared memory are above the
 * loads from it (in a kernel that prefetches, the tile in registers is stored below the
 * multiply-adds), and it has no asynchronous copies. It is reported if an SM holds at most a
 * quarter of its warps. That is 4 per scheduler, and a tile takes about 600 clocks to arrive,
 * which 4 warps do not fill; without prefetching, rung 10 reaches 24 TFLOP/s on an H200, and 41
 * with it (docs/ladder/10.md). If helper functions above the kernel do the stores, the order is
 * unknown and nothing is reported. Saves: unknown, since no bound includes latency. Needs a
 * trace, compiled code and a launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "model/occupancy.h"

#include <stdlib.h>

enum { FIRST_ASYNC_CC = 80 };

/* Line numbers in the kernel's own file; 0: no such access. */
struct order {
    int first_load, last_store; /* of shared memory */
    bool fetches, copies;
    const struct gr_trace_site *store;
};

static struct order order_of(const struct gr_analysis_input *s, const struct gr_trace_site *places,
                             int count)
{
    struct order o = {0};
    for (int i = 0; i < count; i++) {
        const struct gr_trace_site *p = &places[i];
        bool here = !p->file[0] && p->line >= s->stanza->signature.line;
        o.copies |= p->access == GR_ACCESS_COPY;
        o.fetches |= p->space == GR_SPACE_GLOBAL && p->access == GR_ACCESS_LOAD;
        if (p->space != GR_SPACE_SHARED || !here)
            continue;
        if (p->access == GR_ACCESS_STORE && p->line > o.last_store) {
            o.last_store = p->line;
            o.store = p;
        }
        if (p->access == GR_ACCESS_LOAD && (o.first_load == 0 || p->line < o.first_load))
            o.first_load = p->line;
    }
    return o;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    double warps = 0, share = 1;
    struct gr_trace_site *places = gr_places(s, &count);
    struct order o = order_of(s, places, count);
    if (o.store && o.fetches && !o.copies && o.first_load > o.last_store && s->launch &&
        gr_input_multiplies(s) && gr_advice_fact(s, sections, "occupancy", &share) &&
        gr_advice_fact(s, sections, "occupancy.warps", &warps) && share > 0 && share <= 0.25) {
        struct gr_gain gain = {0, 0, NULL, 0};
        gr_advise(findings, GR_FIND_LATENCY, o.store, &gain,
                  "the tile is requested, waited for and only then multiplied, and the %s warps of "
                  "an SM are too few to fill that time; request the next tile before this one is "
                  "multiplied: into registers that are stored after it%s",
                  gr_count_text(warps).text,
                  s->device->cc >= FIRST_ASYNC_CC ? ", or with cp.async into a second buffer" : "");
    }
    free(places);
}

const struct gr_advice gr_advice_latency = {
    .name = "latency",
    .kind = GR_FIND_LATENCY,
    .reports = "a kernel waits for each tile before it multiplies, and the SM holds at most a "
               "quarter of its warps, too few to fill that time",
    .needs = "trace, code, launch",
    .look = look,
};

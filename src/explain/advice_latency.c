/* advice_latency.c: a tile that is asked for and waited for, with too few other warps to multiply
 * meanwhile.
 *
 * Looks for a kernel that loads global memory and stores the same to shared memory with no
 * multiply-add in between: its stores to shared memory stand above its loads from it (in one that
 * fetches ahead, the tile in registers is stored below the multiply-adds), and it has no
 * asynchronous copies. Fires where an SM holds at most a quarter of its warps: that is 4 a
 * scheduler, and a tile takes some 600 clocks to come, which 4 warps do not fill; rung 10 without
 * its fetching ahead makes 24 TFLOP/s on an H200, and 41 with it (docs/ladder/10.md). Stores from
 * helper functions above the kernel tell nothing of the order, and it is silent then. Saves: not
 * known; latency is in no bound. Needs a trace, compiled code and a launch.
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "model/occupancy.h"

#include <stdlib.h>

enum { FIRST_ASYNC_CC = 80 };

/* The order in the text of the kernel itself: 0 stands for none. */
struct order {
    int first_load, last_store; /* of shared memory */
    bool fetches, copies;
    const struct gr_trace_site *store;
};

static struct order order_of(const struct gr_specimen *s, const struct gr_trace_site *places,
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

static void look(const struct gr_specimen *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    double warps = 0, share = 1;
    struct gr_trace_site *places = gr_places(s, &count);
    struct order o = order_of(s, places, count);
    if (o.store && o.fetches && !o.copies && o.first_load > o.last_store && s->launch &&
        gr_specimen_multiplies(s) && gr_advice_fact(s, sections, "occupancy", &share) &&
        gr_advice_fact(s, sections, "occupancy.warps", &warps) && share > 0 && share <= 0.25) {
        struct gr_gain gain = {0, 0, NULL, 0};
        gr_advise(findings, GR_FIND_LATENCY, o.store, &gain,
                  "the tile is asked for, waited for and only then multiplied, and the %s warps of "
                  "an SM are too few to fill that time; ask for the next tile before this one is "
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

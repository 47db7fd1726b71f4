/* traffic.c: sums the bytes over the sites and arrays of a trace. SPDX-License-Identifier: MIT */
#include "explain/traffic.h"

#include "explain/passes.h"
#include "explain/traced.h"

struct gr_traffic gr_traffic_of(const struct gr_trace *t)
{
    struct gr_traffic f = {0};
    for (int access = 0; access < GR_ACCESS_COUNT; access++) {
        struct gr_trace_sum global = gr_trace_total(t, GR_SPACE_GLOBAL, access, -1);
        struct gr_trace_sum shared = gr_trace_total(t, GR_SPACE_SHARED, access, -1);
        f.requested += (double)global.bytes;
        f.shared += (double)shared.bytes;
    }
    for (int i = 0; i < t->site_count; i++)
        if (t->sites[i].space == GR_SPACE_GLOBAL)
            f.l1 += (double)t->sites[i].sectors * gr_rules_sector(&t->sites[i].rules);
    for (int i = 0; i < t->site_count; i++)
        f.passes += gr_passes_least(&t->sites[i], t->warp);
    for (int i = 0; i < t->array_count; i++) {
        if (t->arrays[i].space != GR_SPACE_GLOBAL)
            continue;
        f.block += (double)t->arrays[i].block_distinct_bytes;
        f.grid += (double)t->arrays[i].distinct_bytes;
    }
    return f;
}

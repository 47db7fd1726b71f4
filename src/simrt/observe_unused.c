/* observe_unused.c: arrays that are written and never read. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    (void)t;
    if (!q->array)
        return;
    struct gr_array *a = (struct gr_array *)q->array;
    if (q->access != GR_ACCESS_STORE && q->access != GR_TRACE_ARRIVES)
        a->loaded = 1;
    if (q->access != GR_ACCESS_LOAD && q->access != GR_ACCESS_COPY)
        a->stored = 1;
}

/* Dynamic shared memory is one array to us, whatever the kernel divides it into. */
static void done(struct gr_run *run)
{
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        if (a->space != GR_SPACE_SHARED || !a->stored || a->loaded)
            continue;
        struct gr_tracer none = {.run = run};
        struct gr_fault_at fault = {
            .kind = GR_FAULT_UNUSED, .thread = -1, .other = -1, .writes = true, .array = a};
        for (int s = 0; s < run->site_count && !fault.code; s++)
            if (run->sites[s].array == i && run->sites[s].space == GR_SPACE_SHARED)
                fault.code = run->sites[s].code;
        gr_fault_report(&none, &fault);
    }
}

const struct gr_observer gr_observe_unused = {.request = request, .done = done};

/* observe_uninitialised.c: finds reads of global memory that was never written: C if beta is 0, or
 * a work buffer. For shared memory observe_races.c does this. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <string.h>

static void global(struct gr_tracer *t, const struct gr_request *q)
{
    if (!q->array || !q->array->written)
        return;
    bool reads =
        q->access == GR_ACCESS_LOAD || q->access == GR_ACCESS_COPY || q->access == GR_ACCESS_ATOMIC;
    for (int i = 0; i < q->lanes; i++) {
        if (q->address[i] < q->array->lo || q->address[i] + (uint64_t)q->bytes > q->array->hi)
            continue;
        uint64_t from = (q->address[i] - q->array->lo) / 4;
        uint64_t to = (q->address[i] + (uint64_t)q->bytes - 1 - q->array->lo) / 4;
        for (uint64_t word = from; word <= to; word++) {
            if (reads && !gr_marked(&q->array->written[word])) {
                const struct gr_fault_at fault = {.kind = GR_FIND_UNINITIALISED,
                                                  .code = q->site->code,
                                                  .thread = q->first_thread + q->lane[i],
                                                  .other = -1,
                                                  .array = q->array,
                                                  .address = q->address[i]};
                gr_mark(&((struct gr_array *)q->array)->read_early, 1);
                gr_fault_report(t, &fault);
            }
            if (q->access != GR_ACCESS_LOAD && q->access != GR_ACCESS_COPY)
                gr_mark(&q->array->written[word], t->run->mark);
        }
    }
}

const struct gr_observer gr_observe_uninitialised = {.global = global};

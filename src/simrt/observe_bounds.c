/* observe_bounds.c: finds accesses outside the intended array. There are gaps between arrays, so
 * that such an access is in no array unless it is off by more than a gap.
 * SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

/* A GPU's compiler merges accesses to adjacent variables of shared memory if there are no gaps
 * between them. */
static bool is_in_neighbours(const struct gr_tracer *t, const struct gr_request *q,
                             uint64_t address)
{
    const uint64_t last = address + (uint64_t)q->bytes - 1;
    return t->run->job->lockstep && q->space == GR_SPACE_SHARED &&
           gr_array_find(q->space, address, address + 1) && gr_array_find(q->space, last, last + 1);
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->array && q->lowest >= q->array->lo && q->end <= q->array->hi)
        return;
    for (int i = 0; i < q->lanes; i++) {
        const uint64_t address = q->address[i];
        const int bytes = q->kept ? q->kept[q->lane[i]] : q->bytes;
        if (gr_array_find(q->space, address, address + (uint64_t)bytes) ||
            is_in_neighbours(t, q, address))
            continue;
        bool writes = q->access != GR_ACCESS_LOAD && q->access != GR_ACCESS_COPY;
        const struct gr_fault_at fault = {.kind = GR_FIND_BOUNDS,
                                          .code = q->site->code,
                                          .thread = q->first_thread + q->lane[i],
                                          .other = -1,
                                          .writes = writes,
                                          .array = q->array,
                                          .address = address};
        gr_fault_report(t, &fault);
    }
}

const struct gr_observer gr_observe_bounds = {.global = request, .shared = request};

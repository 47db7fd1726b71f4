/* observe_planted.c: an observer that is added by the test of "one file". It reports every store to
 * global memory, with the kind of finding that is added, too. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

static void global(struct gr_tracer *t, const struct gr_request *q)
{
    const struct gr_fault_at fault = {.kind = GR_FIND_PLANTED_KIND,
                                      .code = q->site->code,
                                      .thread = q->first_thread + q->lane[0],
                                      .other = -1,
                                      .writes = true,
                                      .array = q->array,
                                      .address = q->address[0]};
    if (q->access == GR_ACCESS_STORE)
        gr_fault_report(t, &fault);
}

const struct gr_observer gr_observe_planted = {.global = global};

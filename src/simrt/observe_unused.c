/* observe_unused.c: finds arrays that are written and never read. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    (void)t;
    if (!q->array)
        return;
    struct gr_array *a = (struct gr_array *)q->array;
    if (q->access != GR_ACCESS_STORE && q->access != GR_TRACE_ARRIVES) {
        gr_mark(&a->loaded, 1);
        gr_mark(&a->ever_loaded, 1);
    }
    if (q->access != GR_ACCESS_LOAD && q->access != GR_ACCESS_COPY) {
        gr_mark(&a->stored, 1);
        gr_mark(&a->ever_stored, 1);
        if (!a->store_code)
            a->store_code = q->site->code;
    }
}

/* Can no later launch read the array? Shared memory ends with its launch, a work buffer with the
 * last launch. A, B and C belong to the caller.
 */
static bool is_over(const struct gr_run *run, int array)
{
    enum { OPERANDS = 3 };
    if (gr_arrays[array].space == GR_SPACE_SHARED)
        return true;
    return array >= OPERANDS && run->launch == &run->job->launches[run->job->launch_count - 1];
}

/* Dynamic shared memory counts as one array, however the kernel divides it. */
static void report(struct gr_run *run)
{
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        bool shared = a->space == GR_SPACE_SHARED;
        if (!is_over(run, i) || !(shared ? a->stored : a->ever_stored) ||
            (shared ? a->loaded : a->ever_loaded))
            continue;
        struct gr_tracer none = {.run = run};
        const struct gr_fault_at fault = {.kind = GR_FIND_UNUSED,
                                          .code = a->store_code,
                                          .thread = -1,
                                          .other = -1,
                                          .writes = true,
                                          .array = a};
        gr_fault_report(&none, &fault);
    }
}

/* Nothing is reported if a thread was abandoned, since it might have read the array. */
static void done(struct gr_run *run)
{
    if (!run->abandoned)
        report(run);
}

const struct gr_observer gr_observe_unused = {.global = request, .shared = request, .done = done};

/* loop_mark.c: what a traced kernel calls at the mark of a loop's next iteration (sim/loop_marks.c)
 * when its buffer of records is full. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <stddef.h>

_Static_assert(offsetof(struct gr_hot, cursor) == 16 && offsetof(struct gr_hot, end) == 24,
               "sim/loop_marks.c depends on these offsets");
_Static_assert(offsetof(struct gr_record, code) == 8 && offsetof(struct gr_record, bytes) == 12 &&
                   offsetof(struct gr_record, access) == 13 && sizeof(struct gr_record) == 16,
               "sim/loop_marks.c depends on these offsets");
_Static_assert(GR_TRACE_ITERATION == 5, "sim/loop_marks.c depends on this value");

void gr_trace_full(void);
__attribute__((visibility("hidden"))) void gr_trace_full(void)
{
    gr_sm_yield(GR_FIBER_FULL);
}

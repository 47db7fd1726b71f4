/* fault.h: records where a kernel accessed memory out of bounds, so that its row can say "read 4
 * bytes past the end of B". SPDX-License-Identifier: MIT */
#ifndef MEASURE_FAULT_H
#define MEASURE_FAULT_H

#include "measure/protocol.h"
#include "measure/work_guard.h"

/* From now on, at SIGSEGV or SIGBUS the faulting address is stored in the mailbox as a place in
 * the arena or beside a `work` buffer. The process then dies of the signal as usual. */
void gr_fault_watch(const struct gr_arena *arena, const struct gr_work_guard *work,
                    struct gr_mailbox *mailbox);

#endif

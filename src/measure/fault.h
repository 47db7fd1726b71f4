/* fault.h: where a kernel touched what it may not. SPDX-License-Identifier: MIT */
#ifndef MEASURE_FAULT_H
#define MEASURE_FAULT_H

#include "measure/protocol.h"

/* From now on a SIGSEGV or SIGBUS leaves its address, as a place in the arena, in the mailbox; then
 * the process dies of it as it would have. */
void gr_fault_watch(const struct gr_arena *arena, struct gr_mailbox *mailbox);

#endif

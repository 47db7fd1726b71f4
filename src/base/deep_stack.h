/* deep_stack.h: runs a function on a deep stack, even if the stack of this process is limited;
 * NVIDIA's run-time compiler needs one. SPDX-License-Identifier: MIT */
#ifndef BASE_DEEP_STACK_H
#define BASE_DEEP_STACK_H

#include <stdbool.h>

/* The usual limit of a process's stack, which compilers are tested with. */
enum { GR_DEEP_STACK_BYTES = 8 << 20 };

/* Runs work(with) and returns when it is done. If this process's stack may not grow to
 * GR_DEEP_STACK_BYTES (ulimit -s), a thread with a stack of that size runs it, with the signal mask
 * of the caller. False: it was not run, because there is no memory for such a stack. */
bool gr_run_on_deep_stack(void (*work)(void *), void *with);

#endif

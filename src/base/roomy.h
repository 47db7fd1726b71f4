/* roomy.h: work that needs a deep stack, whatever the stack of this process may grow to.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_ROOMY_H
#define BASE_ROOMY_H

#include <stdbool.h>

/* What stacks usually may grow to, which is what other people's compilers are made for. */
enum { GR_ROOMY_BYTES = 8 << 20 };

/* Does work(with), and returns when it is done: by a thread with a stack of GR_ROOMY_BYTES where
 * this process's own may not grow to that (ulimit -s), else at once. False: nothing was done, since
 * there is no room for such a stack. The thread has the signal mask of its caller. */
bool gr_roomy_run(void (*work)(void *), void *with);

#endif

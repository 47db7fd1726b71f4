/* reachable.h: reads memory that may not be mapped. SPDX-License-Identifier: MIT */
#ifndef SIMRT_REACHABLE_H
#define SIMRT_REACHABLE_H

#include <stddef.h>

/* Copies at most `most` bytes from `from`, up to the end of its page. Returns their number, which
 * is 0 if the memory cannot be read. */
size_t gr_reachable_copy(const char *from, char *to, size_t most);

#endif

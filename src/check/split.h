/* split.h: splits a loop over several threads. The parts are independent, so results do not
 * depend on the number of threads. SPDX-License-Identifier: MIT */
#ifndef CHECK_SPLIT_H
#define CHECK_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

/* Processes [begin, end); false if memory is out. */
typedef bool gr_part_fn(void *context, int64_t begin, int64_t end);

/* Calls `part` on about equal pieces of [0, count), whose bounds are multiples of `grain`, on up
 * to `threads` threads including the caller. True if every call returned true. */
bool gr_split(int threads, int64_t count, int64_t grain, gr_part_fn *part, void *context);

#endif

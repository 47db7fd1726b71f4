/* clock.h: the clock that measurements and waits use. It is monotonic, so that setting the
 * system's time does not change a duration. SPDX-License-Identifier: MIT */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of a monotonic clock; only differences between two calls have a meaning. */
int64_t gr_now_ns(void);
void gr_sleep_ns(int64_t ns);

#endif

/* clock.h: time. SPDX-License-Identifier: MIT */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>

/* Nanoseconds on a clock that never steps back; only differences mean something. */
int64_t gr_now_ns(void);
void gr_sleep_ns(int64_t ns);

#endif

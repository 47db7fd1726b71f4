/* quiet.h: waits until the other threads of this process are idle. SPDX-License-Identifier: MIT */
#ifndef MEASURE_QUIET_H
#define MEASURE_QUIET_H

/* After a GEMM, a library's threads spin for a while (OpenBLAS's for about 100 ms, libgomp's for
 * one or two) on the cores on which the next candidate will be timed. Returns when they sleep,
 * or after 250 ms. */
void gr_quiet_wait(void);

#endif

/* idle_threads.h: waits until the other threads of this process are idle. SPDX-License-Identifier:
 * MIT */
#ifndef MEASURE_IDLE_THREADS_H
#define MEASURE_IDLE_THREADS_H

/* After a GEMM, a library's threads spin for a while (OpenBLAS's for about 100 ms, libgomp's for
 * one or two) on the cores on which the next candidate will be timed. Returns when they sleep,
 * or after 250 ms. */
void gr_wait_for_idle_threads(void);

#endif

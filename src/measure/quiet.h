/* quiet.h: waiting until the other threads of this process are idle. SPDX-License-Identifier: MIT
 */
#ifndef MEASURE_QUIET_H
#define MEASURE_QUIET_H

/* A library's threads spin for a while after its product (OpenBLAS's for some 100 ms, libgomp's for
 * one or two), on the cores that the next entrant is about to be timed on. Returns when they sleep,
 * or after 250 ms. */
void gr_quiet_wait(void);

#endif

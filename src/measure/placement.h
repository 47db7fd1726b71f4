/* placement.h: which cores a worker runs on. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PLACEMENT_H
#define MEASURE_PLACEMENT_H

/* Confines the calling process to `threads` of the cores it may use, one of each physical core
 * first, so that its threads, and a peer's, do not wander during a measurement. Does nothing when
 * it may use no more than that. */
void gr_placement_pin(int threads);

#endif

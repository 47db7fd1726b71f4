/* placement.h: selects the cores on which a worker runs. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PLACEMENT_H
#define MEASURE_PLACEMENT_H

/* Restricts the calling process to `threads` of the cores that it may use, different physical
 * cores first, so that neither its threads nor a library's migrate during a measurement. Does
 * nothing if it may use no more cores than that. */
void gr_placement_pin(int threads);

#endif

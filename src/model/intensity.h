/* intensity.h: arithmetic intensity, FLOP a byte of global memory: what a problem offers, what a
 * kernel's tile makes of it, and what a device needs. SPDX-License-Identifier: MIT */
#ifndef MODEL_INTENSITY_H
#define MODEL_INTENSITY_H

#include "records/problem.h"
#include "model/device.h"

#include <stdint.h>

/* Every operand moved once: no kernel has more. */
double gr_intensity_problem(const struct gr_problem *problem, const struct gr_device *device);
/* A block computes a tile of bm x bn elements of C, and reads for it bm rows of A and bn columns of
 * B; no cache helps. 1 x 1: a thread that reads its operands for itself. */
double gr_intensity_tile(const struct gr_problem *problem, int64_t bm, int64_t bn);
/* Peak rate over bandwidth: with less than this, a kernel waits for memory (Williams, Waterman,
 * Patterson, "Roofline", 2009). */
double gr_intensity_device(const struct gr_problem *problem, const struct gr_device *device);

#endif

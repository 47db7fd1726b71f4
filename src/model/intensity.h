/* intensity.h: arithmetic intensity, FLOP a byte of global memory: the maximum of a problem, that
 * of a kernel with a given tile, and the ridge point of a device. SPDX-License-Identifier: MIT */
#ifndef MODEL_INTENSITY_H
#define MODEL_INTENSITY_H

#include "records/problem.h"
#include "model/device.h"

#include <stdint.h>

/* Of a problem whose operands are each moved once; no kernel has more. */
double gr_intensity_problem(const struct gr_problem *problem, const struct gr_device *device);
/* Of a block that computes a tile of bm x bn elements of C and reads bm rows of A and bn columns of
 * B for it, without help of a cache. 1 x 1: each thread reads its own operands. */
double gr_intensity_tile(const struct gr_problem *problem, int64_t bm, int64_t bn);
/* Peak rate over bandwidth: with less than this, a kernel waits for memory (Williams, Waterman,
 * Patterson, "Roofline", 2009). */
double gr_intensity_device(const struct gr_problem *problem, const struct gr_device *device);

#endif

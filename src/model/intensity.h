/* intensity.h: arithmetic intensity, in FLOP per byte of global memory: that of a GEMM kernel with
 * a given tile, and the ridge point of a device. SPDX-License-Identifier: MIT */
#ifndef MODEL_INTENSITY_H
#define MODEL_INTENSITY_H

#include "records/problem.h"
#include "model/device.h"

#include <stdint.h>

/* The intensity of a block that computes a tile of bm x bn elements of C, and reads bm rows of A
 * and bn columns of B for it, without help from caches. 1 x 1: each thread reads its own
 * operands. */
double gr_intensity_tile(const struct gr_problem *problem, int64_t bm, int64_t bn);
/* The peak rate divided by the bandwidth. A kernel with a lower intensity waits for memory
 * (Williams, Waterman, Patterson, "Roofline", 2009). */
double gr_intensity_device(enum gr_dtype acc, const struct gr_device *device);

#endif

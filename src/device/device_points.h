/* device_points.h: what the library's GPU kernels took where they were measured, as tables, which
 * the build makes of devices/tuned/ (gradus-pack, src/pack/pack_points.c).
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_POINTS_H
#define DEVICE_DEVICE_POINTS_H

#include "device/kernel_table.h"

/* A dense row-major product by a kernel, alpha 1 and beta 0, its addresses aligned. */
struct gr_device_point {
    int64_t m, n, k;
    double us;
    double log_m, log_n, log_k; /* to base 2 */
};

/* A file. The points of a kernel and transposes are those from first[4 * kernel + trans] to before
 * the next one's. `errors` belongs to device_tuned.c: for each point the logarithm of what was
 * measured over what the cost model expects, or 0 where that was not computed yet. */
struct gr_device_points {
    const char *file; /* "devices/tuned/h200.txt" */
    const char *gpu;  /* "NVIDIA H200" */
    int cc, sms, smem_max, warp;
    const int *first;
    const struct gr_device_point *points;
    _Atomic double *errors;
};

extern const struct gr_device_points gr_device_points[];
extern const int gr_device_points_count;

#endif

/* device_points.h: measured times of the library's GPU kernels, as tables that the build generates
 * from devices/tuned/ (gradus-pack, src/pack/pack_points.c). SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_POINTS_H
#define DEVICE_DEVICE_POINTS_H

#include "device/kernel_table.h"

/* The time of a kernel for one row-major product without padding, with alpha 1, beta 0 and aligned
 * addresses. */
struct gr_device_point {
    int64_t m, n, k;
    double us;
    double log_m, log_n, log_k; /* logarithms to base 2 */
};

/* One file of devices/tuned/. The points of a kernel and a combination of transposes are those from
 * first[4 * kernel + trans] to before first[4 * kernel + trans + 1]. device_tuned.c fills in
 * `errors`: for each point, the logarithm of the measured time over the cost model's, or 0 where it
 * has not been computed yet. */
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

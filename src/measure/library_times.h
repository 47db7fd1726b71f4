/* library_times.h: measures the time of each of the library's GPU kernels for a list of products
 * (docs/tuning.md). SPDX-License-Identifier: MIT */
#ifndef MEASURE_LIBRARY_TIMES_H
#define MEASURE_LIBRARY_TIMES_H

#include "base/str.h"
#include "device/device_gpu.h"
#include "measure/size.h"

#include <stdbool.h>

/* The products to measure: each size in each of the types ("f32", "bf16-bf16") and transposes,
 * row-major and dense, with alpha 1 and beta 0. */
struct gr_library_asked {
    int device;
    const struct gr_size *sizes;
    int size_count;
    const char *const *types;
    int type_count;
    bool trans[4];    /* nn, nt, tn, tt */
    int64_t limit_ns; /* no product is started after this time */
    /* Called before each product; may be null. */
    void (*on_product)(void *context, const char *product, int done, int all);
    void *context;
};

/* The time of a kernel for a product in microseconds: the median of the rounds, the minimum and the
 * maximum. */
struct gr_library_time {
    int kernel, trans;
    int64_t m, n, k;
    int product; /* times of the same product have the same number, and are adjacent */
    double us, least, most;
};

struct gr_library_times {
    struct gr_device_gpu *gpu;
    int driver_version; /* for example 13000; 0: not known */
    struct gr_library_time *times;
    int count;
    int products; /* that were measured: those that two or more kernels can compute */
    int left;     /* products that were not reached in time */
    int wrong;    /* how many times a kernel was left out of a product because its C was wrong */
    char first_wrong[192];
};

enum { GR_LIBRARY_ROUNDS = 7 };

/* Runs each kernel that GRADUS_MATH_DEFAULT permits, unless the cost model expects it to be many
 * times slower than the best, and compares some elements of its C with float64. Then all kernels
 * for a product are timed in turns, each with consecutive launches. Returns OK even if some kernel
 * is wrong; INTERRUPTED after gr_stop_request; UNSUPPORTED without a driver, or with one that has
 * no events. */
enum gradus_status gr_library_times_run(const struct gr_library_asked *asked,
                                        struct gr_library_times *times, struct gradus_error *error);
/* Appends the lines of a table for devices/tuned/ after its head (gr_tuned_format_head), in the
 * format that src/pack/pack_points.c reads. */
void gr_library_times_format(const struct gr_library_times *times, struct gr_str *out);
void gr_library_times_free(struct gr_library_times *times);

#endif

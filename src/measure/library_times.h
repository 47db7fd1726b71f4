/* library_times.h: how long the library's GPU kernels take, each by itself, for a list of products
 * (docs/tuning.md). SPDX-License-Identifier: MIT */
#ifndef MEASURE_LIBRARY_TIMES_H
#define MEASURE_LIBRARY_TIMES_H

#include "base/str.h"
#include "device/device_gpu.h"
#include "measure/size.h"

#include <stdbool.h>

/* What to measure: each size in each of the types ("f32", "bf16-bf16") and transposes, row-major
 * and dense, with alpha 1 and beta 0. */
struct gr_library_asked {
    int device;
    const struct gr_size *sizes;
    int size_count;
    const char *const *types;
    int type_count;
    bool trans[4];    /* nn, nt, tn, tt */
    int64_t limit_ns; /* no product is begun after this time */
    /* Called before each product; null: not. */
    void (*on_product)(void *context, const char *product, int done, int all);
    void *context;
};

/* A kernel's time for a product: the median of the rounds, in us, and the least and the most. */
struct gr_library_time {
    int kernel, trans;
    int64_t m, n, k;
    int product; /* times of one product have the same number, and follow each other */
    double us, least, most;
};

struct gr_library_times {
    struct gr_device_gpu *gpu;
    int driver_version; /* 13000; 0: not known */
    struct gr_library_time *times;
    int count;
    int products; /* that were measured: two or more kernels of the library compute them */
    int left;     /* that were not reached in the time */
    int wrong;    /* kernels that were left out of a product, because their C is wrong */
    char first_wrong[192];
};

enum { GR_LIBRARY_ROUNDS = 7 };

/* Every kernel that GRADUS_MATH_DEFAULT admits and that the cost model does not expect to take many
 * times as long as the best is run, its C compared with float64 in some places, and then all of a
 * product are timed in turns, back to back, the operands staying where they are. OK where some
 * kernel is wrong, too; INTERRUPTED after gr_stop_request; UNSUPPORTED: no driver, or one without
 * events. */
enum gradus_status gr_library_times_run(const struct gr_library_asked *asked,
                                        struct gr_library_times *times, struct gradus_error *error);
/* Appends the lines of a table for devices/tuned/ after its head (gr_tuned_format_head), as
 * src/pack/pack_points.c reads them. */
void gr_library_times_format(const struct gr_library_times *times, struct gr_str *out);
void gr_library_times_free(struct gr_library_times *times);

#endif

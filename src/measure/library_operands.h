/* library_operands.h: the operands of the library's kernels on a GPU, and what C must be.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_LIBRARY_OPERANDS_H
#define MEASURE_LIBRARY_OPERANDS_H

#include "device/device_gpu.h"
#include "core/dtype.h"

#include <stdbool.h>

/* A and B repeat a list of random numbers of -1 to 1, which are of the type of A. */
struct gr_library_operands {
    const struct gr_device_gpu *gpu;
    struct gr_types types;
    double *pool;     /* the numbers, on the host */
    uint64_t a, b, c; /* on the GPU */
    int64_t bytes[3]; /* of each */
    uint64_t work;
    int64_t work_bytes;
};

/* Memory for matrices of as many elements, and for so many small ones that the caches do not hold
 * them all. Free it in any case. */
enum gradus_status gr_library_operands_make(const struct gr_device_gpu *gpu, struct gr_types types,
                                            int64_t a_elements, int64_t b_elements,
                                            int64_t c_elements, struct gr_library_operands *o,
                                            struct gradus_error *error);
void gr_library_operands_free(struct gr_library_operands *o);
/* Makes o->work at least so large. */
enum gradus_status gr_library_work(struct gr_library_operands *o, int64_t bytes,
                                   struct gradus_error *error);

/* The same dense product of other operands, as many turns as there is room for. */
struct gr_device_given gr_library_rotated(const struct gr_library_operands *o,
                                          const struct gr_device_given *given, int64_t turn);

/* Fills C with NaN, so that what a kernel does not write is noticed. */
enum gradus_status gr_library_spoil_c(const struct gr_library_operands *o, int64_t elements,
                                      struct gradus_error *error);
/* Is the C of a dense row-major product right, at some places of its first, middle and last rows?
 * *right says so. */
enum gradus_status gr_library_check(const struct gr_library_operands *o,
                                    const struct gr_device_given *given, bool *right,
                                    struct gradus_error *error);

#endif

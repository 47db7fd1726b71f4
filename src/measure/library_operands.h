/* library_operands.h: the operands of the library's kernels on a GPU, and the check of C.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_LIBRARY_OPERANDS_H
#define MEASURE_LIBRARY_OPERANDS_H

#include "device/device_gpu.h"
#include "core/dtype.h"

#include <stdbool.h>

/* A and B repeat a list of random numbers in -1..1 that are exact in the type of A. */
struct gr_library_operands {
    const struct gr_device_gpu *gpu;
    struct gr_types types;
    double *pool;     /* the numbers, on the host */
    uint64_t a, b, c; /* addresses on the GPU */
    int64_t bytes[3]; /* of A, B and C */
    uint64_t work;
    int64_t work_bytes;
};

/* Allocates room for matrices with this many elements, or for several smaller ones, so that the
 * caches do not hold all of them. To be freed also after a failure. */
enum gradus_status gr_library_operands_make(const struct gr_device_gpu *gpu, struct gr_types types,
                                            int64_t a_elements, int64_t b_elements,
                                            int64_t c_elements, struct gr_library_operands *o,
                                            struct gradus_error *error);
void gr_library_operands_free(struct gr_library_operands *o);
/* Makes o->work at least this large. */
enum gradus_status gr_library_work(struct gr_library_operands *o, int64_t bytes,
                                   struct gradus_error *error);

/* Returns the same dense product with other operands. They repeat after as many turns as there is
 * room for. */
struct gr_device_given gr_library_rotated(const struct gr_library_operands *o,
                                          const struct gr_device_given *given, int64_t turn);

/* Fills C with NaN, so that elements that a kernel does not write are detected. */
enum gradus_status gr_library_spoil_c(const struct gr_library_operands *o, int64_t elements,
                                      struct gradus_error *error);
/* Checks the C of a dense row-major product at some elements of its first, middle and last rows,
 * and sets *right. */
enum gradus_status gr_library_check(const struct gr_library_operands *o,
                                    const struct gr_device_given *given, bool *right,
                                    struct gradus_error *error);

#endif

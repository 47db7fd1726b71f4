/* gpus_operands.h: matrices in the memory of several GPUs, filled with numbers that can be
 * recomputed anywhere, and a check of their product. SPDX-License-Identifier: MIT */
#ifndef MEASURE_GPUS_OPERANDS_H
#define MEASURE_GPUS_OPERANDS_H

#include "multi/multi_gpus.h"

/* The number of rows of C that are checked; they are spread over all of C. */
enum { GR_GPUS_ROWS = 9 };

/* A is distributed by rows, B and C by columns, with a part on each GPU. GPU 0 also has all of A, B
 * and C; its own parts are inside of these. */
struct gr_gpus_operands {
    /* Sizes and types; the addresses are those of GPU 0's whole matrices. */
    struct gradus_gemm gemm;
    int count;
    uint64_t a[GR_MULTI_GPUS], b[GR_MULTI_GPUS], c[GR_MULTI_GPUS];
    int64_t ldb[GR_MULTI_GPUS], ldc[GR_MULTI_GPUS]; /* of the parts of B and C */
    char *table;   /* the table of which the rows of A and B are parts, in their type */
    float *values; /* the same as floats */
    double *want;  /* GR_GPUS_ROWS rows of C with n elements each, followed by sum|a||b| for each
                      element */
    float *found;  /* the same rows as found by the last check */
};

/* Fills the operands with numbers in -1..1 that use all bits of the type. Initialise with {0}, and
 * free also after an error. Errors: NO_MEMORY, LAUNCH. */
enum gradus_status gr_gpus_operands_make(struct gradus_gpus *gpus, const struct gradus_gemm *sizes,
                                         struct gr_gpus_operands *operands,
                                         struct gradus_error *error);
void gr_gpus_operands_free(struct gradus_gpus *gpus, struct gr_gpus_operands *operands);

/* Fills C with NaN. */
enum gradus_status gr_gpus_operands_clear(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *operands,
                                          struct gradus_error *error);
/* Compares the sampled rows with a float64 reference. The error of an element may be 64 units of
 * 2^-23 * sum|a||b|. *wrong_row is the first wrong row, or -1, in which case all rows are in
 * `found`. `whole`: checks the C of GPU 0 only. */
enum gradus_status gr_gpus_operands_check(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *operands, bool whole,
                                          int64_t *wrong_row, struct gradus_error *error);
/* Writes the same numbers to host memory, row-major and dense. `which` is GR_MULTI_A or
 * GR_MULTI_B. */
void gr_gpus_operands_copy(const struct gr_gpus_operands *operands, int which, void *to);
/* Makes the same check for a C in host memory. Returns the first wrong row, or -1. */
int64_t gr_gpus_operands_check_host(const struct gr_gpus_operands *operands, const float *c);

/* Makes the problem as each GPU sees it. */
void gr_gpus_operands_problem(const struct gr_gpus_operands *operands, struct gr_multi_gemm *gemms);

#endif

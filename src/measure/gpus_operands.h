/* gpus_operands.h: matrices in the memory of several GPUs, filled with numbers that anyone can
 * compute again, and a check of their product. SPDX-License-Identifier: MIT */
#ifndef MEASURE_GPUS_OPERANDS_H
#define MEASURE_GPUS_OPERANDS_H

#include "multi/multi_gpus.h"

/* So many rows of C, spread over all of it, are checked. */
enum { GR_GPUS_ROWS = 9 };

/* A in rows and B and C in columns, a part on each GPU. GPU 0 also has all of A, B and C, where its
 * parts are. */
struct gr_gpus_operands {
    struct gradus_gemm gemm; /* sizes and types; of GPU 0's whole matrices */
    int count;
    uint64_t a[GR_MULTI_GPUS], b[GR_MULTI_GPUS], c[GR_MULTI_GPUS];
    int64_t ldb[GR_MULTI_GPUS], ldc[GR_MULTI_GPUS]; /* of the columns */
    char *table;   /* what the rows of A and B are pieces of, in their type */
    float *values; /* the same as floats */
    double *want;  /* of GR_GPUS_ROWS rows of C, n each, and behind them sum|a||b| of each */
    float *found;  /* these rows, as the last check has found them */
};

/* Numbers in -1..1 of all bits of the type. Start with {0}; free it also after an error. Errors:
 * NO_MEMORY, LAUNCH. */
enum gradus_status gr_gpus_operands_make(struct gradus_gpus *gpus, const struct gradus_gemm *sizes,
                                         struct gr_gpus_operands *operands,
                                         struct gradus_error *error);
void gr_gpus_operands_free(struct gradus_gpus *gpus, struct gr_gpus_operands *operands);

/* C becomes NaN everywhere. */
enum gradus_status gr_gpus_operands_clear(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *operands,
                                          struct gradus_error *error);
/* Compares these rows with a float64 reference: an element may be wrong by 64 units of 2^-23 *
 * sum|a||b|. *wrong_row: the first row that is, or -1: then all of them are in `found`. `whole`:
 * GPU 0's C alone. */
enum gradus_status gr_gpus_operands_check(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *operands, bool whole,
                                          int64_t *wrong_row, struct gradus_error *error);
/* The same numbers in the host's memory, row-major and dense: `which` is GR_MULTI_A or GR_MULTI_B.
 */
void gr_gpus_operands_copy(const struct gr_gpus_operands *operands, int which, void *to);
/* Likewise of C in the host's memory: the first wrong row, or -1. */
int64_t gr_gpus_operands_check_host(const struct gr_gpus_operands *operands, const float *c);

/* The problem as each GPU sees it. */
void gr_gpus_operands_problem(const struct gr_gpus_operands *operands, struct gr_multi_gemm *gemms);

#endif

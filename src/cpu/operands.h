/* operands.h: A, B and C of a problem as they are stored: what is judged before anything is read or
 * written. SPDX-License-Identifier: MIT */
#ifndef CPU_OPERANDS_H
#define CPU_OPERANDS_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

struct gr_operand {
    const char *name;
    enum gradus_type type;
    const void *address;
    int64_t rows, cols, ld; /* rows: how many runs of `cols` elements are stored */
    int64_t stride;         /* between the matrices of a batch */
    const void *const *array;
    const struct gradus_packed *packed;
};

/* A, B, C. */
void gr_gemm_operands(const struct gradus_gemm *gemm, struct gr_operand operands[3]);

/* Of a problem whose sizes are good: whether C shares an element with what is read beside it, and
 * with which: A, B or the bias by their names, or null. Matrices of a batch that arrays of pointers
 * name are compared with those of the same product. */
const char *gr_gemm_shared_with_c(const struct gradus_gemm *gemm);

#endif

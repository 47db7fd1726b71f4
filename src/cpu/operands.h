/* operands.h: describes A, B and C of a problem as they are stored, for the checks before anything
 * is read or written. SPDX-License-Identifier: MIT */
#ifndef CPU_OPERANDS_H
#define CPU_OPERANDS_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

struct gr_operand {
    const char *name;
    enum gradus_type type;
    const void *address;
    int64_t rows, cols, ld; /* rows: the number of stored runs of `cols` elements */
    int64_t stride;         /* between the matrices of a batch */
    const void *const *array;
    const struct gradus_packed *packed;
    bool is_far; /* `array` is in a GPU's memory, which the host cannot read */
};

/* A, B, C. */
void gr_gemm_operands(const struct gradus_gemm *gemm, struct gr_operand operands[3]);

/* For a problem with valid sizes, returns the name of the operand (A, B or the bias) with which C
 * shares an element, or null. In a batch with arrays of pointers, only matrices of the same product
 * are compared. */
const char *gr_gemm_shared_with_c(const struct gradus_gemm *gemm);

#endif

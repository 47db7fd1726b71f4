/* gemm.h: one product inside the CPU's part of the library: what gemm_*.c hand to one another.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include "cpu/pack.h"
#include "cpu/workspace.h"
#include "ukr.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* C = alpha * A * B + beta * C with C row-major; transposes and layouts are strides: A[i,p] is at
 * a + (i*a_row + p*a_col)*bytes, B[p,j] at b + (p*b_row + j*b_col)*bytes, and one of each pair
 * is 1. */
struct product {
    const struct ukr *ukr;
    gr_pack_f32_fn *pack_f32; /* as fast as the micro-kernel's ISA allows */
    gr_pack_f64_fn *pack_f64;
    int64_t bytes; /* of an element */
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col, ldc;
    const char *a, *b;
    char *c;
    union {
        float f32;
        double f64;
    } alpha, beta; /* of the element type */
};

/* INVALID for the first bad member of `gemm`. */
enum gradus_status gr_gemm_validate(const struct gradus_gemm *gemm, struct gradus_error *error);

/* C = beta * C, for products without a product. */
void gr_gemm_scale(const struct product *product);

/* Whether the product is small enough, and lies well enough, to be done without packing; and doing
 * it. */
bool gr_gemm_is_small(const struct product *product);
void gr_gemm_small(const struct product *product);

/* The five loops over packed blocks. */
void gr_gemm_packed(const struct product *product, struct workspace *workspace);

#endif

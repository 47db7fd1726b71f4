/* blas_gemm.h: what the CBLAS and the Fortran interface share: BLAS's argument numbers, and the
 * call. SPDX-License-Identifier: MIT */
#ifndef BLAS_BLAS_GEMM_H
#define BLAS_BLAS_GEMM_H

#include "cpu/cpu.h"

/* A column-major product with BLAS's arguments. Transposes: 0, 1, or -1 for a bad letter. */
struct gr_blas_gemm {
    struct gr_plain_gemm gemm;
    const char *routine; /* the symbol that was called */
    int exchanged;       /* 1: a row-major product, with A and B, M and N exchanged */
};

/* The row-major product as a column-major one: A and B, M and N exchanged. */
struct gr_blas_gemm gr_blas_exchanged(const struct gr_blas_gemm *gemm);
/* The Fortran number of the first bad argument, or 0. */
int gr_blas_check(const struct gr_blas_gemm *gemm);
/* Computes a product that passed. */
void gr_blas_run(const struct gr_blas_gemm *gemm);

/* The product as a problem in either layout. */
struct gradus_gemm gr_blas_problem(const struct gr_plain_gemm *gemm, enum gradus_layout layout);
/* Computes a batch that passed; `routine` is the symbol that was called. */
void gr_blas_run_batch(const struct gradus_gemm *batch, const char *routine);

#endif

/* blas_gemm.h: what the CBLAS and the Fortran interface share: BLAS's argument numbers, and the
 * call. SPDX-License-Identifier: MIT */
#ifndef BLAS_BLAS_GEMM_H
#define BLAS_BLAS_GEMM_H

#include "blas/ledger_calls.h"
#include "cpu/gemm_plain.h"

/* A column-major product with BLAS's arguments. Transposes: 0, 1, or -1 for a bad letter. */
struct gr_blas_gemm {
    struct gr_plain_gemm gemm;
    const char *routine; /* the symbol that was called */
    int exchanged;       /* 1: a row-major product, with A and B, M and N exchanged */
};

/* Computes a product that is valid and not too large, unless calls are counted. False: nothing is
 * done. */
static inline __attribute__((always_inline)) bool gr_blas_quick(struct gr_plain_gemm gemm)
{
    return !gr_ledger_on() && gr_gemm_plain(gemm, NULL);
}

/* The row-major product as a column-major one: A and B, M and N exchanged. */
struct gr_blas_gemm gr_blas_exchanged(const struct gr_blas_gemm *gemm);
/* The Fortran number of the first bad argument, or 0. */
int gr_blas_check(const struct gr_blas_gemm *gemm);
/* Computes a product that passed, and that gr_blas_quick did not. */
void gr_blas_run(const struct gr_blas_gemm *gemm);

/* The product as a problem in either layout. */
struct gradus_gemm gr_blas_problem(const struct gr_plain_gemm *gemm, enum gradus_layout layout);
/* Computes a batch that passed; `routine` is the symbol that was called. */
void gr_blas_run_batch(const struct gradus_gemm *batch, const char *routine);

#endif

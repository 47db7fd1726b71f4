/* cblas_errors.h: what the CBLAS functions share: reading their enums, and telling of bad ones.
 * SPDX-License-Identifier: MIT */
#ifndef BLAS_CBLAS_ERRORS_H
#define BLAS_CBLAS_ERRORS_H

#include "blas/blas_gemm.h"

#include <gradus/cblas.h>
#include <stdbool.h>

#define GR_CBLAS_BAD_LAYOUT "Illegal layout setting, %d\n"
#define GR_CBLAS_BAD_TRANS_A "Illegal TransA setting, %d\n"
#define GR_CBLAS_BAD_TRANS_B "Illegal TransB setting, %d\n"

struct gr_cblas_caller {
    const char *routine; /* as errors name it */
    bool wide;           /* its integers have 64 bits */
};

/* 0, 1, or -1 for no transpose of BLAS's. */
static inline int gr_cblas_trans(CBLAS_TRANSPOSE trans)
{
    const int t = (int)trans;
    return t == CblasNoTrans ? 0 : t == CblasTrans || t == CblasConjTrans ? 1 : -1;
}

/* Calls cblas_xerbla, or cblas_xerbla64_ for a wide caller, with RowMajorStrg set to `exchanged`
 * meanwhile. */
void gr_cblas_report(const struct gr_cblas_caller *caller, bool exchanged, int info,
                     const char *form, int value);
/* The same with a line of text, or none, for an `info` that is the same in both layouts. */
void gr_cblas_report_text(const struct gr_cblas_caller *caller, int info, const char *text);
/* The number of an argument of a row-major product, from the one it has in the column-major product
 * that takes its place, and the other way round. */
int gr_cblas_exchanged_number(int info);

#endif

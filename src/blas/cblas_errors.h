/* cblas_errors.h: what the CBLAS functions share: reading their enums and reporting bad arguments.
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
    const char *routine; /* the name that errors carry */
    bool wide;           /* its integers have 64 bits */
};

/* 0, 1, or -1 where it is none of BLAS's values. */
static inline int gr_cblas_trans(CBLAS_TRANSPOSE trans)
{
    const int t = (int)trans;
    return t == CblasNoTrans ? 0 : t == CblasTrans || t == CblasConjTrans ? 1 : -1;
}

/* Calls cblas_xerbla, or cblas_xerbla64_ for a caller with 64-bit integers. RowMajorStrg is
 * `exchanged` during the call. */
void gr_cblas_report(const struct gr_cblas_caller *caller, bool exchanged, int info,
                     const char *form, int value);
/* The same with a line of text, or null for none, where `info` is the same number in both layouts.
 */
void gr_cblas_report_text(const struct gr_cblas_caller *caller, int info, const char *text);
/* The number of an argument of a row-major product, from its number in the column-major product
 * that replaces it, and the reverse. */
int gr_cblas_exchanged_number(int info);

#endif

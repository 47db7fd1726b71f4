/* cblas.c: cblas_sgemm and cblas_dgemm, with integers of 64 bits cblas_sgemm64_ and cblas_dgemm64_,
 * and all of them by SciPy's names. SPDX-License-Identifier: MIT
 *
 * As in the reference, a row-major product is the column-major one with A and B, M and N exchanged;
 * its errors are found, and numbered, in that form. The number is Fortran's plus one, for the
 * layout in front. */
#include "blas/cblas_errors.h"

/* The arguments before the sizes, and the name that errors carry. */
struct head {
    CBLAS_LAYOUT layout;
    CBLAS_TRANSPOSE trans_a, trans_b;
    struct gr_cblas_caller caller;
};

/* `gemm` is the product in column-major form. */
static void run(const struct head *h, const struct gr_blas_gemm *gemm)
{
    const bool row_major = h->layout == CblasRowMajor;
    if (!row_major && h->layout != CblasColMajor) {
        gr_cblas_report(&h->caller, false, 1, GR_CBLAS_BAD_LAYOUT, (int)h->layout);
        return;
    }
    if (gr_cblas_trans(h->trans_a) < 0) {
        gr_cblas_report(&h->caller, row_major, 2, GR_CBLAS_BAD_TRANS_A, (int)h->trans_a);
        return;
    }
    if (gr_cblas_trans(h->trans_b) < 0) {
        gr_cblas_report(&h->caller, row_major, 3, GR_CBLAS_BAD_TRANS_B, (int)h->trans_b);
        return;
    }
    const int info = gr_blas_check(gemm);
    if (info)
        gr_cblas_report(&h->caller, row_major, info + 1, "", 0);
    else
        gr_blas_run(gemm);
}

/* Errors carry the same name for integers of 32 and of 64 bits. */
#define CBLAS_GEMM(name, T, TYPE, INT, ROUTINE)                                                    \
    void name(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, INT m, INT n, \
              INT k, T alpha, const T *a, INT lda, const T *b, INT ldb, T beta, T *c, INT ldc)     \
    {                                                                                              \
        const int ta = gr_cblas_trans(trans_a), tb = gr_cblas_trans(trans_b);                      \
        const bool row_major = layout == CblasRowMajor;                                            \
        const struct gr_plain_gemm gemm =                                                          \
            row_major ? (struct gr_plain_gemm){TYPE, tb, ta, n, m,   k,   alpha,                   \
                                               beta, b,  a,  c, ldb, lda, ldc}                     \
                      : (struct gr_plain_gemm){TYPE, ta, tb, m, n,   k,   alpha,                   \
                                               beta, a,  b,  c, lda, ldb, ldc};                    \
        if ((row_major || layout == CblasColMajor) && gr_blas_quick(gemm))                         \
            return;                                                                                \
        run(&(struct head){layout, trans_a, trans_b, {ROUTINE, sizeof(INT) == 8}},                 \
            &(struct gr_blas_gemm){gemm, #name, row_major});                                       \
    }

CBLAS_GEMM(cblas_sgemm, float, GRADUS_F32, int, "cblas_sgemm")
CBLAS_GEMM(cblas_dgemm, double, GRADUS_F64, int, "cblas_dgemm")
CBLAS_GEMM(cblas_sgemm64_, float, GRADUS_F32, int64_t, "cblas_sgemm")
CBLAS_GEMM(cblas_dgemm64_, double, GRADUS_F64, int64_t, "cblas_dgemm")

CBLAS_GEMM(scipy_cblas_sgemm, float, GRADUS_F32, int, "cblas_sgemm")
CBLAS_GEMM(scipy_cblas_dgemm, double, GRADUS_F64, int, "cblas_dgemm")
CBLAS_GEMM(scipy_cblas_sgemm64_, float, GRADUS_F32, int64_t, "cblas_sgemm")
CBLAS_GEMM(scipy_cblas_dgemm64_, double, GRADUS_F64, int64_t, "cblas_dgemm")

/* consumer_blas.c: a program of somebody else's that calls BLAS's names, in both widths, and has
 * error handlers of its own for some of them; also compiled as C++. The line that the library's own
 * xerbla_ writes is the only one on stderr. SPDX-License-Identifier: MIT */
#include <gradus/cblas.h>
#include <stdio.h>
#include <string.h>

static int told_narrow, told_wide, told_fortran;

#ifdef __cplusplus
extern "C" {
#endif
void cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    (void)routine, (void)form;
    told_narrow = info;
}

void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...)
{
    (void)routine, (void)form;
    told_wide = (int)info;
}

void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length)
{
    (void)routine, (void)routine_length;
    told_fortran = (int)*info;
}
#ifdef __cplusplus
}
#endif

static int failures;

static void expect(const char *what, int good)
{
    if (!good)
        fprintf(stderr, "%s: wrong\n", what);
    failures += !good;
}

/* 2 x 3 times 3 x 2. */
static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
static const double row_major[] = {58, 64, 139, 154}, column_major[] = {76, 100, 103, 136};

static void products(void)
{
    const int one_group = 1, two = 2, three = 3;
    const int64_t two64 = 2, three64 = 3;
    const double one = 1, zero = 0;
    const CBLAS_TRANSPOSE as_stored = CblasNoTrans;
    const double *pa = a, *pb = b;
    double c[4], *pc = c;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    expect("cblas_dgemm", !memcmp(c, row_major, sizeof c));
    memset(c, 0, sizeof c);
    cblas_dgemm64_(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    expect("cblas_dgemm64_", !memcmp(c, row_major, sizeof c));
    dgemm_("N", "N", &two, &two, &three, &one, a, &two, b, &three, &zero, c, &two);
    expect("dgemm_", !memcmp(c, column_major, sizeof c));
    memset(c, 0, sizeof c);
    dgemm_64_("N", "N", &two64, &two64, &three64, &one, a, &two64, b, &three64, &zero, c, &two64);
    expect("dgemm_64_", !memcmp(c, column_major, sizeof c));
    memset(c, 0, sizeof c);
    cblas_dgemm_batch(CblasRowMajor, &as_stored, &as_stored, &two, &two, &three, &one, &pa, &three,
                      &pb, &two, &zero, &pc, &two, 1, &one_group);
    expect("cblas_dgemm_batch", !memcmp(c, row_major, sizeof c));
    memset(c, 0, sizeof c);
    cblas_dgemm_batch_strided64_(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, 0, b,
                                 2, 0, 0, c, 2, 4, 1);
    expect("cblas_dgemm_batch_strided64_", !memcmp(c, row_major, sizeof c));
}

/* By the names of SciPy's OpenBLAS. */
static void scipy_products(void)
{
    const int one_group = 1, two = 2, three = 3;
    const int64_t one_group64 = 1, two64 = 2, three64 = 3;
    const double one = 1, zero = 0;
    const CBLAS_TRANSPOSE as_stored = CblasNoTrans;
    const double *pa = a, *pb = b;
    double c[4] = {0}, *pc = c;
    scipy_cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    expect("scipy_cblas_dgemm", !memcmp(c, row_major, sizeof c));
    memset(c, 0, sizeof c);
    scipy_cblas_dgemm64_(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c,
                         2);
    expect("scipy_cblas_dgemm64_", !memcmp(c, row_major, sizeof c));
    scipy_dgemm_("N", "N", &two, &two, &three, &one, a, &two, b, &three, &zero, c, &two);
    expect("scipy_dgemm_", !memcmp(c, column_major, sizeof c));
    memset(c, 0, sizeof c);
    scipy_dgemm_64_("N", "N", &two64, &two64, &three64, &one, a, &two64, b, &three64, &zero, c,
                    &two64);
    expect("scipy_dgemm_64_", !memcmp(c, column_major, sizeof c));
    scipy_cblas_dgemm_batch(CblasRowMajor, &as_stored, &as_stored, &two, &two, &three, &one, &pa,
                            &three, &pb, &two, &zero, &pc, &two, 1, &one_group);
    expect("scipy_cblas_dgemm_batch", !memcmp(c, row_major, sizeof c));
    memset(c, 0, sizeof c);
    scipy_cblas_dgemm_batch64_(CblasRowMajor, &as_stored, &as_stored, &two64, &two64, &three64,
                               &one, &pa, &three64, &pb, &two64, &zero, &pc, &two64, 1,
                               &one_group64);
    expect("scipy_cblas_dgemm_batch64_", !memcmp(c, row_major, sizeof c));
}

static void handlers(void)
{
    const int bad = -1, one = 1;
    const int64_t bad64 = -1, one64 = 1;
    const float alpha = 1;
    float c = 5;
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, -1, 1, 1, 1, 0, 1, 0, 1, 0, &c, 1);
    expect("a handler for cblas_sgemm", told_narrow == 4);
    cblas_sgemm64_(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, -1, 1, 1, 0, 1, 0, 1, 0, &c, 1);
    expect("a handler for cblas_sgemm64_", told_wide == 5);
    sgemm_64_("N", "N", &one64, &one64, &bad64, &alpha, &c, &one64, &c, &one64, &alpha, &c, &one64);
    expect("a handler for sgemm_64_", told_fortran == 5);
    sgemm_("N", "N", &bad, &one, &one, &alpha, &c, &one, &c, &one, &alpha, &c, &one);
    expect("C after errors", c == 5);
}

int main(void)
{
    products();
    scipy_products();
    handlers();
    return failures != 0;
}

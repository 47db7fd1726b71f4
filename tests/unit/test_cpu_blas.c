/* test_cpu_blas.c: the BLAS interfaces: results, argument numbers, quick returns.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gradus/cblas.h>

#include <math.h>
#include <string.h>

/* This program's own handlers take the place of the library's weak ones. */
static int reported, was_wide, was_row_major;
static char reporter[32];

static void note(int64_t info, const char *routine, size_t length, int wide)
{
    reported = (int)info;
    was_wide = wide;
    was_row_major = RowMajorStrg;
    memcpy(reporter, routine, length);
    reporter[length] = 0;
}

void xerbla_(const char *routine, const int *info, size_t routine_length)
{
    note(*info, routine, routine_length, 0);
}

void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length)
{
    note(*info, routine, routine_length, 1);
}

void cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    (void)form;
    note(info, routine, strlen(routine), 0);
}

void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...)
{
    (void)form;
    note(info, routine, strlen(routine), 1);
}

static void expect_report(const char *routine, int wide, int row_major, const void *c)
{
    if (!reported)
        return;
    assert_string_equal(reporter, routine);
    assert_int_equal(was_wide, wide);
    assert_int_equal(was_row_major, row_major);
    assert_int_equal(RowMajorStrg, 0);
    assert_memory_equal(c, "untouch", 8);
}

/* The number that both widths report, for both are the same function. */
static int fortran(const char *ta, const char *tb, int m, int n, int k, int lda, int ldb, int ldc)
{
    const float one = 1, zero = 0, a[64] = {0};
    const int64_t m64 = m, n64 = n, k64 = k, lda64 = lda, ldb64 = ldb, ldc64 = ldc;
    float c[64];
    memcpy(c, "untouch", 8);
    reported = 0;
    sgemm_(ta, tb, &m, &n, &k, &one, a, &lda, a, &ldb, &zero, c, &ldc);
    expect_report("SGEMM ", 0, 0, c);
    const int narrow = reported;
    reported = 0;
    sgemm_64_(ta, tb, &m64, &n64, &k64, &one, a, &lda64, a, &ldb64, &zero, c, &ldc64);
    expect_report("SGEMM ", 1, 0, c);
    assert_int_equal(reported, narrow);
    return reported;
}

static void fortran_numbers(void **state)
{
    (void)state;
    assert_int_equal(fortran("N", "N", 2, 3, 4, 2, 4, 2), 0);
    assert_int_equal(fortran("t", "c", 2, 3, 4, 4, 3, 2), 0);
    assert_int_equal(fortran("X", "/", -1, 3, 4, 2, 4, 2), 1);
    assert_int_equal(fortran("N", "/", -1, 3, 4, 2, 4, 2), 2);
    assert_int_equal(fortran("N", "N", -1, -1, 4, 2, 4, 2), 3);
    assert_int_equal(fortran("N", "N", 2, -1, -1, 2, 4, 2), 4);
    assert_int_equal(fortran("N", "N", 2, 3, -1, 1, 4, 2), 5);
    assert_int_equal(fortran("N", "N", 2, 3, 4, 1, 3, 2), 8);
    assert_int_equal(fortran("T", "N", 2, 3, 4, 3, 4, 2), 8);
    assert_int_equal(fortran("N", "N", 2, 3, 4, 2, 3, 1), 10);
    assert_int_equal(fortran("N", "T", 2, 3, 4, 2, 2, 2), 10);
    assert_int_equal(fortran("N", "N", 2, 3, 4, 2, 4, 1), 13);
    assert_int_equal(fortran("N", "N", 0, 0, 0, 0, 1, 1),
                     8); /* a leading dimension is at least 1 */
}

static int c_number(int layout, int ta, int tb, int m, int n, int k, int lda, int ldb, int ldc)
{
    const CBLAS_LAYOUT l = (CBLAS_LAYOUT)layout;
    const CBLAS_TRANSPOSE t = (CBLAS_TRANSPOSE)ta, u = (CBLAS_TRANSPOSE)tb;
    const double a[64] = {0};
    double c[64];
    memcpy(c, "untouch", 8);
    reported = 0;
    cblas_dgemm(l, t, u, m, n, k, 1, a, lda, a, ldb, 0, c, ldc);
    expect_report("cblas_dgemm", 0, layout == CblasRowMajor, c);
    const int narrow = reported;
    reported = 0;
    cblas_dgemm64_(l, t, u, m, n, k, 1, a, lda, a, ldb, 0, c, ldc);
    expect_report("cblas_dgemm", 1, layout == CblasRowMajor, c);
    assert_int_equal(reported, narrow);
    return reported;
}

/* In row-major order the handler sees the exchanged numbers: 5 for M, 11 for lda. */
static void cblas_numbers(void **state)
{
    (void)state;
    enum { COL = CblasColMajor, ROW = CblasRowMajor, N = CblasNoTrans, T = CblasTrans };
    assert_int_equal(c_number(COL, N, N, 2, 3, 4, 2, 4, 2), 0);
    assert_int_equal(c_number(ROW, N, N, 2, 3, 4, 4, 3, 3), 0);
    assert_int_equal(c_number(ROW, CblasConjTrans, T, 2, 3, 4, 2, 4, 3), 0);
    assert_int_equal(c_number(7, N, N, -1, 3, 4, 4, 3, 3), 1);
    assert_int_equal(c_number(ROW, 0, N, -1, 3, 4, 4, 3, 3), 2);
    assert_int_equal(c_number(COL, N, 0, -1, 3, 4, 4, 3, 3), 3);
    assert_int_equal(c_number(COL, N, N, -1, 3, 4, 2, 4, 2), 4);
    assert_int_equal(c_number(ROW, N, N, -1, 3, 4, 4, 3, 3), 5);
    assert_int_equal(c_number(COL, N, N, 2, -1, 4, 2, 4, 2), 5);
    assert_int_equal(c_number(ROW, N, N, 2, -1, 4, 4, 3, 3), 4);
    assert_int_equal(c_number(COL, N, N, 2, 3, -1, 2, 4, 2), 6);
    assert_int_equal(c_number(COL, N, N, 2, 3, 4, 1, 4, 2), 9);
    assert_int_equal(c_number(ROW, N, N, 2, 3, 4, 3, 3, 3), 11);
    assert_int_equal(c_number(COL, N, N, 2, 3, 4, 2, 3, 2), 11);
    assert_int_equal(c_number(ROW, N, N, 2, 3, 4, 4, 2, 3), 9);
    assert_int_equal(c_number(ROW, N, N, 2, 3, 4, 4, 3, 2), 14);
    assert_int_equal(c_number(COL, N, N, 2, 3, 4, 2, 4, 1), 14);
}

static void layouts_agree(void **state)
{
    (void)state;
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 1, 0, 3};
    const float row_want[] = {5, 11, 14, 23}; /* 2x3 times 3x2 */
    const float col_want[] = {11, 14, 16, 20};
    float c[] = {NAN, NAN, NAN, NAN};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    assert_memory_equal(c, row_want, sizeof c);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 3, 1, a, 2, b, 3, 0, c, 2);
    assert_memory_equal(c, col_want, sizeof c);
}

typedef void fortran_dgemm(const char *, const char *, const int64_t *, const int64_t *,
                           const int64_t *, const double *, const double *, const int64_t *,
                           const double *, const int64_t *, const double *, double *,
                           const int64_t *);
typedef void c_dgemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int64_t, int64_t, int64_t,
                     double, const double *, int64_t, const double *, int64_t, double, double *,
                     int64_t);

/* Numbers that 32 bits would cut: to 1, to a good leading dimension, to nothing at all. */
static void wide_in(fortran_dgemm *by_fortran, c_dgemm *by_c)
{
    const int64_t cut = (int64_t)1 << 32, one = 1, minus = -cut;
    const double a = 2, b = 3, alpha = 1, beta = 0;
    double c = NAN;
    reported = 0;
    by_fortran("N", "N", &one, &one, &one, &alpha, &a, &cut, &b, &cut, &beta, &c, &cut);
    assert_int_equal(reported, 0);
    assert_true(c == 6);
    c = 5;
    by_fortran("N", "N", &one, &minus, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one);
    assert_int_equal(reported, 4);
    const int64_t rows = cut + 1;
    by_fortran("N", "N", &rows, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &rows);
    assert_int_equal(reported, 8);
    by_c(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, 1, 1, 1, &a, rows, &b, 1, 0, &c, 1);
    assert_int_equal(reported, 14);
    assert_true(c == 5); /* as it was */
}

static void wide_integers_are_wide(void **state)
{
    (void)state;
    wide_in(dgemm_64_, cblas_dgemm64_);
    wide_in(scipy_dgemm_64_, scipy_cblas_dgemm64_);
}

static void quick_returns(void **state)
{
    (void)state;
    double c[] = {3, NAN};
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 5, 0, NULL, 1, NULL, 5, 2, c, 1);
    assert_true(c[0] == 6); /* alpha 0: A and B are not read */
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 0, 1, NULL, 1, NULL, 1, 1, c, 1);
    assert_true(c[0] == 6);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 0, 1, NULL, 1, NULL, 1, 0, c + 1,
                1);
    assert_true(c[1] == 0);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 0, 1, 5, 1, NULL, 1, NULL, 5, 0, NULL,
                1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fortran_numbers), cmocka_unit_test(cblas_numbers),
        cmocka_unit_test(layouts_agree),   cmocka_unit_test(wide_integers_are_wide),
        cmocka_unit_test(quick_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

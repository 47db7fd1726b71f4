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
static int reported, was_row_major;
static char reporter[32];

void xerbla_(const char *routine, const int *info, size_t routine_length)
{
    reported = *info;
    strncpy(reporter, routine, routine_length)[routine_length] = 0;
}

void cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    (void)form;
    reported = info;
    was_row_major = RowMajorStrg;
    strcpy(reporter, routine);
}

static int fortran(const char *ta, const char *tb, int m, int n, int k, int lda, int ldb, int ldc)
{
    const float one = 1, zero = 0, a[64] = {0};
    float c[64] = {5};
    reported = 0;
    sgemm_(ta, tb, &m, &n, &k, &one, a, &lda, a, &ldb, &zero, c, &ldc);
    if (reported) {
        assert_string_equal(reporter, "SGEMM ");
        assert_true(c[0] == 5);
    }
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
    const double a[64] = {0};
    double c[64] = {5};
    reported = 0;
    cblas_dgemm((CBLAS_LAYOUT)layout, (CBLAS_TRANSPOSE)ta, (CBLAS_TRANSPOSE)tb, m, n, k, 1, a, lda,
                a, ldb, 0, c, ldc);
    if (reported) {
        assert_string_equal(reporter, "cblas_dgemm");
        assert_true(c[0] == 5);
        assert_int_equal(was_row_major, layout == CblasRowMajor);
        assert_int_equal(RowMajorStrg, 0);
    }
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
        cmocka_unit_test(fortran_numbers),
        cmocka_unit_test(cblas_numbers),
        cmocka_unit_test(layouts_agree),
        cmocka_unit_test(quick_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

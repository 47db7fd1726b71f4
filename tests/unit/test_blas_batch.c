/* test_blas_batch.c: batches by BLAS's names: every product, and every bad argument, in both widths
 * of integers. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gradus/cblas.h>

#include <stdio.h>
#include <string.h>

enum { ROW = CblasRowMajor, COL = CblasColMajor, N = CblasNoTrans, T = CblasTrans, ROOM = 4096 };

static int reported, was_row_major;
static char reporter[64], reported_text[256];

static void note(int64_t info, const char *routine, const char *form, va_list args)
{
    reported = (int)info;
    was_row_major = RowMajorStrg;
    snprintf(reporter, sizeof reporter, "%s", routine);
    vsnprintf(reported_text, sizeof reported_text, form, args);
}

void cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    note(info, routine, form, args);
    va_end(args);
}

void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    note(info, routine, form, args);
    va_end(args);
}

/* Small whole numbers: any order of summation gives the same bits. */
static void fill(double *x, int64_t count, int seed)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)((i * 7 + seed * 5) % 13 - 6);
}

enum { GROUPS = 4, PRODUCTS = 9 };

/* Four groups of 3, 0, 1 and 5 products, of all four transposes. */
struct batch {
    CBLAS_LAYOUT layout;
    CBLAS_TRANSPOSE ta[GROUPS], tb[GROUPS];
    int m[GROUPS], n[GROUPS], k[GROUPS], lda[GROUPS], ldb[GROUPS], ldc[GROUPS], size[GROUPS], count;
    double alpha[GROUPS], beta[GROUPS];
    const double *a[PRODUCTS], *b[PRODUCTS];
    double *c[PRODUCTS];
};

static double as[ROOM], bs[ROOM], cs[ROOM];

static struct batch good_batch(int layout)
{
    const CBLAS_TRANSPOSE t[] = {CblasNoTrans, CblasTrans};
    const int sizes[] = {3, 0, 1, 5};
    struct batch x = {.layout = (CBLAS_LAYOUT)layout, .count = GROUPS};
    for (int g = 0, product = 0; g < GROUPS; g++) {
        x.ta[g] = t[g & 1], x.tb[g] = t[g >> 1];
        x.m[g] = 3 + g, x.n[g] = 7 - g, x.k[g] = 2 + 3 * g;
        x.lda[g] = x.ldb[g] = 13, x.ldc[g] = 9 + g;
        x.alpha[g] = g + 1, x.beta[g] = g - 1;
        x.size[g] = sizes[g];
        for (int i = 0; i < sizes[g]; i++, product++) {
            x.a[product] = as + 11 * product;
            x.b[product] = bs + 17 * product;
            x.c[product] = cs + 200 * product;
        }
    }
    fill(as, ROOM, 1);
    fill(bs, ROOM, 2);
    fill(cs, ROOM, 3);
    return x;
}

static void run_narrow(const struct batch *x)
{
    const double *a[PRODUCTS], *b[PRODUCTS];
    double *c[PRODUCTS];
    memcpy(a, x->a, sizeof a), memcpy(b, x->b, sizeof b), memcpy(c, x->c, sizeof c);
    cblas_dgemm_batch(x->layout, x->ta, x->tb, x->m, x->n, x->k, x->alpha, a, x->lda, b, x->ldb,
                      x->beta, c, x->ldc, x->count, x->size);
}

static void widen(int64_t *to, const int *from)
{
    for (int i = 0; i < GROUPS; i++)
        to[i] = from[i];
}

static void run_wide(const struct batch *x)
{
    const double *a[PRODUCTS], *b[PRODUCTS];
    double *c[PRODUCTS];
    int64_t w[7][GROUPS];
    const int *const narrow[] = {x->m, x->n, x->k, x->lda, x->ldb, x->ldc, x->size};
    for (int i = 0; i < 7; i++)
        widen(w[i], narrow[i]);
    memcpy(a, x->a, sizeof a), memcpy(b, x->b, sizeof b), memcpy(c, x->c, sizeof c);
    cblas_dgemm_batch64_(x->layout, x->ta, x->tb, w[0], w[1], w[2], x->alpha, a, w[3], b, w[4],
                         x->beta, c, w[5], x->count, w[6]);
}

static void run_one_by_one(const struct batch *x)
{
    int product = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < x->size[g]; i++, product++)
            cblas_dgemm(x->layout, x->ta[g], x->tb[g], x->m[g], x->n[g], x->k[g], x->alpha[g],
                        x->a[product], x->lda[g], x->b[product], x->ldb[g], x->beta[g],
                        x->c[product], x->ldc[g]);
}

static void groups_are_products(void **state)
{
    (void)state;
    static double want[ROOM];
    for (int layout = ROW; layout <= COL; layout++) {
        struct batch x = good_batch(layout);
        run_one_by_one(&x);
        memcpy(want, cs, sizeof want);
        x = good_batch(layout);
        assert_true(memcmp(want, cs, sizeof want) != 0);
        run_narrow(&x);
        assert_memory_equal(want, cs, sizeof want);
        x = good_batch(layout);
        run_wide(&x);
        assert_memory_equal(want, cs, sizeof want);
    }
}

static void floats_are_floats(void **state)
{
    (void)state;
    const CBLAS_TRANSPOSE t[] = {CblasNoTrans, CblasNoTrans};
    const int one[] = {1, 1}, sizes[] = {1, 1};
    const int64_t one64[] = {1, 1}, sizes64[] = {1, 1};
    const float alpha[] = {2, 3}, beta[] = {1, -1}, x = 5, y = 7, *a[] = {&x, &y}, *b[] = {&y, &y};
    float c[] = {100, 200}, *cc[] = {c, c + 1};
    cblas_sgemm_batch(CblasRowMajor, t, t, one, one, one, alpha, a, one, b, one, beta, cc, one, 2,
                      sizes);
    assert_true(c[0] == 170 && c[1] == -53);
    cblas_sgemm_batch64_(CblasColMajor, t, t, one64, one64, one64, alpha, a, one64, b, one64, beta,
                         cc, one64, 2, sizes64);
    assert_true(c[0] == 240 && c[1] == 200);
    const float as3[] = {1, 2, 3};
    float cs3[] = {0, -1, 0, -1, 0};
    cblas_sgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 2, as3, 1, 1, &x,
                              1, 0, 1, cs3, 1, 2, 3);
    cblas_sgemm_batch_strided64_(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 2, as3, 1, 1,
                                 &x, 1, 0, 1, cs3, 1, 2, 3);
    const float want[] = {20, -1, 40, -1, 60};
    assert_memory_equal(cs3, want, sizeof want);
}

/* The number that both widths report for a batch whose last group is bad; nothing at all is
 * computed. */
static int groups_number(const struct batch *x, const char *routine)
{
    static double before[ROOM];
    memcpy(before, cs, sizeof before);
    int numbers[2];
    for (int wide = 0; wide < 2; wide++) {
        reported = 0;
        was_row_major = 1;
        (wide ? run_wide : run_narrow)(x);
        assert_int_equal(was_row_major, 0); /* the number is the declaration's */
        assert_string_equal(reporter, routine);
        assert_memory_equal(before, cs, sizeof before);
        numbers[wide] = reported;
    }
    assert_int_equal(numbers[0], numbers[1]);
    return numbers[0];
}

/* good_batch with one statement more, which makes an argument bad. */
#define EXPECT_GROUPS(layout, number, statement)                                                   \
    do {                                                                                           \
        struct batch x = good_batch(layout);                                                       \
        statement;                                                                                 \
        assert_int_equal(groups_number(&x, "cblas_dgemm_batch"), number);                          \
    } while (0)

static void bad_groups(void **state)
{
    (void)state;
    EXPECT_GROUPS(7, 1, x.count = -1);
    for (int layout = ROW; layout <= COL; layout++) {
        const int row = layout == ROW;
        EXPECT_GROUPS(layout, 15, x.count = -1);
        EXPECT_GROUPS(layout, 2, x.ta[3] = (CBLAS_TRANSPOSE)1);
        assert_string_equal(reported_text, "in group 3, counted from 0\n");
        EXPECT_GROUPS(layout, 3, x.tb[3] = (CBLAS_TRANSPOSE)1);
        EXPECT_GROUPS(layout, 4, x.m[3] = -1);
        EXPECT_GROUPS(layout, 5, x.n[3] = -1);
        EXPECT_GROUPS(layout, 6, x.k[3] = -1);
        EXPECT_GROUPS(layout, 9, x.lda[3] = (row ? x.m[3] : x.k[3]) - 1);
        EXPECT_GROUPS(layout, 9, x.lda[0] = (row ? x.k[0] : x.m[0]) - 1);
        assert_string_equal(reported_text, "in group 0, counted from 0\n");
        EXPECT_GROUPS(layout, 11, x.ldb[3] = (row ? x.k[3] : x.n[3]) - 1);
        EXPECT_GROUPS(layout, 11, x.ldb[1] = (row ? x.n[1] : x.k[1]) - 1); /* though it is empty */
        EXPECT_GROUPS(layout, 14, x.ldc[3] = (row ? x.n[3] : x.m[3]) - 1);
        EXPECT_GROUPS(layout, 16, x.size[3] = -1);
        EXPECT_GROUPS(layout, 8, x.a[8] = NULL);
        EXPECT_GROUPS(layout, 10, x.b[4] = NULL);
        EXPECT_GROUPS(layout, 13, x.c[5] = NULL);
        assert_string_equal(reported_text,
                            "in group 3, counted from 0: c_array[1]: found a null pointer, "
                            "wanted a matrix\n");
    }
}

static void no_groups(void **state)
{
    (void)state;
    reported = 0;
    cblas_sgemm_batch(CblasRowMajor, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                      NULL, NULL, NULL, 0, NULL);
    cblas_sgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, NULL, 1, 1,
                              NULL, 1, 1, 0, NULL, 1, 1, 0);
    assert_int_equal(reported, 0);
}

struct strided {
    int layout, ta, tb, m, n, k, lda, stride_a, ldb, stride_b, ldc, stride_c, count;
};

static void run_strided(const struct strided *s, int wide)
{
    const CBLAS_LAYOUT l = (CBLAS_LAYOUT)s->layout;
    const CBLAS_TRANSPOSE t = (CBLAS_TRANSPOSE)s->ta, u = (CBLAS_TRANSPOSE)s->tb;
    if (wide)
        cblas_dgemm_batch_strided64_(l, t, u, s->m, s->n, s->k, 2, as, s->lda, s->stride_a, bs,
                                     s->ldb, s->stride_b, -1, cs, s->ldc, s->stride_c, s->count);
    else
        cblas_dgemm_batch_strided(l, t, u, s->m, s->n, s->k, 2, as, s->lda, s->stride_a, bs, s->ldb,
                                  s->stride_b, -1, cs, s->ldc, s->stride_c, s->count);
}

static void fill_all(void)
{
    fill(as, ROOM, 4);
    fill(bs, ROOM, 5);
    fill(cs, ROOM, 6);
}

static void strides_are_products(void **state)
{
    (void)state;
    static double want[ROOM];
    for (int i = 0; i < 32; i++) {
        const int shared = i >> 3; /* strides of 0 */
        const struct strided s = {i & 1 ? ROW : COL,
                                  i & 2 ? N : T,
                                  i & 4 ? N : T,
                                  3,
                                  4,
                                  5,
                                  6,
                                  shared & 1 ? 0 : 40,
                                  7,
                                  shared & 2 ? 0 : 50,
                                  5,
                                  31,
                                  6};
        fill_all();
        for (int p = 0; p < s.count; p++)
            cblas_dgemm((CBLAS_LAYOUT)s.layout, (CBLAS_TRANSPOSE)s.ta, (CBLAS_TRANSPOSE)s.tb, s.m,
                        s.n, s.k, 2, as + p * s.stride_a, s.lda, bs + p * s.stride_b, s.ldb, -1,
                        cs + p * s.stride_c, s.ldc);
        memcpy(want, cs, sizeof want);
        for (int wide = 0; wide < 2; wide++) {
            fill_all();
            assert_true(memcmp(want, cs, sizeof want) != 0);
            run_strided(&s, wide);
            assert_memory_equal(want, cs, sizeof want);
        }
    }
}

static int strided_number(struct strided s)
{
    static double before[ROOM];
    int numbers[2];
    fill_all();
    memcpy(before, cs, sizeof before);
    for (int wide = 0; wide < 2; wide++) {
        reported = 0;
        run_strided(&s, wide);
        assert_int_equal(was_row_major, 0);
        assert_string_equal(reporter, "cblas_dgemm_batch_strided");
        assert_memory_equal(before, cs, sizeof before);
        numbers[wide] = reported;
    }
    assert_int_equal(numbers[0], numbers[1]);
    return numbers[0];
}

static void bad_strides(void **state)
{
    (void)state;
    struct strided good[] = {{COL, N, N, 3, 4, 5, 3, 40, 5, 50, 3, 31, 6},
                             {ROW, N, N, 3, 4, 5, 5, 40, 4, 50, 4, 31, 6}};
    for (int i = 0; i < 2; i++) {
        struct strided s = good[i];
        const int broken[] = {1, 2, 3, 4, 5, 6, 9, 12, 16, 17, 18};
        int *const member[] = {&s.layout, &s.ta,  &s.tb,  &s.m,        &s.n,    &s.k,
                               &s.lda,    &s.ldb, &s.ldc, &s.stride_c, &s.count};
        for (size_t j = 0; j < sizeof broken / sizeof *broken; j++) {
            s = good[i];
            *member[j] = broken[j] == 17 ? 0 : broken[j] == 18 ? -1 : *member[j] - 1;
            if (broken[j] >= 4 && broken[j] <= 6)
                *member[j] = -1;
            if (broken[j] == 1)
                s.layout = 100;
            if (broken[j] == 2 || broken[j] == 3)
                *member[j] = 110;
            assert_int_equal(strided_number(s), broken[j]);
        }
        s = good[i], s.stride_a = -1;
        assert_int_equal(strided_number(s), 10);
        assert_string_equal(reported_text, "stride_a: found -1, wanted 0 or more\n");
        s = good[i], s.stride_b = -1;
        assert_int_equal(strided_number(s), 13);
        s = good[i], s.stride_c = 2; /* less than a row */
        assert_int_equal(strided_number(s), 17);
    }
}

/* With alpha 0 there need not be an A; a single product needs no stride. */
static void quick_returns(void **state)
{
    (void)state;
    double c[] = {3, 5};
    reported = 0;
    cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 5, 0, NULL, 1, 7,
                              NULL, 5, 7, 2, c, 1, 1, 2);
    assert_true(c[0] == 6 && c[1] == 10);
    cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 5, 0, NULL, 1, 0,
                              NULL, 5, 0, 2, c, 1, 0, 1);
    assert_true(c[0] == 12);
    cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, 0, 1, 5, 1, NULL, 1, 0,
                              NULL, 5, 0, 2, NULL, 1, 0, 3);
    assert_int_equal(reported, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_products),  cmocka_unit_test(floats_are_floats),
        cmocka_unit_test(bad_groups),           cmocka_unit_test(no_groups),
        cmocka_unit_test(strides_are_products), cmocka_unit_test(bad_strides),
        cmocka_unit_test(quick_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

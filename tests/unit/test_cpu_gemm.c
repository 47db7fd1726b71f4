/* test_cpu_gemm.c: gradus_gemm_run against a plain loop, at shapes that have edges everywhere.
 * SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "base/rng.h"
#include "cpu/cpu.h"
#include "sanitized.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAD = 3 }; /* what leading dimensions have beyond the least */
#define ALL_OF(type) .a_type = type, .b_type = type, .c_type = type, .sum_type = type

/* Operands of small integers, so that every sum is exact and every element must be equal. */
struct trial {
    struct gradus_gemm g;
    void *a, *b, *c, *before;
    int64_t a_count, b_count, c_count, pad;
};

static double at(const struct trial *t, const void *x, int64_t i)
{
    return t->g.c_type == GRADUS_F32 ? ((const float *)x)[i] : ((const double *)x)[i];
}

static void *filled(const struct trial *t, int64_t count, double fill, struct gr_rng *rng)
{
    void *x = malloc((size_t)count * 8 + 8);
    assert_non_null(x);
    for (int64_t i = 0; i < count; i++) {
        const double v = isnan(fill) ? fill : (double)(gr_rng_next(rng) % 9) - 4;
        if (t->g.c_type == GRADUS_F32)
            ((float *)x)[i] = (float)v;
        else
            ((double *)x)[i] = v;
    }
    return x;
}

/* Stored rows x stored columns of an m x n operand. */
static int64_t stored(bool transposed, int64_t rows, int64_t cols, int64_t pad, int64_t *ld)
{
    *ld = (transposed ? rows : cols) + pad;
    return (transposed ? cols : rows) * *ld;
}

static void prepare(struct trial *t, struct gr_rng *rng)
{
    struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    t->a_count = stored(col != !!g->trans_a, g->m, g->k, t->pad, &g->lda);
    t->b_count = stored(col != !!g->trans_b, g->k, g->n, t->pad, &g->ldb);
    t->c_count = stored(col, g->m, g->n, t->pad, &g->ldc);
    g->a = t->a = filled(t, t->a_count, 0, rng);
    g->b = t->b = filled(t, t->b_count, 0, rng);
    g->c = t->c = filled(t, t->c_count, g->beta == 0 ? NAN : 0, rng);
    t->before = malloc((size_t)t->c_count * 8 + 8);
    memcpy(t->before, t->c, (size_t)t->c_count * (g->c_type == GRADUS_F32 ? 4 : 8));
}

static void finish(struct trial *t)
{
    free(t->a), free(t->b), free(t->c), free(t->before);
}

static double wanted(const struct trial *t, int64_t i, int64_t j, int64_t where)
{
    const struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    double sum = 0;
    for (int64_t p = 0; p < g->k && g->alpha != 0; p++)
        sum += at(t, t->a, (col != !!g->trans_a) ? p * g->lda + i : i * g->lda + p) *
               at(t, t->b, (col != !!g->trans_b) ? j * g->ldb + p : p * g->ldb + j);
    return g->alpha * sum + (g->beta != 0 ? g->beta * at(t, t->before, where) : 0);
}

static void check(const struct trial *t, const char *what)
{
    const struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    for (int64_t where = 0; where < t->c_count; where++) {
        int64_t i = where / g->ldc, j = where % g->ldc;
        const bool padding = j >= (col ? g->m : g->n);
        const double want =
            padding ? at(t, t->before, where) : wanted(t, col ? j : i, col ? i : j, where);
        const double got = at(t, t->c, where);
        if (!(got == want || (padding && isnan(got) && isnan(want))))
            fail_msg("%s: %s %s %dx%dx%d trans %d%d alpha %g beta %g threads %d: at %d,%d got %g, "
                     "want %g",
                     what, g->c_type == GRADUS_F32 ? "f32" : "f64", col ? "col" : "row", (int)g->m,
                     (int)g->n, (int)g->k, g->trans_a, g->trans_b, g->alpha, g->beta, g->threads,
                     (int)i, (int)j, got, want);
    }
}

static void run_padded(struct gradus_gemm g, const char *isa, int64_t pad, struct gr_rng *rng)
{
    struct trial t = {.g = g, .pad = pad};
    struct gradus_error error = {0};
    prepare(&t, rng);
    if (gr_cpu_gemm(&t.g, isa, &error))
        fail_msg("%s", error.text);
    check(&t, isa ? isa : "the level in use");
    finish(&t);
}

static void run(struct gradus_gemm g, const char *isa, struct gr_rng *rng)
{
    run_padded(g, isa, PAD, rng);
}

static void all_isas(struct gradus_gemm g, struct gr_rng *rng)
{
    const char *isa;
    for (int i = 0; (isa = gr_cpu_isa_at(i)); i++)
        if (gr_cpu_isa_runs(isa))
            run(g, isa, rng);
}

static struct gradus_gemm shape(int variant, int64_t m, int64_t n, int64_t k, double alpha,
                                double beta, int threads)
{
    const enum gradus_type type = variant & 1 ? GRADUS_F64 : GRADUS_F32;
    return (struct gradus_gemm){ALL_OF(type),
                                .layout = variant & 2 ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR,
                                .trans_a = variant >> 2 & 1,
                                .trans_b = variant >> 3 & 1,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = alpha,
                                .beta = beta,
                                .threads = threads};
}

static void shapes(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},     {1, 7, 3},     {5, 1, 9},    {13, 17, 1},
                                       {14, 32, 8},   {15, 33, 31},  {64, 64, 64}, {97, 101, 103},
                                       {3, 300, 130}, {300, 3, 130}, {2, 2, 900}};
    struct gr_rng rng = {1};
    for (int variant = 0; variant < 16; variant++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int64_t *z = sizes[s];
            all_isas(shape(variant, z[0], z[1], z[2], 1.5, 0.5, 1), &rng);
            all_isas(shape(variant, z[0], z[1], z[2], 1, 0, 1), &rng);
        }
}

/* What a call without a level does at once. Around the widths of vectors and tiles, and with
 * leading dimensions that are as small as they may be: a row or a column of C may then be
 * contiguous. */
static void small_products(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1,  1,  2,  3,  4,  5,  7,  8,  9,
                                      15, 16, 17, 31, 33, 49, 64, 65, 97};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, PRODUCTS = 3000 };
    struct gr_rng rng = {4};
    for (int i = 0; i < PRODUCTS; i++) {
        const int64_t m = lengths[gr_rng_next(&rng) % LENGTHS];
        const int64_t n = lengths[gr_rng_next(&rng) % LENGTHS];
        const int64_t k = lengths[gr_rng_next(&rng) % LENGTHS];
        const bool plain = i / 16 % 2;
        run_padded(shape(i % 16, m, n, k, plain ? 1 : -2, plain ? 0 : 0.5, 1), NULL,
                   i / 32 % 2 * PAD, &rng);
    }
}

/* Past every block size: several blocks of m, n and k, the last ones ragged. */
static void blocks(void **state)
{
    (void)state;
    struct gr_rng rng = {2};
    for (int variant = 0; variant < 16; variant += 5)
        run(shape(variant, 239, 61, 901, 2, 1, 1), NULL, &rng);
    run(shape(0, 19, 2300, 401, 1, 0, 1), NULL, &rng);
    run(shape(5, 311, 605, 301, 1, 0, 1), NULL, &rng);
    run(shape(3, 470, 33, 500, 1, -1, 1), "portable", &rng);
}

static void threads(void **state)
{
    (void)state;
    struct gr_rng rng = {3};
    for (int variant = 0; variant < 16; variant += 3)
        for (int n = 2; n <= 5; n++)
            run(shape(variant, 150 + n, 130, 100, 1, 0.5, n), NULL, &rng);
    run(shape(0, 5, 2100, 400, 1, 0, 4), NULL, &rng);
    run(shape(0, 2100, 5, 400, 1, 0, 4), NULL, &rng);
}

static void nothing_to_multiply(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    float c[6] = {1, 2, 3, NAN, 5, 6};
    struct gradus_gemm g = {
        .m = 2, .n = 2, .k = 5, .beta = 2, .lda = 5, .ldb = 2, .c = c, .ldc = 3};
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_OK); /* alpha 0: a and b are null */
    assert_true(c[0] == 2 && c[1] == 4 && c[2] == 3 && isnan(c[3]) && c[4] == 10 && c[5] == 6);
    g.beta = 0;
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_OK);
    assert_true(c[0] == 0 && c[1] == 0 && c[2] == 3 && c[3] == 0 && c[4] == 0 && c[5] == 6);
    g.alpha = 1, g.k = 0, g.beta = 1, c[0] = 9, g.lda = 1;
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_OK);
    assert_true(c[0] == 9);
    g.m = 0, g.k = 5, g.lda = 5, g.c = NULL;
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_OK);
}

static void refuses(struct gradus_gemm g, const char *text)
{
    struct gradus_error error = {0};
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_INVALID);
    assert_string_equal(error.text, text);
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_INVALID);
}

static void bad_members(void **state)
{
    (void)state;
    float x[16] = {0};
    const struct gradus_gemm good = {
        .m = 2, .n = 3, .k = 4, .alpha = 1, .a = x, .lda = 4, .b = x, .ldb = 3, .c = x, .ldc = 3};
    struct gradus_gemm g = good;
    g.m = -1;
    refuses(g, "gradus_gemm_run: m: found -1, wanted 0 or more");
    g = good, g.lda = 3;
    refuses(g,
            "gradus_gemm_run: lda: found 3, wanted at least 4, the length of a stored row (column) "
            "of a");
    g = good, g.k = 0, g.lda = 0;
    refuses(g,
            "gradus_gemm_run: lda: found 0, wanted at least 1, as in BLAS, although a stored row "
            "(column) of a has no elements");
    g.lda = 1;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    g = good, g.trans_b = 1;
    refuses(g,
            "gradus_gemm_run: ldb: found 3, wanted at least 4, the length of a stored row (column) "
            "of b");
    g = good, g.ldc = INT64_MAX;
    refuses(g,
            "gradus_gemm_run: ldc: 2 rows (columns) 9223372036854775807 elements apart do not fit "
            "into memory");
    g = good, g.b = NULL;
    refuses(g, "gradus_gemm_run: b: found a null pointer, wanted a matrix");
    g = good, g.c_type = (enum gradus_type)9;
    refuses(g, "gradus_gemm_run: c_type: found 9, wanted one of enum gradus_type");
    g = good, g.b_type = GRADUS_F64;
    refuses(g,
            "gradus_gemm_run: a_type, b_type, c_type, sum_type: found f32 f64 f32 f32, wanted f32 "
            "f32 f32 f32, f64 f64 f64 f64, bf16 bf16 f32|bf16 f32 or s8|u8 s8|u8 s32 s32");
    g = good, g.threads = -2;
    refuses(g, "gradus_gemm_run: threads: found -2, wanted 0 (as many as allowed) or more");
    assert_int_equal(gradus_gemm_run(NULL, NULL), GRADUS_INVALID);
}

static void nan_and_inf_propagate(void **state)
{
    (void)state;
    double a[4] = {0, 0, 0, 0}, b[4] = {NAN, 1, INFINITY, 1}, c[4] = {7, 7, 7, 7};
    struct gradus_gemm g = {ALL_OF(GRADUS_F64), .m = 2, .n = 2,   .k = 2, .alpha = 1, .a = a,
                            .lda = 2,           .b = b, .ldb = 2, .c = c, .ldc = 2};
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(c[0]) && c[1] == 0 && isnan(c[2]) && c[3] == 0);
}

static void *multiply_often(void *unused)
{
    (void)unused;
    struct gr_rng rng = {(uint64_t)(uintptr_t)&rng};
    for (int i = 0; i < 12; i++)
        run(shape(i, 60 + i, 150, 120, 1, 1, i % 3), NULL, &rng);
    return NULL;
}

static void concurrent_callers(void **state)
{
    (void)state;
    pthread_t callers[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, multiply_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(callers[i], NULL);
}

/* A child of fork has none of its parent's threads, and must multiply all the same. */
static void alive_after_fork(void **state)
{
    (void)state;
    if (fork_is_forbidden())
        skip();
    struct gr_rng rng = {4};
    run(shape(0, 120, 120, 120, 1, 0, 3), NULL, &rng);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        run(shape(0, 120, 120, 120, 1, 0, 3), NULL, &rng);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run(shape(0, 120, 120, 120, 1, 0, 3), NULL, &rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(small_products),
        cmocka_unit_test(blocks),
        cmocka_unit_test(threads),
        cmocka_unit_test(nothing_to_multiply),
        cmocka_unit_test(bad_members),
        cmocka_unit_test(nan_and_inf_propagate),
        cmocka_unit_test(concurrent_callers),
        cmocka_unit_test(alive_after_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

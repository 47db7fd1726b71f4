/* test_cpu_short.c: products of bf16 and of 8-bit integers against plain loops, at every ISA level
 * that runs here. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "cpu/bf16.h"
#include "cpu/cpu.h"
#include "own_bits.h"
#include "sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 3, GUARD = 8 };

/* A problem, its operands, what C was, and what it then is: a copy, so that the thread sanitizer
 * sees C read once. */
struct trial {
    struct gradus_gemm g;
    const char *isa;
    int64_t a_row, a_step, b_step, b_col, c_row, c_col, c_count;
    char *a, *b, *c, *before, *after;
};

static int64_t bytes_of(enum gradus_type type)
{
    return type == GRADUS_BF16 ? 2 : type == GRADUS_S32 || type == GRADUS_F32 ? 4 : 1;
}

static UNWATCHED double element(enum gradus_type type, const char *x, int64_t i)
{
    switch (type) {
    case GRADUS_S8:
        return ((const int8_t *)x)[i];
    case GRADUS_U8:
        return ((const uint8_t *)x)[i];
    case GRADUS_S32:
        return ((const int32_t *)(const void *)x)[i];
    case GRADUS_BF16:
        return (double)gr_bf16_to_f32(((const uint16_t *)(const void *)x)[i]);
    default:
        return (double)((const float *)(const void *)x)[i];
    }
}

/* Bytes of every value, the ends of their ranges most; floats in [-1,1); NaN where C is not to be
 * read. */
static char *filled(enum gradus_type type, int64_t count, bool hostile, struct gr_rng *rng)
{
    char *x = malloc((size_t)(count * bytes_of(type)) + 1);
    assert_non_null(x);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t random = gr_rng_next(rng) >> 8;
        const float real = hostile ? NAN : (float)(gr_rng_unit(rng) * 2 - 1);
        const uint16_t half = gr_bf16_from_f32(real);
        if (type == GRADUS_S8 || type == GRADUS_U8)
            x[i] = (char)(random % 3 ? (random % 3 == 1 ? 0xff : 0x80) : random >> 8);
        else if (type == GRADUS_S32)
            memcpy(x + 4 * i, &random, 4);
        else if (type == GRADUS_F32)
            memcpy(x + 4 * i, &real, 4);
        else
            memcpy(x + 2 * i, &half, 2);
    }
    return x;
}

/* Strides of a stored matrix's rows and columns, as op() sees it; its number of elements. */
static int64_t lay_out(const struct gradus_gemm *g, int trans, int64_t rows, int64_t cols,
                       int64_t *ld, int64_t *row, int64_t *col)
{
    const bool down =
        (g->layout == GRADUS_COL_MAJOR) != !!trans; /* op's columns are runs in memory */
    *ld = (down ? rows : cols) + PAD;
    *row = down ? 1 : *ld;
    *col = down ? *ld : 1;
    return (down ? cols : rows) * *ld;
}

static void prepare(struct trial *t, struct gr_rng *rng)
{
    struct gradus_gemm *g = &t->g;
    t->a = filled(g->a_type, lay_out(g, g->trans_a, g->m, g->k, &g->lda, &t->a_row, &t->a_step),
                  false, rng);
    t->b = filled(g->b_type, lay_out(g, g->trans_b, g->k, g->n, &g->ldb, &t->b_step, &t->b_col),
                  false, rng);
    t->c_count = lay_out(g, 0, g->m, g->n, &g->ldc, &t->c_row, &t->c_col) + 2 * GUARD;
    t->c = filled(g->c_type, t->c_count, g->beta == 0, rng);
    t->before = malloc((size_t)(t->c_count * bytes_of(g->c_type)));
    t->after = malloc((size_t)(t->c_count * bytes_of(g->c_type)));
    assert_non_null(t->before);
    assert_non_null(t->after);
    memcpy(t->before, t->c, (size_t)(t->c_count * bytes_of(g->c_type)));
    g->a = t->a, g->b = t->b, g->c = t->c + GUARD * bytes_of(g->c_type);
}

static void finish(struct trial *t)
{
    free(t->a), free(t->b), free(t->c), free(t->before), free(t->after);
}

static void wrong(const struct trial *t, int64_t i, int64_t j, double got, double want)
{
    const struct gradus_gemm *g = &t->g;
    fail_msg("%s types %d %d %d, layout %d, trans %d%d, %dx%dx%d, alpha %g, beta %g, threads %d: "
             "[%d,%d] got %g, want %g",
             t->isa, (int)g->a_type, (int)g->b_type, (int)g->c_type, (int)g->layout, g->trans_a,
             g->trans_b, (int)g->m, (int)g->n, (int)g->k, g->alpha, g->beta, g->threads, (int)i,
             (int)j, got, want);
}

/* Exact: whole numbers modulo 2^32. */
static UNWATCHED void check_integer(const struct trial *t, int64_t i, int64_t j, int64_t at)
{
    const struct gradus_gemm *g = &t->g;
    int64_t sum = 0;
    int32_t before, got;
    for (int64_t p = 0; p < g->k; p++)
        sum += (int64_t)element(g->a_type, t->a, i * t->a_row + p * t->a_step) *
               (int64_t)element(g->b_type, t->b, p * t->b_step + j * t->b_col);
    memcpy(&before, t->before + at * 4, sizeof before);
    memcpy(&got, t->after + at * 4, sizeof got);
    const uint32_t want =
        (uint32_t)(int64_t)g->alpha * (uint32_t)sum + (uint32_t)(int64_t)g->beta * (uint32_t)before;
    if ((uint32_t)got != want)
        wrong(t, i, j, got, (int32_t)want);
}

/* Within 16 eps of the sum of magnitudes, times sqrt(k)/8 for long sums, and half a unit of bf16.
 */
static UNWATCHED void check_real(const struct trial *t, int64_t i, int64_t j, int64_t at)
{
    const struct gradus_gemm *g = &t->g;
    double sum = 0, magnitude = 0;
    for (int64_t p = 0; p < g->k; p++) {
        const double x = element(g->a_type, t->a, i * t->a_row + p * t->a_step) *
                         element(g->b_type, t->b, p * t->b_step + j * t->b_col);
        sum += x, magnitude += fabs(x);
    }
    const double before = g->beta != 0 ? element(g->c_type, t->before, at) : 0;
    const double want = g->alpha * sum + g->beta * before, got = element(g->c_type, t->after, at);
    const double limit = 16 * fmax(1, sqrt((double)g->k) / 8) * 0x1p-23 *
                         (fabs(g->alpha) * magnitude + fabs(g->beta * before));
    const double rounding = g->c_type == GRADUS_BF16 ? 0x1p-8 * (fabs(want) + limit) : 0;
    if (!(fabs(got - want) <= limit + rounding))
        wrong(t, i, j, got, want);
}

static UNWATCHED void check(const struct trial *t)
{
    const struct gradus_gemm *g = &t->g;
    const int64_t bytes = bytes_of(g->c_type);
    char *untouched = malloc((size_t)t->c_count);
    assert_non_null(untouched);
    memset(untouched, 1, (size_t)t->c_count);
    memcpy(t->after, t->c, (size_t)(t->c_count * bytes));
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const int64_t at = GUARD + i * t->c_row + j * t->c_col;
            untouched[at] = 0;
            if (g->c_type == GRADUS_S32)
                check_integer(t, i, j, at);
            else
                check_real(t, i, j, at);
        }
    for (int64_t at = 0; at < t->c_count; at++)
        if (untouched[at] && memcmp(t->after + at * bytes, t->before + at * bytes, (size_t)bytes))
            fail_msg("%s: written outside of C, at element %d", t->isa, (int)at);
    free(untouched);
}

static void run(struct trial *t)
{
    struct gradus_error error = {0};
    if (gr_cpu_gemm(&t->g, t->isa, &error))
        fail_msg("%s", error.text);
}

static int64_t up_to(int64_t most, struct gr_rng *rng)
{
    return 1 + (int64_t)(gr_rng_next(rng) % (uint64_t)most);
}

/* A random problem of the types of a_type; b_type and c_type may be any that go with it. */
static struct trial random_trial(const char *isa, enum gradus_type type, int64_t most,
                                 struct gr_rng *rng)
{
    static const double scalars[][2] = {{1, 0}, {1, 1}, {-3, 2}, {2, -1}};
    struct trial t = {.isa = isa};
    gradus_gemm_init(&t.g, type);
    const uint64_t bits = gr_rng_next(rng);
    if (type != GRADUS_BF16)
        t.g.b_type = bits & 1 ? GRADUS_S8 : GRADUS_U8;
    else if (bits & 1)
        t.g.c_type = GRADUS_BF16;
    t.g.layout = bits & 2 ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    t.g.trans_a = bits >> 2 & 1, t.g.trans_b = bits >> 3 & 1;
    t.g.alpha = scalars[bits >> 4 & 3][0], t.g.beta = scalars[bits >> 4 & 3][1];
    t.g.threads = 1 + (int)(bits >> 6 & 1) * 2;
    t.g.m = up_to(most, rng), t.g.n = up_to(most, rng), t.g.k = up_to(most, rng);
    return t;
}

static void random_problems(void **state)
{
    (void)state;
    static const enum gradus_type types[] = {GRADUS_S8, GRADUS_U8, GRADUS_BF16};
    struct gr_rng rng = {1};
    const char *isa;
    for (int level = 0; (isa = gr_cpu_isa_at(level)); level++)
        for (int i = 0; gr_cpu_isa_runs(isa) && i < 120; i++) {
            struct trial t = random_trial(isa, types[i % 3], i % 10 ? 60 : 180, &rng);
            prepare(&t, &rng);
            run(&t);
            check(&t);
            finish(&t);
        }
}

/* More than one block in every direction, parts of C of bf16 among them. */
static void past_blocks(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {
        {20, 30, 5000}, {530, 20, 300}, {10, 2100, 40}, {200, 530, 80}, {33, 500, 5000}};
    struct gr_rng rng = {2};
    for (int i = 0; i < 15; i++) {
        struct trial t = random_trial(gr_cpu_isa(), i % 3 ? GRADUS_S8 : GRADUS_BF16, 1, &rng);
        t.g.m = sizes[i % 5][0], t.g.n = sizes[i % 5][1], t.g.k = sizes[i % 5][2];
        prepare(&t, &rng);
        run(&t);
        check(&t);
        finish(&t);
    }
}

/* A C of bf16 is what a C of f32 is, rounded once; and neither depends on the number of threads. */
static void rounded_once(void **state)
{
    (void)state;
    enum { M = 65, N = 131, K = 2500 };
    static float wide[M * N], again[M * N];
    static uint16_t narrow[M * N];
    struct gr_rng rng = {3};
    struct trial t = {.isa = gr_cpu_isa()};
    gradus_gemm_init(&t.g, GRADUS_BF16);
    t.g.m = M, t.g.n = N, t.g.k = K;
    prepare(&t, &rng);
    t.g.ldc = N, t.g.c = wide, t.g.threads = 1;
    run(&t);
    t.g.c = again, t.g.threads = 3;
    run(&t);
    t.g.c = narrow, t.g.c_type = GRADUS_BF16;
    run(&t);
    assert_memory_equal(wide, again, sizeof wide);
    for (int i = 0; i < M * N; i++)
        if (narrow[i] != gr_bf16_from_f32(wide[i]))
            fail_msg("element %d: got %g, want %g rounded", i, (double)gr_bf16_to_f32(narrow[i]),
                     (double)wide[i]);
    finish(&t);
}

/* NaN and Inf come through, and stay in their rows. */
static void not_numbers(void **state)
{
    (void)state;
    enum { N = 20 };
    const uint16_t specials[] = {0x7f81 /* a signalling NaN */, 0x7f80, 0xff80};
    for (int s = 0; s < 3; s++) {
        uint16_t a[N * N], b[N * N], c[N * N];
        for (int i = 0; i < N * N; i++)
            a[i] = b[i] = 0x3f80, c[i] = 0x7fc0;
        a[3 * N + 7] = specials[s];
        struct trial t = {.isa = gr_cpu_isa()};
        gradus_gemm_init(&t.g, GRADUS_BF16);
        t.g.c_type = GRADUS_BF16;
        t.g.m = t.g.n = t.g.k = t.g.lda = t.g.ldb = t.g.ldc = N;
        t.g.a = a, t.g.b = b, t.g.c = c;
        run(&t);
        for (int i = 0; i < N * N; i++) {
            const float got = gr_bf16_to_f32(c[i]);
            if (i / N != 3)
                assert_true(got == N);
            else
                assert_true(s ? isinf(got) && (got > 0) == (s == 1) : isnan(got));
        }
    }
}

/* The epilogue sees whole sums, before they are rounded. */
static void epilogue(void **state)
{
    (void)state;
    enum { N = 50, K = 3000 };
    static int8_t a[N * K], b[K * N];
    static int32_t c[N * N], bias[N];
    struct gr_rng rng = {4};
    for (int i = 0; i < N * K; i++)
        a[i] = (int8_t)gr_rng_next(&rng), b[i] = (int8_t)gr_rng_next(&rng);
    for (int i = 0; i < N; i++)
        bias[i] = 1000 * i - 20000;
    const struct gradus_epilogue e = {.bias = bias, .bias_per_row = 1, .activation = GRADUS_RELU};
    struct trial t = {.isa = gr_cpu_isa()};
    gradus_gemm_init(&t.g, GRADUS_S8);
    t.g.m = t.g.n = t.g.ldb = t.g.ldc = N;
    t.g.k = t.g.lda = K;
    t.g.a = a, t.g.b = b, t.g.c = c, t.g.epilogue = &e;
    run(&t);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int32_t sum = bias[i];
            for (int p = 0; p < K; p++)
                sum += a[i * K + p] * b[p * N + j];
            if (c[i * N + j] != (sum > 0 ? sum : 0))
                wrong(&t, i, j, c[i * N + j], sum > 0 ? sum : 0);
        }
}

/* Operands packed beforehand give the same bits, in more than one block of k. */
static void packed_beforehand(void **state)
{
    (void)state;
    static const enum gradus_type types[] = {GRADUS_S8, GRADUS_U8, GRADUS_BF16};
    struct gr_rng rng = {5};
    for (int i = 0; i < 24; i++) {
        struct trial t = random_trial(NULL, types[i % 3], i % 2 ? 70 : 600, &rng);
        t.g.k = i % 4 ? 2500 : 90;
        t.g.beta = 0;
        prepare(&t, &rng);
        run(&t);
        check(&t);
        const int64_t bytes = t.c_count * bytes_of(t.g.c_type);
        char *plain = malloc((size_t)bytes);
        assert_non_null(plain);
        memcpy(plain, t.c, (size_t)bytes);
        struct gradus_packed *a = NULL, *b = NULL;
        struct gradus_error error = {0};
        if ((i % 3 && gradus_pack(&t.g, GRADUS_A, &a, &error)) ||
            (i % 5 && gradus_pack(&t.g, GRADUS_B, &b, &error)))
            fail_msg("%s", error.text);
        const bool same = !has_own_bits(&t.g);
        t.g.packed_a = a, t.g.packed_b = b;
        t.g.a = a ? NULL : t.g.a, t.g.b = b ? NULL : t.g.b;
        memcpy(t.c, t.before, (size_t)bytes);
        run(&t);
        if (same)
            assert_memory_equal(plain, t.c, bytes);
        else
            check(&t);
        gradus_packed_free(a), gradus_packed_free(b);
        free(plain);
        finish(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems), cmocka_unit_test(past_blocks),
        cmocka_unit_test(rounded_once),    cmocka_unit_test(not_numbers),
        cmocka_unit_test(epilogue),        cmocka_unit_test(packed_beforehand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

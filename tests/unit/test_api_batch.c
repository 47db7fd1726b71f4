/* test_api_batch.c: batches by strides and by pointers. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "sanitized.h"

enum { MOST = 64 };

static void run_and_check(struct trial *t)
{
    struct gradus_error error = {0};
    char why[256];
    if (gradus_gemm_run(&t->g, &error))
        fail_msg("%s", error.text);
    if (!trial_is_right(t, why))
        fail_msg("%s", why);
}

static void strided(struct gradus_gemm g, struct gr_rng *rng)
{
    struct trial t = {.g = g};
    trial_make(&t, rng);
    run_and_check(&t);
    trial_free(&t);
}

/* The same matrices by arrays of pointers; a, b, c and the strides hold what must not be used. */
static void by_pointers(struct gradus_gemm g, struct gr_rng *rng)
{
    struct trial t = {.g = g};
    trial_make(&t, rng);
    const void *a[MOST], *b[MOST];
    void *c[MOST];
    for (int64_t i = 0; i < g.batch; i++) {
        a[i] = (char *)t.a + i * t.g.stride_a * trial_bytes(g.a_type);
        b[i] = (char *)t.b + i * t.g.stride_b * trial_bytes(g.b_type);
        c[i] = (char *)t.c + i * t.g.stride_c * trial_bytes(g.c_type);
    }
    struct gradus_gemm call = t.g;
    call.a = call.b = NULL, call.c = NULL;
    call.stride_a = call.stride_b = call.stride_c = -7;
    call.a_array = a, call.b_array = b, call.c_array = c;
    struct gradus_error error = {0};
    char why[256];
    if (gradus_gemm_run(&call, &error))
        fail_msg("%s", error.text);
    if (!trial_is_right(&t, why))
        fail_msg("by pointers: %s", why);
    trial_free(&t);
}

static void both_ways(struct gradus_gemm g, int64_t batch, int threads, struct gr_rng *rng)
{
    g.batch = batch, g.threads = threads;
    strided(g, rng);
    by_pointers(g, rng);
    g.stride_a = -1; /* one matrix A for all */
    strided(g, rng);
    g.stride_b = -1;
    by_pointers(g, rng);
    trial_scale(&g, 2, 0.5);
    strided(g, rng);
}

/* Of eight layouts and transposes every fourth one, and one in eight under a sanitizer. */
#ifdef UNDER_SANITIZER
enum { EVERY = 8 };
#else
enum { EVERY = 4 };
#endif

/* Small enough to be done in place, or packed; few or many for each thread. */
static void sizes(void **state)
{
    (void)state;
    static const int64_t size[][4] = {{1, 1, 1, 64},    {3, 5, 7, 9},     {4, 4, 4, 50},
                                      {13, 49, 20, 17}, {60, 70, 30, 20}, {97, 101, 99, 3},
                                      {70, 70, 70, 60}, {130, 90, 110, 2}};
    struct gr_rng rng = {11};
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int v = ((int)s + kind) % EVERY; v < 8; v += EVERY)
                both_ways(trial_shape(kind, v, size[s][0], size[s][1], size[s][2]), size[s][3],
                          1 + (v + (int)s) % 4, &rng);
}

/* One product, whichever way it is said. */
static void batch_of_one(void **state)
{
    (void)state;
    struct gr_rng rng = {12};
    by_pointers((struct gradus_gemm){.m = 5, .n = 6, .k = 7, .alpha = 1, .batch = 1}, &rng);
    strided((struct gradus_gemm){.m = 5, .n = 6, .k = 7, .alpha = 1, .batch = 0}, &rng);
}

/* Without a product, C is scaled, each of them. */
static void nothing_to_multiply(void **state)
{
    (void)state;
    struct gr_rng rng = {13};
    struct gradus_gemm g = trial_shape(0, 0, 9, 300, 0);
    g.batch = 20, g.beta = 0.5, g.threads = 3;
    strided(g, &rng);
    g.k = 4, g.alpha = 0, g.beta = 0;
    strided(g, &rng);
}

/* The heads of attention: matrices C side by side in the rows of one. */
static void interleaved(void **state)
{
    (void)state;
    enum { HEADS = 3, M = 5, N = 4, K = 2 };
    float a[HEADS * M * K], b[HEADS * K * N], c[M][HEADS][N];
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = (float)(i % 7) - 3;
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        b[i] = (float)(i % 5) - 2;
    struct gradus_gemm g = trial_shape(0, 0, M, N, K);
    g.a = a, g.lda = K, g.stride_a = M * K;
    g.b = b, g.ldb = N, g.stride_b = K * N;
    g.c = c, g.ldc = HEADS * N, g.stride_c = N;
    g.batch = HEADS;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float want = 0;
                for (int p = 0; p < K; p++)
                    want += a[h * M * K + i * K + p] * b[h * K * N + p * N + j];
                assert_true(c[i][h][j] == want);
            }
}

static enum gradus_status overlapping(int64_t m, int64_t n, int64_t ldc, int64_t stride,
                                      int64_t batch)
{
    static float x[4096];
    struct gradus_gemm g = trial_shape(0, 0, m, n, 1);
    g.a = x, g.lda = 1, g.b = x, g.ldb = n, g.alpha = 0, g.beta = 1;
    g.c = x, g.ldc = ldc, g.stride_c = stride, g.batch = batch;
    return gradus_gemm_run(&g, NULL);
}

/* By brute force: two matrices share an element, or none do. */
static bool really_overlap(int64_t m, int64_t n, int64_t ldc, int64_t stride, int64_t batch)
{
    static int owner[4096];
    memset(owner, 0, sizeof owner);
    for (int64_t z = 0; z < batch; z++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                int *at = &owner[z * stride + i * ldc + j];
                if (*at && *at != (int)z + 1)
                    return true;
                *at = (int)z + 1;
            }
    return false;
}

static void overlaps_are_found(void **state)
{
    (void)state;
    int found = 0, cases = 0;
    for (int64_t m = 1; m <= 4; m++)
        for (int64_t n = 1; n <= 4; n++)
            for (int64_t ldc = n; ldc <= 15; ldc++)
                for (int64_t stride = 0; stride <= 60; stride++)
                    for (int64_t batch = 2; batch <= 4; batch++, cases++) {
                        const bool is = really_overlap(m, n, ldc, stride, batch);
                        found += is;
                        if (overlapping(m, n, ldc, stride, batch) !=
                            (is ? GRADUS_INVALID : GRADUS_OK))
                            fail_msg("m %d n %d ldc %d stride %d batch %d", (int)m, (int)n,
                                     (int)ldc, (int)stride, (int)batch);
                    }
    assert_true(found > cases / 10 && found < cases * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(batch_of_one),
        cmocka_unit_test(nothing_to_multiply),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(overlaps_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

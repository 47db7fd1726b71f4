/* test_api_overlap.c: a C that shares an element with A, B or the bias is refused, and one that
 * lies amid them is not. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "cpu/cpu.h"

static float memory[1 << 16];

static struct gradus_gemm square(int64_t n, const float *a, const float *b, float *c, int64_t ld)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = n;
    g.a = a, g.b = b, g.c = c;
    g.lda = g.ldb = g.ldc = ld;
    return g;
}

static void expect_refused(const struct gradus_gemm *g, const char *with)
{
    struct gradus_error error = {0};
    char wanted[200];
    static float before[1 << 16];
    memcpy(before, memory, sizeof before);
    snprintf(wanted, sizeof wanted,
             "gradus_gemm_run: c: found elements in common with %s, wanted a C that overlaps "
             "nothing that is read",
             with);
    assert_int_equal(gradus_gemm_run(g, &error), GRADUS_INVALID);
    assert_string_equal(error.text, wanted);
    assert_memory_equal(before, memory, sizeof before);
}

static void expect_taken(const struct gradus_gemm *g)
{
    struct gradus_error error = {0};
    if (gradus_gemm_run(g, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

/* Small ones, which go by the shortest way, and larger ones. */
static void the_same(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 150; n = n * 2 + 1) {
        float *x = memory, *y = memory + 40000;
        struct gradus_gemm g = square(n, x, y, x, n);
        expect_refused(&g, "a");
        g.a = y, g.b = x;
        expect_refused(&g, "b");
        g.c = x + n * n - 1; /* one element */
        expect_refused(&g, "b");
        g.c = x + n * n;
        expect_taken(&g);
        if (n == 1)
            continue;
        g.b = x + n * n, g.c = x + 1; /* C's last element is B's first */
        expect_refused(&g, "b");
        g.layout = GRADUS_COL_MAJOR;
        expect_refused(&g, "b");
        g.alpha = 0; /* A and B are not read */
        expect_taken(&g);
    }
}

/* Parts of one matrix, as in a factorization by blocks. */
static void parts_of_one_matrix(void **state)
{
    (void)state;
    const int64_t ld = 250;
    for (int64_t n = 2; n <= 80; n += 13)
        for (int col = 0; col < 2; col++) {
            float *a = memory + n, *b = memory + n * ld, *c = memory + n * ld + n;
            struct gradus_gemm g = square(n, b, a, c, ld);
            g.layout = col ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
            g.alpha = -1, g.beta = 1;
            expect_taken(&g);
            g.c = c - 1; /* a column too far to the left */
            expect_refused(&g, "a");
            g.c = c - ld;
            expect_refused(&g, "b");
            g.c = memory + ld - n / 2; /* over the end of a row, beside the others */
            g.a = g.b = memory + n;
            expect_taken(&g);
        }
}

/* What the check must find, element by element. */
static bool shares(const struct gradus_gemm *g)
{
    static bool written[sizeof memory / 4];
    memset(written, 0, sizeof written);
    const float *const a = g->a, *const b = g->b;
    const float *c = g->c;
    for (int64_t z = 0; z < (g->batch > 1 ? g->batch : 1); z++)
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++)
                written[c - memory + z * g->stride_c + i * g->ldc + j] = true;
    for (int64_t z = 0; z < (g->batch > 1 ? g->batch : 1); z++) {
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t p = 0; p < g->k; p++)
                if (written[a - memory + z * g->stride_a + i * g->lda + p])
                    return true;
        for (int64_t p = 0; p < g->k; p++)
            for (int64_t j = 0; j < g->n; j++)
                if (written[b - memory + z * g->stride_b + p * g->ldb + j])
                    return true;
    }
    return false;
}

static int64_t below(struct gr_rng *rng, int64_t count)
{
    return (int64_t)(gr_rng_next(rng) % (uint64_t)count);
}

static void anywhere(void **state)
{
    (void)state;
    struct gr_rng rng = {71};
    int refused = 0, taken = 0;
    for (int i = 0; i < 20000; i++) {
        struct gradus_gemm g;
        gradus_gemm_init(&g, GRADUS_F32);
        g.m = 1 + below(&rng, 6), g.n = 1 + below(&rng, 6), g.k = 1 + below(&rng, 6);
        const int64_t ld = 8 + below(&rng, 40);
        const bool same = below(&rng, 2);
        g.lda = same ? ld : g.k + below(&rng, 40);
        g.ldb = same ? ld : g.n + below(&rng, 40);
        g.ldc = same ? ld : g.n + below(&rng, 40);
        g.batch = below(&rng, 4);
        g.stride_c = g.m * g.ldc + below(&rng, 200);
        g.stride_a = below(&rng, 3) ? g.stride_c : below(&rng, 100);
        g.stride_b = below(&rng, 3) ? g.stride_c : below(&rng, 100);
        g.a = memory + below(&rng, 500), g.b = memory + below(&rng, 500);
        g.c = memory + below(&rng, 500);
        const bool wanted = shares(&g);
        const enum gradus_status status = gradus_gemm_run(&g, NULL);
        if (status != (wanted ? GRADUS_INVALID : GRADUS_OK))
            fail_msg("case %d: status %d, elements are%s shared", i, (int)status,
                     wanted ? "" : " not");
        wanted ? refused++ : taken++;
        memset(memory, 0, sizeof memory);
    }
    assert_true(refused > 1000 && taken > 1000);
}

static void arrays_and_bias(void **state)
{
    (void)state;
    float *x = memory, *y = memory + 1000, *z = memory + 2000;
    const void *a[] = {x, y}, *b[] = {y, x};
    void *c[] = {z, z + 500};
    struct gradus_gemm g = square(10, NULL, NULL, NULL, 10);
    g.a_array = a, g.b_array = b, g.c_array = c, g.batch = 2;
    expect_taken(&g);
    c[1] = y + 99;
    expect_refused(&g, "a");
    c[1] = x + 99;
    expect_refused(&g, "b");
    struct gradus_epilogue epilogue = {.bias = z + 91};
    g = square(10, x, y, z, 10);
    g.epilogue = &epilogue;
    expect_refused(&g, "epilogue->bias");
    epilogue.bias = z + 100;
    expect_taken(&g);
    epilogue.bias = z - 9, epilogue.bias_per_row = 1;
    expect_refused(&g, "epilogue->bias");
    g.k = 0, g.a = g.b = z; /* they are not read, the bias is */
    expect_refused(&g, "epilogue->bias");
}

/* Elements of different sizes. */
static void types(void **state)
{
    (void)state;
    struct gradus_gemm g;
    char *bytes = (char *)memory;
    gradus_gemm_init(&g, GRADUS_U8);
    g.m = g.n = g.k = 16, g.lda = g.ldb = g.ldc = 16;
    g.a = bytes, g.b = bytes + 256, g.c = bytes + 512;
    expect_taken(&g);
    g.c = bytes + 508;
    expect_refused(&g, "b");
    g.a = bytes + 512 + 16 * 16 * 4 - 1, g.c = bytes + 512;
    expect_refused(&g, "a");
    g.a = bytes + 512 + 16 * 16 * 4;
    expect_taken(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same), cmocka_unit_test(parts_of_one_matrix),
        cmocka_unit_test(anywhere), cmocka_unit_test(arrays_and_bias),
        cmocka_unit_test(types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

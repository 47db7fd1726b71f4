/* test_cpu_small_l1.c: a CPU without AVX-512 whose L1 has at most 32 KB reads a transposed A some
 * steps of k at a time: the blocks of k are the same for any number of threads, for any leading
 * dimensions, and where an operand was packed. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "cpu/cpu.h"
#include "cpu/gemm.h"

#include <gradus/gradus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4507 * 300, MOST_C = 128 * 512, FAR_APART = 150, REPEATS = 3 };

/* Deep ones with one block in each part and with several, one with the steps of which L1 holds B,
 * one each with fewer and with more columns, one with a B of more than L2, and one with a few
 * columns more than those of a tile. */
static const int sizes[][3] = {{60, 63, 4507}, {17, 42, 3165}, {51, 85, 507}, {66, 37, 403},
                               {39, 145, 491}, {47, 401, 403}, {66, 21, 507}};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct operands {
    void *a, *b, *c;
};

static void set(enum gradus_type type, void *to, int i, double x)
{
    if (type == GRADUS_F32)
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

/* The same numbers for any leading dimension. */
static void fill(enum gradus_type type, void *to, int rows, int columns, int ld)
{
    struct gr_rng rng = {31};
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            set(type, to, i * ld + j, (double)(int64_t)gr_rng_next(&rng) * 0x1p-63);
}

static struct gradus_gemm product_of(enum gradus_type type, const int *size, int gap,
                                     const struct operands *o)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, type);
    g.m = size[0], g.n = size[1], g.k = size[2];
    g.trans_a = true;
    g.lda = g.m + gap, g.ldb = g.n + gap, g.ldc = g.n;
    g.a = o->a, g.b = o->b, g.c = o->c;
    g.threads = 1;
    fill(type, o->a, size[2], size[0], (int)g.lda);
    fill(type, o->b, size[2], size[1], (int)g.ldb);
    return g;
}

static void expect_same(const struct gradus_gemm *g, const void *want, size_t bytes,
                        const char *what)
{
    assert_int_equal(gradus_gemm_run(g, NULL), GRADUS_OK);
    if (memcmp(g->c, want, bytes))
        fail_msg("%s: other bits: type %d %dx%dx%d", what, (int)g->a_type, (int)g->m, (int)g->n,
                 (int)g->k);
}

static void expect_same_packed(struct gradus_gemm g, enum gradus_operand which, const void *want,
                               size_t bytes)
{
    struct gradus_packed *packed;
    assert_int_equal(gradus_pack(&g, which, &packed, NULL), GRADUS_OK);
    if (which == GRADUS_A)
        g.packed_a = packed, g.a = NULL, g.lda = 0;
    else
        g.packed_b = packed, g.b = NULL, g.ldb = 0;
    expect_same(&g, want, bytes, which == GRADUS_A ? "packed A" : "packed B");
    gradus_packed_free(packed);
}

static void same_bits(void **state)
{
    (void)state;
    static const enum gradus_type types[] = {GRADUS_F32, GRADUS_F64};
    const struct operands o = {malloc(MOST * sizeof(double)), malloc(MOST * sizeof(double)),
                               malloc(MOST_C * sizeof(double))};
    void *want = malloc(MOST_C * sizeof(double));
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < SIZES; s++) {
            const size_t bytes = (size_t)(sizes[s][0] * sizes[s][1]) * (t ? 8 : 4);
            struct gradus_gemm g = product_of(types[t], sizes[s], FAR_APART, &o);
            assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
            memcpy(want, o.c, bytes);
            g = product_of(types[t], sizes[s], 0, &o);
            for (g.threads = 1; g.threads <= REPEATS; g.threads++)
                expect_same(&g, want, bytes, "leading dimensions or threads");
            expect_same_packed(g, GRADUS_A, want, bytes);
            expect_same_packed(g, GRADUS_B, want, bytes);
        }
    free(o.a), free(o.b), free(o.c), free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    if (gr_ukr_pick(GR_F32, NULL)->lanes != 8 || gr_gemm_may_have_avx512() ||
        gr_cpu_cache_bytes(1) > 32 << 10) {
        puts("skip: for a CPU with AVX2, without AVX-512 and with an L1 of at most 32 KB");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

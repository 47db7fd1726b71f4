/* test_cpu_few_sums.c: products of so few sums that blocks of k are computed side by side: which
 * these are, and that each way to multiply them gives the same bits. SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/rng.h"
#include "cpu/cpu.h"
#include "cpu/gemm.h"

enum { MOST_SIDE = 70, MOST_K = 613, APART = 3 };
enum { MOST = (MOST_SIDE + APART) * (MOST_K + APART) };

static char a[MOST * 8], b[MOST * 8];

/* Sums of these are rounded at nearly each step: another order has other bits. */
static void fill(char *x, int kind, struct gr_rng *rng)
{
    for (int64_t i = 0; i < MOST; i++) {
        const double value = (double)(gr_rng_next(rng) >> 40) / (1 << 24) - 0.5;
        if (kind == GRADUS_F32)
            ((float *)(void *)x)[i] = (float)value;
        else
            ((double *)(void *)x)[i] = value;
    }
}

static struct gradus_gemm gemm_of(int kind, int64_t m, int64_t n, int64_t k, int trans, char *c)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, (enum gradus_type)kind);
    g.m = m, g.n = n, g.k = k;
    g.trans_a = trans >> 1, g.trans_b = trans & 1;
    g.alpha = 1.25, g.beta = 0.75;
    g.a = a, g.lda = (g.trans_a ? m : k) + APART;
    g.b = b, g.ldb = (g.trans_b ? k : n) + APART;
    g.c = c, g.ldc = n + APART;
    g.threads = 1;
    return g;
}

static struct gr_product product_of(const struct gradus_gemm *g)
{
    struct gr_product p;
    assert_int_equal(gr_gemm_prepare(g, NULL, &p, NULL), GRADUS_OK);
    return p;
}

enum { MOST_C = (MOST_SIDE + APART) * MOST_SIDE * 8 };

static void run(const struct gradus_gemm *g, char *c)
{
    struct gradus_gemm call = *g;
    struct gradus_error error = {0};
    memcpy(c, b, MOST_C);
    call.c = c;
    if (gradus_gemm_run(&call, &error))
        fail_msg("%s", error.text);
}

static void expect_same(const struct gradus_gemm *g, const char *want, const char *found,
                        const char *how)
{
    if (memcmp(want, found, MOST_C) != 0)
        fail_msg("%s %dx%dx%d trans %d%d has other bits %s",
                 g->a_type == GRADUS_F32 ? "f32" : "f64", (int)g->m, (int)g->n, (int)g->k,
                 g->trans_a, g->trans_b, how);
}

/* The blocks one after another, as products of their own. */
static void run_blocks(const struct gradus_gemm *g, int64_t depth, char *c)
{
    const int64_t bytes = g->a_type == GRADUS_F32 ? 4 : 8;
    const struct gr_product p = product_of(g);
    const double one_f64 = 1;
    const float one_f32 = 1;
    memcpy(c, b, MOST_C);
    for (int64_t pc = 0; pc < p.k; pc += depth) {
        char packed_a[MOST_K * 16 * 8], packed_b[MOST_K * 64 * 8];
        const int64_t k = p.k - pc < depth ? p.k - pc : depth;
        const int64_t mr = p.ukr->mr, nr = p.ukr->nr;
        for (int64_t i = 0; i < p.m; i += mr)
            for (int64_t j = 0; j < p.n; j += nr) {
                const int64_t m = p.m - i < mr ? p.m - i : mr, n = p.n - j < nr ? p.n - j : nr;
                for (int64_t s = 0; s < k; s++) {
                    for (int64_t x = 0; x < m; x++)
                        memcpy(packed_a + (s * mr + x) * bytes,
                               p.a + ((i + x) * p.a_row + (pc + s) * p.a_col) * bytes,
                               (size_t)bytes);
                    for (int64_t x = 0; x < nr; x++)
                        memcpy(packed_b + (s * nr + x) * bytes,
                               p.b + ((pc + s) * p.b_row + (j + (x < n ? x : n - 1)) * p.b_col) *
                                         bytes,
                               (size_t)bytes);
                }
                const void *one = bytes == 4 ? (const void *)&one_f32 : &one_f64;
                p.ukr->run(m, n, k, &p.alpha, packed_a, packed_b, pc ? one : &p.beta,
                           c + (i * p.ldc + j) * bytes, p.ldc);
            }
    }
}

static bool has_dots(const struct gr_product *p)
{
    struct gr_dispatch d = {.ukr = p->ukr};
    p->driver->describe(p, 1, &d);
    return strcmp(d.path, "dots") == 0 || (d.tail_path && strcmp(d.tail_path, "dots") == 0);
}

/* Whether its blocks were compared with others. */
static bool try_product(int kind, int64_t m, int64_t n, int64_t k, int trans)
{
    static char want[MOST_C], found[MOST_C];
    struct gradus_gemm g = gemm_of(kind, m, n, k, trans, want);
    const struct gr_product p = product_of(&g);
    if (has_dots(&p))
        return false;
    run(&g, want);
    run_blocks(&g, gr_few_sums_depth(k, p.few_sums_log2), found);
    if (p.few_sums_log2)
        expect_same(&g, want, found, "than its blocks one after another");
    for (int which = 0; which < 2; which++) {
        struct gradus_packed *packed;
        assert_int_equal(gradus_pack(&g, which ? GRADUS_B : GRADUS_A, &packed, NULL), GRADUS_OK);
        struct gradus_gemm with = g;
        if (which)
            with.packed_b = packed, with.b = NULL, with.ldb = 0;
        else
            with.packed_a = packed, with.a = NULL, with.lda = 0;
        run(&with, found);
        gradus_packed_free(packed);
        expect_same(&g, want, found, which ? "with B packed" : "with A packed");
    }
    struct gradus_epilogue linear = {.bias = NULL};
    struct gradus_gemm other = g;
    other.threads = 3, other.epilogue = &linear;
    run(&other, found);
    expect_same(&g, want, found, "by several threads");
    return p.few_sums_log2 > 0;
}

static const int64_t depths[] = {15, 16, 17, 50, 67, 130, 405, MOST_K};
enum { DEPTHS = sizeof depths / sizeof *depths };

static void same_bits(void **state)
{
    (void)state;
    static const int64_t sides[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, MOST_SIDE};
    struct gr_rng rng = {29};
    int compared = 0;
    for (int kind = GRADUS_F32; kind <= GRADUS_F64; kind++) {
        fill(a, kind, &rng);
        fill(b, kind, &rng);
        for (size_t x = 0; x < sizeof sides / sizeof *sides; x++)
            for (int few = 1; few <= 5; few++)
                for (int d = 0; d < DEPTHS; d++)
                    for (int trans = 0; trans < 4; trans++)
                        compared += try_product(kind, few, sides[x], depths[d], trans) +
                                    try_product(kind, sides[x], few, depths[d], trans);
    }
    assert_true(compared > 400);
}

static int log2_of(int kind, int64_t m, int64_t n, int64_t k)
{
    char c[8];
    const struct gradus_gemm g = gemm_of(kind, m, n, k, 0, c);
    return product_of(&g).few_sums_log2;
}

/* One vector of sums or two have four blocks, and a few more have two, whichever way the vectors
 * run. */
static void numbers_of_blocks(void **state)
{
    (void)state;
    for (int kind = GRADUS_F32; kind <= GRADUS_F64; kind++) {
        const int64_t lanes = gr_ukr_pick(kind == GRADUS_F32 ? GR_F32 : GR_F64, NULL)->lanes;
        assert_int_equal(log2_of(kind, 1, lanes, 400), 2);
        assert_int_equal(log2_of(kind, lanes, 1, 400), 2);
        assert_int_equal(log2_of(kind, 2, lanes, 400), 2);
        assert_int_equal(log2_of(kind, lanes, 3, 400), 1);
        assert_int_equal(log2_of(kind, 1, lanes, 9), 0);
        assert_int_equal(log2_of(kind, 6, 2 * lanes, 400), 0);
        assert_int_equal(log2_of(kind, 1, 16 * lanes, 400), 0);
        assert_int_equal(log2_of(kind, 1, lanes, 80 * 80 * 80), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(numbers_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

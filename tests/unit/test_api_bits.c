/* test_api_bits.c: the bits of a result depend on the problem alone: not on threads, contexts,
 * workspaces, batching, nor (but for dot products) packing beforehand. SPDX-License-Identifier: MIT
 */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "probe/dispatched.h"
#include "sanitized.h"

/* Numbers whose sums are rounded: another order of adding shows. */
static void roughen(enum gradus_type type, void *x, int64_t count, struct gr_rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        trial_store(type, x, i, (double)(int64_t)gr_rng_next(rng) * 0x1p-63 + 1e-9);
}

static void make_rough(struct trial *t, struct gr_rng *rng)
{
    trial_make(t, rng);
    struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    if (g->sum_type == GRADUS_S32)
        return; /* exact whatever the order */
    roughen(g->a_type, t->a, (col != !!g->trans_a ? g->k : g->m) * g->lda, rng);
    roughen(g->b_type, t->b, (col != !!g->trans_b ? g->n : g->k) * g->ldb, rng);
}

static void *run_afresh(struct trial *t, const struct gradus_gemm *g)
{
    const size_t bytes = (size_t)(t->c_count * trial_bytes(g->c_type));
    struct gradus_error error = {0};
    memcpy(t->c, t->before, bytes);
    if (gradus_gemm_run(g, &error))
        fail_msg("%s", error.text);
    void *result = malloc(bytes);
    memcpy(result, t->c, bytes);
    return result;
}

static void expect_same(struct trial *t, const struct gradus_gemm *g, const void *want,
                        const char *what)
{
    void *got = run_afresh(t, g);
    if (memcmp(got, want, (size_t)(t->c_count * trial_bytes(g->c_type))))
        fail_msg(
            "%s: other bits than one thread's: type %d layout %d trans %d%d %dx%dx%d threads %d",
            what, (int)g->a_type, (int)g->layout, g->trans_a, g->trans_b, (int)g->m, (int)g->n,
            (int)g->k, g->threads);
    free(got);
}

static void with_threads(struct trial *t, const void *want)
{
    static const int threads[] = {2, 3, 5};
    for (int i = 0; i < 3; i++) {
        t->g.threads = threads[i];
        expect_same(t, &t->g, want, "threads");
    }
    t->g.threads = 1;
}

static void with_context(struct trial *t, const void *want)
{
    struct gradus_gemm g = t->g;
    assert_int_equal(gradus_context_create(3, &g.context, NULL), GRADUS_OK);
    g.threads = 0;
    expect_same(t, &g, want, "context");
    expect_same(t, &g, want, "context again");
    gradus_context_free(g.context);
}

static void with_workspace(struct trial *t, const void *want)
{
    struct gradus_gemm g = t->g;
    g.threads = 3;
    const int64_t bytes = gradus_gemm_workspace(&g, NULL);
    assert_true(bytes >= 0);
    char *memory = malloc((size_t)bytes + 1);
    g.workspace = memory + 1, g.workspace_bytes = bytes;
    expect_same(t, &g, want, "workspace");
    free(memory);
}

/* Twice in a batch, the second time with a C of its own. */
static void in_batch(struct trial *t, const void *want)
{
    const size_t bytes = (size_t)(t->c_count * trial_bytes(t->g.c_type));
    char *second = malloc(bytes + 1);
    struct gradus_gemm g = t->g;
    const void *a[] = {g.a, g.a}, *b[] = {g.b, g.b};
    void *c[] = {g.c, second + ((char *)g.c - (char *)t->c)};
    memcpy(second, t->before, bytes);
    g.batch = 2, g.a_array = a, g.b_array = b, g.c_array = c;
    expect_same(t, &g, want, "batch");
    assert_memory_equal(second, want, bytes);
    free(second);
}

static void with_packed(struct trial *t, const void *want)
{
    struct gradus_gemm g = t->g;
    if (has_own_bits(&g))
        return;
    struct gradus_packed *a, *b;
    assert_int_equal(gradus_pack(&g, GRADUS_A, &a, NULL), GRADUS_OK);
    assert_int_equal(gradus_pack(&g, GRADUS_B, &b, NULL), GRADUS_OK);
    g.packed_a = a, g.a = NULL, g.lda = 0;
    if (ONE_THREAD_TOO)
        expect_same(t, &g, want, "packed A");
    g.packed_b = b, g.b = NULL, g.ldb = 0;
    g.threads = 3;
    expect_same(t, &g, want, "packed A and B");
    g.packed_a = NULL, g.a = t->g.a, g.lda = t->g.lda;
    expect_same(t, &g, want, "packed B");
    gradus_packed_free(a);
    gradus_packed_free(b);
}

static void compare(int kind, int v, const int64_t *size, struct gr_rng *rng)
{
    struct trial t = {.g = trial_shape(kind, v, size[0], size[1], size[2])};
    t.g.threads = 1;
    trial_scale(&t.g, 1.25, 0.75);
    make_rough(&t, rng);
    void *want = run_afresh(&t, &t.g);
    with_threads(&t, want);
    with_context(&t, want);
    with_workspace(&t, want);
    if (ONE_THREAD_TOO)
        in_batch(&t, want);
    with_packed(&t, want);
    free(want);
    trial_free(&t);
}

/* Of eight layouts and transposes every second one, and one in eight under a sanitizer, which takes
 * up to a hundred times as long. */
#ifdef UNDER_SANITIZER
enum { VARIANTS = 8 };
#else
enum { VARIANTS = 2 };
#endif

/* Small and large, thin and deep: every path that a shape can take. */
static void shapes(void **state)
{
    (void)state;
    static const int64_t size[][3] = {
        {5, 7, 9},       {61, 67, 71},   {131, 127, 137}, {255, 129, 601}, {1, 300, 700},
        {300, 1, 700},   {17, 19, 7001}, {8, 1001, 257},  {1001, 8, 257},  {601, 601, 64},
        {33, 2100, 401}, {3, 5, 3001},   {7, 1100, 300},  {1, 2100, 99},   {1100, 5, 300},
        {33, 500, 2100}, {1, 1, 14},     {1, 1, 14},      {5, 1, 9},       {9, 1, 5},
        {14, 2, 9},      {2, 14, 9},     {4, 2, 37},      {2, 4, 37},      {127, 9, 127},
        {9, 127, 127},   {263, 13, 93},  {13, 263, 93},   {611, 3, 107},   {3, 611, 107},
        {90, 2, 1201},   {2, 90, 1201},  {127, 17, 100},  {17, 127, 100},  {24, 701, 613},
        {101, 151, 307}, {17, 301, 131}, {256, 151, 307}, {300, 30, 200},  {300, 30, 200},
        {21, 301, 418},  {51, 85, 507},  {60, 63, 4507},  {66, 21, 507}};
    struct gr_rng rng = {21};
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int v = (int)s % VARIANTS; v < 8; v += VARIANTS)
                compare(kind, v, size[s], &rng);
}

/* Few rows of C and a B of more than 32 MB: k is divided into parts, whatever the threads. */
static void from_memory(void **state)
{
    (void)state;
    static const int64_t size[][3] = {{1, 4100, 2053}, {3, 2900, 3001}, {9, 4099, 2051}};
    struct gr_rng rng = {25};
    for (int kind = 0; kind < 2; kind++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s += VARIANTS / 2)
            compare(kind, 0, size[s], &rng);
}

/* The shortest way of a small product alone, and the usual one in a batch, with the least leading
 * dimensions and with others. */
static void short_ways(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 1, 2, 3, 4, 5, 7, 8, 14, 17, 24, 33, 40};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, PRODUCTS = ONE_THREAD_TOO * 6000 };
    struct gr_rng rng = {24};
    for (int i = 0; i < PRODUCTS; i++) {
        int64_t size[3];
        for (int d = 0; d < 3; d++)
            size[d] = lengths[gr_rng_next(&rng) % LENGTHS];
        if (i % 7 == 0)
            size[2] = 812; /* several blocks of k in dot products of a few columns */
        struct trial t = {.g = trial_shape(i % 2, i / 2 % 8, size[0], size[1], size[2])};
        const int64_t less = i / 16 % 2 * TRIAL_PAD;
        t.g.threads = 1;
        trial_scale(&t.g, 1.25, 0.75);
        make_rough(&t, &rng);
        t.g.lda -= less, t.g.ldb -= less, t.g.ldc -= less;
        void *want = run_afresh(&t, &t.g);
        in_batch(&t, want);
        free(want);
        trial_free(&t);
    }
}

/* The product with every leading dimension as small as it can be, or larger by `pad`. */
static void run_padded(const struct gradus_gemm *tight, int64_t pad, const uint16_t *a,
                       const uint16_t *b, float *c)
{
    struct gradus_gemm g = *tight;
    const int64_t a_rows = g.trans_a ? g.k : g.m, a_cols = g.trans_a ? g.m : g.k;
    const int64_t b_rows = g.trans_b ? g.n : g.k, b_cols = g.trans_b ? g.k : g.n;
    g.lda = a_cols + pad, g.ldb = b_cols + pad, g.ldc = g.n + pad;
    uint16_t *wide_a = calloc((size_t)(a_rows * g.lda), sizeof *wide_a);
    uint16_t *wide_b = calloc((size_t)(b_rows * g.ldb), sizeof *wide_b);
    float *wide_c = calloc((size_t)(g.m * g.ldc), sizeof *wide_c);
    for (int64_t i = 0; i < a_rows; i++)
        memcpy(wide_a + i * g.lda, a + i * a_cols, (size_t)a_cols * sizeof *a);
    for (int64_t i = 0; i < b_rows; i++)
        memcpy(wide_b + i * g.ldb, b + i * b_cols, (size_t)b_cols * sizeof *b);
    g.a = wide_a, g.b = wide_b, g.c = wide_c;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    for (int64_t i = 0; i < g.m; i++)
        memcpy(c + i * g.n, wide_c + i * g.ldc, (size_t)g.n * sizeof *c);
    free(wide_a);
    free(wide_b);
    free(wide_c);
}

/* The elements of a single row or column look contiguous with one leading dimension and not with
 * another, which must not make a difference to how a product of bf16 is computed. */
static void single_rows_and_columns(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 9, 17, 37, 100},
                         depths[] = {2, 9, 31, 67, 301, 1500};
    enum { SIZES = sizeof sizes / sizeof *sizes, DEPTHS = sizeof depths / sizeof *depths };
    enum { SIDE = 100, K = 1500 };
    struct gr_rng rng = {26};
    static uint16_t a[SIDE * K], b[SIDE * K];
    static float tight[SIDE], padded[SIDE];
    roughen(GRADUS_BF16, a, SIDE * K, &rng);
    roughen(GRADUS_BF16, b, SIDE * K, &rng);
    for (int i = 0; i < 2 * 4 * SIZES * DEPTHS; i++) {
        const int64_t size = sizes[i / 8 % SIZES];
        struct gradus_gemm g;
        gradus_gemm_init(&g, GRADUS_BF16);
        g.m = i % 2 ? 1 : size, g.n = i % 2 ? size : 1, g.k = depths[i / 8 / SIZES];
        g.trans_a = i / 2 % 2, g.trans_b = i / 4 % 2;
        run_padded(&g, 0, a, b, tight);
        run_padded(&g, 3, a, b, padded);
        if (memcmp(tight, padded, (size_t)size * sizeof *tight))
            fail_msg("%dx%dx%d, transposed %d%d: a leading dimension changes bits", (int)g.m,
                     (int)g.n, (int)g.k, g.trans_a, g.trans_b);
    }
}

/* A batch is as its products, one by one. */
static void batches(void **state)
{
    (void)state;
    struct gr_rng rng = {22};
    for (int v = 0; v < 8; v++) {
        struct trial t = {.g = trial_shape(v % TRIAL_KINDS, v, 71, 83, 601)};
        t.g.batch = 9, t.g.stride_a = -1, t.g.stride_b = -1;
        make_rough(&t, &rng);
        struct gradus_gemm one = t.g;
        one.batch = 1, one.threads = 1;
        for (int64_t z = 0; z < t.g.batch; z++) {
            one.c = (char *)t.c + z * t.g.stride_c * trial_bytes(t.g.c_type);
            assert_int_equal(gradus_gemm_run(&one, NULL), GRADUS_OK);
        }
        const size_t bytes = (size_t)(t.c_count * trial_bytes(t.g.c_type));
        void *want = malloc(bytes);
        memcpy(want, t.c, bytes);
        with_threads(&t, want);
        with_context(&t, want);
        with_workspace(&t, want);
        free(want);
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),     cmocka_unit_test(from_memory),
        cmocka_unit_test(short_ways), cmocka_unit_test(single_rows_and_columns),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

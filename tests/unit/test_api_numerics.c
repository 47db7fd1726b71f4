/* test_api_numerics.c: the floating-point environment of a call: threads round and treat denormal
 * numbers as their caller does, whoever called before; flags and traps are the caller's; bfloat16
 * has an environment of its own. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "api_trial.h"
#include "cpu/cpu.h"
#include "probe/dispatched.h"
#include "cpu/fp_state.h"
#include "sanitized.h"

/* Environments that a program may be in: how it rounds, and whether denormal numbers are flushed.
 */
static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
enum { ROUNDINGS = 4, ENVIRONMENTS = 2 * ROUNDINGS };

#if defined(__x86_64__)
enum { FLUSHING = 0x8040 };
#elif defined(__aarch64__)
enum { FLUSHING = 1 << 24 };
#else
enum { FLUSHING = 0 };
#endif

static void enter(int environment)
{
    fesetround(roundings[environment % ROUNDINGS]);
    struct gr_fp fp = gr_fp_get();
    fp.control = environment < ROUNDINGS ? fp.control & ~(uint32_t)FLUSHING : fp.control | FLUSHING;
    gr_fp_set(fp);
}

static double scale_of(enum gradus_type type, bool denormal)
{
    if (!denormal)
        return 0x1p-63;
    return type == GRADUS_F64 ? 0x1p-536 * 0x1p-63 : 0x1p-69 * 0x1p-63;
}

/* Numbers whose sums are rounded, or whose products are denormal. */
static void roughen(enum gradus_type type, void *x, int64_t count, bool denormal,
                    struct gr_rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        trial_store(type, x, i, (double)(int64_t)gr_rng_next(rng) * scale_of(type, denormal));
}

static void make_rough(struct trial *t, bool denormal, struct gr_rng *rng)
{
    trial_make(t, rng);
    struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const int64_t batch = g->batch > 1 ? g->batch : 1;
    roughen(g->a_type, t->a,
            (col != !!g->trans_a ? g->k : g->m) * g->lda + (batch - 1) * g->stride_a, denormal,
            rng);
    roughen(g->b_type, t->b,
            (col != !!g->trans_b ? g->n : g->k) * g->ldb + (batch - 1) * g->stride_b, denormal,
            rng);
    if (denormal) /* what was in C would be all that is seen */
        g->beta = 0;
}

static size_t c_bytes(const struct trial *t)
{
    return (size_t)(t->c_count * trial_bytes(t->g.c_type));
}

/* In one environment; the caller's own is what it was. */
static void *run_in(struct trial *t, const struct gradus_gemm *g, int environment)
{
    struct gradus_error error = {0};
    memcpy(t->c, t->before, c_bytes(t));
    enter(environment);
    const uint32_t before = gr_fp_get().control;
    const enum gradus_status status = gradus_gemm_run(g, &error);
    const uint32_t after = gr_fp_get().control;
    enter(0);
    if (status)
        fail_msg("%s", error.text);
    assert_int_equal(before, after);
    void *result = malloc(c_bytes(t));
    memcpy(result, t->c, c_bytes(t));
    return result;
}

static void expect_same(struct trial *t, const struct gradus_gemm *g, int environment,
                        const void *want, const char *what)
{
    void *got = run_in(t, g, environment);
    if (memcmp(got, want, c_bytes(t)))
        fail_msg("%s: other bits than one thread's: environment %d type %d layout %d trans %d%d "
                 "%dx%dx%d",
                 what, environment, (int)g->a_type, (int)g->layout, g->trans_a, g->trans_b,
                 (int)g->m, (int)g->n, (int)g->k);
    free(got);
}

static void with_workspace(struct trial *t, int environment, const void *want)
{
    struct gradus_gemm g = t->g;
    g.threads = 3;
    g.workspace_bytes = gradus_gemm_workspace(&g, NULL);
    g.workspace = malloc((size_t)g.workspace_bytes + 1);
    expect_same(t, &g, environment, want, "workspace");
    free(g.workspace);
}

/* Operands that were packed in another environment. */
static void with_packed(struct trial *t, int environment, const void *want)
{
    struct gradus_gemm g = t->g;
    struct gradus_packed *a, *b;
    if (has_own_bits(&g))
        return;
    enter(ENVIRONMENTS - 1 - environment);
    assert_int_equal(gradus_pack(&g, GRADUS_A, &a, NULL), GRADUS_OK);
    assert_int_equal(gradus_pack(&g, GRADUS_B, &b, NULL), GRADUS_OK);
    enter(0);
    g.packed_a = a, g.packed_b = b, g.threads = 3;
    expect_same(t, &g, environment, want, "packed");
    gradus_packed_free(a);
    gradus_packed_free(b);
}

/* Which memory is touched, and by which thread, does not depend on the environment: a sanitizer
 * sees two of them, and every third of the sizes. */
#ifdef UNDER_SANITIZER
enum { SEEN = 2, EVERY = 3 };
#else
enum { SEEN = ENVIRONMENTS, EVERY = 1 };
#endif

/* One after the other with the same threads, which must remember none of them. `context` was made
 * in the first. */
static void compare(struct trial *t, struct gradus_context *context)
{
    void *bits[SEEN];
    for (int e = 0; e < SEEN; e++) {
        t->g.threads = 1;
        bits[e] = run_in(t, &t->g, e);
        for (t->g.threads = 2; t->g.threads <= 5; t->g.threads += 3)
            expect_same(t, &t->g, e, bits[e], "threads");
        struct gradus_gemm g = t->g;
        g.context = context, g.threads = 0;
        expect_same(t, &g, e, bits[e], "context");
        t->g.threads = 1;
        with_workspace(t, e, bits[e]);
        if (t->g.batch <= 1)
            with_packed(t, e, bits[e]);
    }
    /* In another order, too. */
    t->g.threads = 3;
    for (int e = SEEN - 1; e >= 0; e--)
        expect_same(t, &t->g, e, bits[e], "backwards");
    const bool own = t->g.a_type == GRADUS_BF16;
    for (int e = 1; e < SEEN && own; e++) /* whatever the caller's environment is */
        assert_memory_equal(bits[e], bits[0], c_bytes(t));
    for (int e = 0; e < SEEN; e++)
        free(bits[e]);
}

static void environments(void **state)
{
    (void)state;
    static const int64_t size[][3] = {{131, 127, 137}, {7, 1100, 300}, {1, 2100, 99},
                                      {33, 1200, 301}, {40, 50, 3001}, {601, 83, 70},
                                      {40, 50, 128},   {61, 67, 1025}};
    struct gr_rng rng = {51};
    struct gradus_context *context;
    enter(ENVIRONMENTS - 2);
    assert_int_equal(gradus_context_create(3, &context, NULL), GRADUS_OK);
    enter(0);
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (size_t s = (size_t)kind % EVERY; s < 2 * sizeof size / sizeof *size; s += EVERY) {
            const int64_t *n = size[s / 2];
            struct trial t = {.g = trial_shape(kind, (int)s % 8, n[0], n[1], n[2])};
            if (t.g.sum_type == GRADUS_S32)
                break;
            struct gradus_epilogue epilogue = {.activation = GRADUS_RELU};
            trial_scale(&t.g, 1.3, 0.7);
            make_rough(&t, s % 2, &rng);
            epilogue.bias = t.bias;
            t.g.epilogue = s % 4 == 2 ? &epilogue : NULL;
            compare(&t, context);
            trial_free(&t);
        }
    gradus_context_free(context);
}

static void batches(void **state)
{
    (void)state;
    struct gr_rng rng = {52};
    for (int i = 0; i < 8; i++) {
        struct trial t = {.g = trial_shape(i % 3, i, 71, 83, i & 1 ? 40 : 300)};
        struct gradus_context *context;
        t.g.batch = i & 1 ? 40 : 3;
        make_rough(&t, i & 2, &rng);
        assert_int_equal(gradus_context_create(3, &context, NULL), GRADUS_OK);
        compare(&t, context);
        gradus_context_free(context);
        trial_free(&t);
    }
}

/* The environments do give other bits, or nothing is shown by the tests above. */
static void environments_differ(void **state)
{
    (void)state;
    struct gr_rng rng = {53};
    for (int kind = 0; kind < 2; kind++)
        for (int denormal = 0; denormal < 2; denormal++) {
            struct trial t = {.g = trial_shape(kind, 0, 131, 127, 137)};
            make_rough(&t, denormal, &rng);
            void *usual = run_in(&t, &t.g, 0);
            void *other = run_in(&t, &t.g, denormal ? ROUNDINGS : 1);
            assert_true(!FLUSHING || memcmp(usual, other, c_bytes(&t)));
            free(usual), free(other), trial_free(&t);
        }
}

/* ---- bfloat16: denormal numbers count as zero at every level ---- */

enum { DENORMAL = 0x0001, LARGEST_DENORMAL = 0x007f, LEAST_NORMAL = 0x0080 };

static void expect_c(const struct gradus_gemm *g, const char *isa, double want, const char *what)
{
    for (int64_t i = 0; i < g->m * g->n; i++) {
        const double got = trial_load(g->c_type, g->c, i);
        if (got != want)
            fail_msg("%s at %s: %dx%dx%d, c_type %d: got %g, want %g", what, isa, (int)g->m,
                     (int)g->n, (int)g->k, (int)g->c_type, got, want);
    }
}

static void fill16(uint16_t *x, int64_t count, double value)
{
    for (int64_t i = 0; i < count; i++)
        trial_store(GRADUS_BF16, x, i, value);
}

static void denormals_at(const char *isa, enum gradus_type c_type, int64_t n, int threads)
{
    const int64_t count = n * n;
    uint16_t *a = malloc((size_t)count * 2), *b = malloc((size_t)count * 2);
    float *c = malloc((size_t)count * 4);
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_BF16);
    g.c_type = c_type, g.threads = threads;
    g.m = g.n = g.k = n, g.lda = g.ldb = g.ldc = n;
    g.a = a, g.b = b, g.c = c;
    fill16(a, count, 0x1p-127), fill16(b, count, 0x1p100);
    assert_int_equal(a[0], LARGEST_DENORMAL / 2 + 1);
    assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
    expect_c(&g, isa, 0, "denormal A");
    g.a = b, g.b = a;
    assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
    expect_c(&g, isa, 0, "denormal B");
    fill16(a, count, 0x1p-126), g.a = a, g.b = b;
    assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
    expect_c(&g, isa, trial_rounded(c_type, (double)n * 0x1p-26), "the least normal A");
    fill16(b, count, 0x1p-10);
    assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
    expect_c(&g, isa, 0, "denormal products");
    for (int64_t i = 0; i < count; i++)
        trial_store(c_type, c, i, 0x1p-127);
    fill16(a, count, 0), g.beta = 0x1p60;
    assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
    expect_c(&g, isa, 0, "denormal C");
    free(a), free(b), free(c);
}

static void bf16_denormals(void **state)
{
    (void)state;
    for (int i = 0; gr_cpu_isa_at(i); i++)
        for (int c = 0; c < 2 && gr_cpu_isa_runs(gr_cpu_isa_at(i)); c++)
            for (int64_t n = 3; n < 400; n *= 4)
                for (int threads = 1; threads <= 3; threads += 2)
                    denormals_at(gr_cpu_isa_at(i), c ? GRADUS_BF16 : GRADUS_F32, n, threads);
    denormals_at(NULL, GRADUS_F32, 100, 2);
}

/* ---- flags and traps ---- */

/* A product whose element `at` of the last row overflows, or all of whose sums are exact. */
static void make_flagging(struct trial *t, int64_t n, struct gr_rng *rng)
{
    *t = (struct trial){.g = trial_shape(0, 0, n, n, n)};
    trial_make(t, rng);
    t->g.threads = 4;
}

static void overflow(struct trial *t, float value)
{
    float *a = t->a, *b = t->b;
    a[(t->g.m - 1) * t->g.lda] = value;
    b[t->g.n - 1] = value;
}

/* Flags that any thread raises are the caller's; none is raised in vain, and none is taken away. */
static void flags(void **state)
{
    (void)state;
    struct gr_rng rng = {54};
    for (int64_t n = 20; n < 600; n *= 2)
        for (int batch = 0; batch < 2; batch++) {
            struct trial t;
            make_flagging(&t, n, &rng);
            if (batch) {
                trial_free(&t);
                t = (struct trial){.g = trial_shape(0, 0, 20, 20, 20)};
                t.g.batch = n, t.g.threads = 4;
                trial_make(&t, &rng);
            }
            feclearexcept(FE_ALL_EXCEPT);
            assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
            assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
            overflow(&t, 0x1p100F);
            feraiseexcept(FE_DIVBYZERO);
            assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
            assert_int_equal(fetestexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID),
                             FE_OVERFLOW | FE_DIVBYZERO);
            trial_free(&t);
        }
    feclearexcept(FE_ALL_EXCEPT);
}

static void bf16_raises_nothing(void **state)
{
    (void)state;
    struct gr_rng rng = {55};
    for (int i = 0; gr_cpu_isa_at(i); i++) {
        struct trial t = {.g = trial_shape(2, 0, 150, 150, 150)};
        if (!gr_cpu_isa_runs(gr_cpu_isa_at(i)))
            continue;
        make_rough(&t, false, &rng);
        trial_store(GRADUS_BF16, t.a, 0, 0x1p120), trial_store(GRADUS_BF16, t.b, 0, 0x1p120);
        for (t.g.threads = 1; t.g.threads < 4; t.g.threads++) {
            feclearexcept(FE_ALL_EXCEPT);
            assert_int_equal(gr_cpu_gemm(&t.g, gr_cpu_isa_at(i), NULL), GRADUS_OK);
            assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
        }
        trial_free(&t);
    }
}

static sigjmp_buf trapped;
static volatile sig_atomic_t traps;
static pthread_t owner;

/* By the caller's thread, and after the product is complete. */
static void on_trap(int sig)
{
    (void)sig;
    traps++;
    if (!pthread_equal(pthread_self(), owner))
        _exit(9);
    siglongjmp(trapped, 1);
}

static void switch_traps_off(void)
{
    gr_fp_set((struct gr_fp){gr_fp_without_traps(gr_fp_get().control), 0});
}

static void expect_trap(struct trial *t, struct gradus_gemm *g, int times)
{
    traps = 0;
    feclearexcept(FE_ALL_EXCEPT);
    if (!sigsetjmp(trapped, 1)) {
        feenableexcept(FE_OVERFLOW);
        gradus_gemm_run(g, NULL);
    }
    fedisableexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    switch_traps_off();
    assert_int_equal(traps, times);
    (void)t;
}

/* A handler that leaves by a jump leaves nothing behind: contexts and threads serve the next
 * product. */
static void traps_are_the_callers(void **state)
{
    (void)state;
#if !defined(__x86_64__)
    skip(); /* few others have traps */
#endif
    struct gr_rng rng = {56};
    struct sigaction before, action = {.sa_handler = on_trap};
    owner = pthread_self();
    assert_int_equal(sigaction(SIGFPE, &action, &before), 0);
    struct gradus_context *context;
    assert_int_equal(gradus_context_create(3, &context, NULL), GRADUS_OK);
    for (int turn = 0; turn < 20; turn++) {
        struct trial t;
        make_flagging(&t, 150 + turn, &rng);
        expect_trap(&t, &t.g, 0);
        char why[256];
        if (!trial_is_right(&t, why))
            fail_msg("%s", why);
        overflow(&t, 0x1p100F);
        struct gradus_gemm g = t.g;
        g.context = turn % 2 ? context : NULL;
        memset(t.c, 0, c_bytes(&t));
        expect_trap(&t, &g, 1);
        const float *c = t.c; /* complete, up to the other end */
        assert_true(isinf(c[(g.m - 1) * g.ldc + g.n - 1]));
        trial_free(&t);
    }
    gradus_context_free(context);
    sigaction(SIGFPE, &before, NULL);
}

/* Signalling NaN among the operands raise invalid, and are NaN in the result, whatever is flushed.
 */
static void nan_payloads(void **state)
{
    (void)state;
    struct gr_rng rng = {57};
    static const uint32_t signalling = 0x7fa01234;
    for (int e = 0; e < ENVIRONMENTS; e++) {
        struct trial t;
        make_flagging(&t, 140, &rng);
        memcpy((float *)t.a + 139 * t.g.lda + 3, &signalling, 4);
        feclearexcept(FE_ALL_EXCEPT);
        t.g.threads = 1;
        void *want = run_in(&t, &t.g, e);
        assert_true(isnan(((float *)want)[139 * t.g.ldc]));
        feclearexcept(FE_ALL_EXCEPT);
        t.g.threads = 4;
        expect_same(&t, &t.g, e, want, "NaN");
        assert_true(fetestexcept(FE_INVALID));
        free(want), trial_free(&t);
    }
    feclearexcept(FE_ALL_EXCEPT);
}

/* With sums in float, an alpha that float rounds to 0 is 0: A and B, here NaN, are not read, in
 * small products and in those that need a buffer. */
static void alpha_that_rounds_to_zero(void **state)
{
    (void)state;
    struct gr_rng rng = {58};
    static const int sizes[] = {8, 40, 300};
    for (int i = 0; i < 3; i++) {
        struct trial t = {.g = trial_shape(0, 0, sizes[i], sizes[i], sizes[i])};
        t.g.alpha = -1e-60, t.g.beta = 1;
        trial_make(&t, &rng);
        const size_t bytes = (size_t)(t.g.m * t.g.ldc) * 4;
        void *before = malloc(bytes);
        memcpy(before, t.g.c, bytes);
        memset(t.a, 0xff, (size_t)(t.g.m * t.g.lda) * 4);
        assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
        assert_memory_equal(t.g.c, before, bytes);
        free(before), trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environments),
        cmocka_unit_test(batches),
        cmocka_unit_test(environments_differ),
        cmocka_unit_test(bf16_denormals),
        cmocka_unit_test(flags),
        cmocka_unit_test(bf16_raises_nothing),
        cmocka_unit_test(traps_are_the_callers),
        cmocka_unit_test(nan_payloads),
        cmocka_unit_test(alpha_that_rounds_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

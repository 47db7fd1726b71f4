/* test_api_stack.c: how much of the caller's stack a product takes, whichever way it goes: gradus.h
 * promises a bound to programs whose threads have small stacks, and coroutines have smaller ones.
 * SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "cpu/cpu.h"
#include "sanitized.h"

#include <gradus/cblas.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

/* What gradus.h says, and the stack that is painted; below it lies a page that faults. */
enum { PROMISED = 8 << 10, PAINTED = 64 << 10, PAGE = 4096, PAINT = 0xa5 };

static ucontext_t home, away;
static char *stack;

struct call {
    struct gradus_gemm *gemm;
    const char *isa; /* null: by gradus_gemm_run */
    enum gradus_status status;
    struct gradus_error error;
};
static struct call call;

static void run_call(void)
{
    call.status = call.isa ? gr_cpu_gemm(call.gemm, call.isa, &call.error)
                           : gradus_gemm_run(call.gemm, &call.error);
}

static void run_nothing(void)
{
}

/* Bytes of the painted stack that `body` has written over. */
static int64_t bytes_of(void (*body)(void))
{
    memset(stack, PAINT, PAINTED);
    assert_int_equal(getcontext(&away), 0);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = PAINTED;
    away.uc_link = &home;
    makecontext(&away, body, 0);
    assert_int_equal(swapcontext(&home, &away), 0);
    int64_t untouched = 0;
    while (untouched < PAINTED && (unsigned char)stack[untouched] == PAINT)
        untouched++;
    return PAINTED - untouched;
}

/* Beyond what it takes to be on that stack at all. */
static int64_t most_seen;
static void expect_little(struct gradus_gemm *g, const char *isa, enum gradus_status status,
                          const char *what)
{
    call = (struct call){.gemm = g, .isa = isa};
    const int64_t bytes = bytes_of(run_call) - bytes_of(run_nothing);
    if (call.status != status)
        fail_msg("%s: %s", what, call.error.text);
    most_seen = bytes > most_seen ? bytes : most_seen;
    if (bytes > PROMISED)
        fail_msg("%s: %lld bytes of stack: type %d %s layout %d trans %d%d %dx%dx%d threads %d",
                 what, (long long)bytes, (int)g->a_type, isa ? isa : "", (int)g->layout, g->trans_a,
                 g->trans_b, (int)g->m, (int)g->n, (int)g->k, g->threads);
}

static int set_up(void **state)
{
    (void)state;
    char *memory =
        mmap(NULL, PAINTED + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE))
        return -1;
    stack = memory + PAGE;
    return 0;
}

/* The first calls of all, in a process that has looked at nothing yet: features, caches, quotas,
 * threads. */
static void first_calls(void **state)
{
    (void)state;
    struct gr_rng rng = {41};
    struct trial t = {.g = trial_shape(0, 0, 300, 300, 300)};
    trial_make(&t, &rng);
    t.g.threads = 3;
    expect_little(&t.g, NULL, GRADUS_OK, "the first call");
    trial_free(&t);
}

static void with_means(struct trial *t, const char *isa)
{
    struct gradus_context *context;
    struct gradus_gemm g = t->g;
    struct gradus_epilogue epilogue = {.bias = t->bias, .activation = GRADUS_RELU};
    if (g.sum_type != GRADUS_S32)
        epilogue.activation = GRADUS_GELU;
    g.epilogue = &epilogue;
    expect_little(&g, isa, GRADUS_OK, "epilogue");
    if (isa)
        return;
    assert_int_equal(gradus_context_create(2, &context, NULL), GRADUS_OK);
    g.context = context;
    expect_little(&g, isa, GRADUS_OK, "context");
    gradus_context_free(context);
    g.context = NULL;
    g.workspace_bytes = gradus_gemm_workspace(&g, NULL);
    g.workspace = malloc((size_t)g.workspace_bytes + 1);
    expect_little(&g, isa, GRADUS_OK, "workspace");
    free(g.workspace);
}

static void with_packed(const struct trial *t)
{
    struct gradus_gemm g = t->g;
    struct gradus_packed *a, *b;
    assert_int_equal(gradus_pack(&g, GRADUS_A, &a, NULL), GRADUS_OK);
    assert_int_equal(gradus_pack(&g, GRADUS_B, &b, NULL), GRADUS_OK);
    g.packed_b = b;
    expect_little(&g, NULL, GRADUS_OK, "packed B");
    g.packed_a = a;
    expect_little(&g, NULL, GRADUS_OK, "packed A and B");
    gradus_packed_free(a);
    gradus_packed_free(b);
}

static void compare(int kind, int v, const int64_t *size, const char *isa, struct gr_rng *rng)
{
    struct trial t = {.g = trial_shape(kind, v, size[0], size[1], size[2])};
    trial_scale(&t.g, 1.25, 0.75);
    trial_make(&t, rng);
    for (t.g.threads = 1; t.g.threads <= 3; t.g.threads += 2)
        expect_little(&t.g, isa, GRADUS_OK, "plain");
    with_means(&t, isa);
    if (!isa)
        with_packed(&t);
    trial_free(&t);
}

/* Every way that a shape can take, at every level. */
static void shapes(void **state)
{
    (void)state;
    static const int64_t size[][3] = {
        {1, 1, 1},     {8, 8, 8},      {5, 7, 9},       {31, 33, 35},    {61, 67, 71},
        {64, 64, 64},  {40, 50, 128},  {131, 127, 137}, {255, 129, 601}, {1, 300, 700},
        {300, 1, 700}, {17, 19, 3001}, {8, 1001, 257},  {1001, 8, 257},  {33, 1200, 301},
        {3, 5, 3001},  {7, 1100, 300}, {1, 2100, 99},   {600, 600, 20}};
    struct gr_rng rng = {42};
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int v = 0; v < 8; v++)
                compare(kind, v, size[s], NULL, &rng);
    for (int i = 0; gr_cpu_isa_at(i); i++)
        for (int kind = 0; kind < TRIAL_KINDS && gr_cpu_isa_runs(gr_cpu_isa_at(i)); kind++)
            for (size_t s = 0; s < sizeof size / sizeof *size; s++)
                compare(kind, (int)s % 8, size[s], gr_cpu_isa_at(i), &rng);
}

static void batches(void **state)
{
    (void)state;
    struct gr_rng rng = {43};
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (int64_t n = 4; n < 200; n *= 3) {
            struct trial t = {.g = trial_shape(kind, 4, n, n, n)};
            t.g.batch = 20, t.g.threads = 2;
            trial_make(&t, &rng);
            expect_little(&t.g, NULL, GRADUS_OK, "batch");
            trial_free(&t);
        }
}

/* C = beta * C has buffers of its own, and so have messages. */
static void scaled_and_refused(void **state)
{
    (void)state;
    struct gr_rng rng = {44};
    for (int kind = 0; kind < TRIAL_KINDS; kind++) {
        struct trial t = {.g = trial_shape(kind, 0, 40, 700, 40)};
        trial_scale(&t.g, 0, 3);
        trial_make(&t, &rng);
        expect_little(&t.g, NULL, GRADUS_OK, "scaled");
        t.g.alpha = 1, t.g.ldc = 1;
        expect_little(&t.g, NULL, GRADUS_INVALID, "refused");
        trial_free(&t);
    }
}

static double x[128 * 128], y[128 * 128], z[128 * 128];

static void by_blas(void)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, 128, 128, 128, 1, x, 128, y, 128, 0, z, 128);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 30, 30, 30, 1, x, 128, y, 128, 0, z, 128);
}

static void blas(void **state)
{
    (void)state;
    assert_true(bytes_of(by_blas) - bytes_of(run_nothing) <= PROMISED);
}

/* A thread with the least stack that the system gives. */
static void *on_small_thread(void *argument)
{
    struct gradus_gemm *g = argument;
    return gradus_gemm_run(g, NULL) ? g : NULL;
}

static void small_threads(void **state)
{
    (void)state;
    struct gr_rng rng = {45};
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 16384), 0);
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (int64_t n = 20; n < 400; n *= 2) {
            pthread_t thread;
            void *failed;
            struct trial t = {.g = trial_shape(kind, 4, n, n, n)};
            trial_make(&t, &rng);
            assert_int_equal(pthread_create(&thread, &attributes, on_small_thread, &t.g), 0);
            assert_int_equal(pthread_join(thread, &failed), 0);
            assert_null(failed);
            trial_free(&t);
        }
    pthread_attr_destroy(&attributes);
}

static void reported(void **state)
{
    (void)state;
    printf("%lld bytes of stack at most\n", (long long)most_seen);
}

int main(void)
{
#if defined(UNDER_SANITIZER) || !defined(__OPTIMIZE__)
    puts("skip: without optimization, and under sanitizers, functions take much more of the stack");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_calls), cmocka_unit_test(shapes),
        cmocka_unit_test(batches),     cmocka_unit_test(scaled_and_refused),
        cmocka_unit_test(blas),        cmocka_unit_test(small_threads),
        cmocka_unit_test(reported),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

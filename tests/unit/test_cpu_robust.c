/* test_cpu_robust.c: products under conditions that programs meet: matrices wider than 32 bits,
 * numbers at the ends of their range, forks and signals amid a product. SPDX-License-Identifier:
 * MIT
 */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock.h"
#include "base/rng.h"
#include "cpu/cpu.h"
#include "sanitized.h"
#include "ukr.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Sparse mappings: rows more than 2^31 elements and 2^32 bytes apart. --- */

enum { FAR_ROWS = 40, FAR_COLS = 70 };
static const int64_t FAR = ((int64_t)1 << 31) / 6 + 12345; /* 6 rows on: beyond 2^31 elements */

static float *far_mapping(void)
{
    const size_t bytes = (size_t)FAR * FAR_ROWS * sizeof(float);
    void *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return x == MAP_FAILED ? NULL : x;
}

static void fill_far(float *x, struct gr_rng *rng)
{
    for (int i = 0; i < FAR_ROWS; i++)
        for (int j = 0; j < FAR_COLS; j++)
            x[i * FAR + j] = (float)(gr_rng_next(rng) % 9) - 4;
}

/* FAR_ROWS x FAR_COLS with far rows, or the transpose with far columns. */
static float far_at(const float *x, bool transposed, int64_t i, int64_t j)
{
    return transposed ? x[j * FAR + i] : x[i * FAR + j];
}

static void check_far(const struct gradus_gemm *g)
{
    const float *a = g->a, *b = g->b, *c = g->c;
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            float sum = 0;
            for (int64_t p = 0; p < g->k; p++)
                sum += far_at(a, g->trans_a, i, p) * far_at(b, g->trans_b, p, j);
            if (c[i * FAR + j] != sum)
                fail_msg("trans %d%d %dx%dx%d: [%d,%d] found %g, wanted %g", g->trans_a, g->trans_b,
                         (int)g->m, (int)g->n, (int)g->k, (int)i, (int)j, (double)c[i * FAR + j],
                         (double)sum);
        }
}

static void far_rows(void **state)
{
    (void)state;
    struct gr_rng rng = {11};
    float *a = far_mapping(), *b = far_mapping(), *c = far_mapping();
    if (!a || !b || !c) {
        printf("\nskip: rows 2^31 elements apart: no address space for them\n");
        skip();
    }
    fill_far(a, &rng);
    fill_far(b, &rng);
    for (int variant = 0; variant < 4; variant++)
        for (int threads = 1; threads <= 3; threads += 2) {
            /* What is FAR_ROWS long lies across the far distance of each operand. */
            const int ta = variant & 1, tb = variant >> 1;
            struct gradus_gemm g;
            gradus_gemm_init(&g, GRADUS_F32);
            g.m = ta ? FAR_ROWS : FAR_ROWS - 1;
            g.k = !ta && tb ? FAR_COLS : FAR_ROWS;
            g.n = tb ? FAR_ROWS : FAR_COLS;
            g.trans_a = ta, g.trans_b = tb, g.threads = threads;
            g.a = a, g.b = b, g.c = c;
            g.lda = g.ldb = g.ldc = FAR;
            struct gradus_error error = {0};
            if (gradus_gemm_run(&g, &error))
                fail_msg("%s", error.text);
            check_far(&g);
        }
    munmap(a, (size_t)FAR * FAR_ROWS * 4);
    munmap(b, (size_t)FAR * FAR_ROWS * 4);
    munmap(c, (size_t)FAR * FAR_ROWS * 4);
}

/* --- Numbers at the ends of their range. --- */

static const int edges[][3] = {{1, 1, 1}, {5, 7, 3}, {33, 49, 17}, {100, 101, 102}};

/* Fills m x n x k with one value in A and one in B and expects `sum` everywhere, at each level. */
static void expect_all(enum gradus_type type, double a_value, double b_value, double alpha,
                       double (*sum)(double product, int k))
{
    static double a[102 * 102], b[102 * 102], c[102 * 102];
    const char *isa;
    for (int level = 0; (isa = gr_cpu_isa_at(level)); level++)
        for (size_t s = 0; s < sizeof edges / sizeof *edges && gr_cpu_isa_runs(isa); s++)
            for (int trans = 0; trans < 4; trans++) {
                struct gradus_gemm g;
                gradus_gemm_init(&g, type);
                g.m = edges[s][0], g.n = edges[s][1], g.k = edges[s][2];
                g.trans_a = trans & 1, g.trans_b = trans >> 1, g.alpha = alpha;
                g.lda = g.ldb = g.ldc = 102, g.threads = 1;
                g.a = a, g.b = b, g.c = c;
                for (int i = 0; i < 102 * 102; i++) {
                    if (type == GRADUS_F32)
                        ((float *)a)[i] = (float)a_value, ((float *)b)[i] = (float)b_value;
                    else
                        a[i] = a_value, b[i] = b_value;
                }
                assert_int_equal(gr_cpu_gemm(&g, isa, NULL), GRADUS_OK);
                const double want = sum(a_value * b_value, edges[s][2]);
                for (int i = 0; i < g.m; i++)
                    for (int j = 0; j < g.n; j++) {
                        const double got =
                            type == GRADUS_F32 ? ((float *)c)[i * 102 + j] : c[i * 102 + j];
                        if (!(got == want || (isnan(got) && isnan(want))))
                            fail_msg("%s, k %d, trans %d: found %g, wanted %g", isa, edges[s][2],
                                     trans, got, want);
                    }
            }
}

static double times_k(double product, int k)
{
    return product * k;
}

static double same(double product, int k)
{
    (void)k;
    return product;
}

/* Sums of denormals are exact, and none is taken for zero. */
static void denormals_count(void **state)
{
    (void)state;
    expect_all(GRADUS_F32, 0x1p-140, 2, 1, times_k);
    expect_all(GRADUS_F32, 0x1p-100, 0x1p-45, 1, times_k);
    expect_all(GRADUS_F64, 0x1p-1070, 2, 1, times_k);
    expect_all(GRADUS_F64, 0x1p-1000, 0x1p-70, 1, times_k);
}

static void infinities_and_nans_come_through(void **state)
{
    (void)state;
    expect_all(GRADUS_F32, INFINITY, 1, 1, same);
    expect_all(GRADUS_F64, -INFINITY, 2, 1, same);
    expect_all(GRADUS_F32, INFINITY, 0, 1, same);
    expect_all(GRADUS_F64, 0, NAN, 1, same);
}

/* What is not multiplied is not touched: the sign of a zero, and a NaN's bits. With beta -1 the
 * sign turns, as that of any product. */
static void signs_of_zero(void **state)
{
    (void)state;
    const uint64_t nan_bits = 0x7ff8dead0000beef;
    double c[3] = {-0.0, 0.0, 0}, one[9] = {0};
    memcpy(&c[2], &nan_bits, 8);
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F64);
    g.m = 1, g.n = 3, g.k = 3, g.a = one, g.lda = 3, g.b = one, g.ldb = 3, g.c = c, g.ldc = 3;
    g.alpha = 0, g.beta = 1;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(signbit(c[0]) && !signbit(c[1]) && memcmp(&c[2], &nan_bits, 8) == 0);
    g.beta = -1;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(!signbit(c[0]) && signbit(c[1]) && isnan(c[2]));
    g.beta = 0;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(!signbit(c[0]) && !signbit(c[1]) && c[2] == 0 && !signbit(c[2]));
}

/* Sizes of 0 reach every function that works out blocks, packed operands and workspaces. */
static void nothing_is_packed(void **state)
{
    (void)state;
    static const enum gradus_type types[] = {GRADUS_F32, GRADUS_F64, GRADUS_BF16, GRADUS_S8,
                                             GRADUS_U8};
    static double some[16];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int zeros = 1; zeros < 8; zeros++) {
            struct gradus_packed *packed = NULL;
            struct gradus_gemm g;
            gradus_gemm_init(&g, types[t]);
            g.m = zeros & 1 ? 0 : 3, g.n = zeros & 2 ? 0 : 3, g.k = zeros & 4 ? 0 : 3;
            g.a = g.b = g.c = some;
            g.lda = g.ldb = g.ldc = 3;
            assert_int_equal(gradus_pack(&g, GRADUS_A, &packed, NULL), GRADUS_OK);
            gradus_packed_free(packed);
            assert_int_equal(gradus_pack(&g, GRADUS_B, &packed, NULL), GRADUS_OK);
            g.packed_b = packed;
            for (g.batch = 0; g.batch < 3; g.batch++) {
                g.stride_c = 100;
                assert_true(gradus_gemm_workspace(&g, NULL) == 0);
            }
            g.batch = 1;
            assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
            gradus_packed_free(packed);
        }
}

/* --- Products by which forks and signals are tried. --- */

enum { SIDE = 130 };
static float left[SIDE * SIDE], right[SIDE * SIDE];

/* Whole numbers: any right product has these bits. False: a wrong one. */
static bool multiply_right(int threads)
{
    float c[SIDE * SIDE];
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = SIDE;
    g.a = left, g.b = right, g.c = c, g.threads = threads;
    if (gradus_gemm_run(&g, NULL))
        return false;
    for (int i = 0; i < SIDE; i += 43)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            for (int p = 0; p < SIDE; p++)
                sum += left[i * SIDE + p] * right[p * SIDE + j];
            if (c[i * SIDE + j] != sum)
                return false;
        }
    return true;
}

static int fill_products(void **state)
{
    (void)state;
    struct gr_rng rng = {5};
    for (int i = 0; i < SIDE * SIDE; i++) {
        left[i] = (float)(gr_rng_next(&rng) % 9) - 4;
        right[i] = (float)(gr_rng_next(&rng) % 9) - 4;
    }
    return 0;
}

static atomic_bool enough;
static atomic_int wrong;

static void *multiply_on(void *threads)
{
    while (!atomic_load(&enough))
        if (!multiply_right(*(const int *)threads))
            atomic_fetch_add(&wrong, 1);
    return NULL;
}

/* While other threads multiply, alone and with teams, the process forks; the child has none of
 * those threads, finds what they held half-way, and must multiply all the same. */
static void forks_amid_products(void **state)
{
    (void)state;
    if (fork_amid_threads_is_forbidden())
        skip();
    static const int teams[] = {1, 2, 3};
    pthread_t others[3];
    atomic_store(&enough, false);
    atomic_store(&wrong, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&others[i], NULL, multiply_on, (void *)&teams[i]), 0);
    for (int i = 0; i < 30; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(20);
            _exit(multiply_right(1 + i % 3) && multiply_right(2) ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("child %d: %s", i,
                     WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a wrong product");
        if (!multiply_right(1 + i % 3))
            fail_msg("the parent's product is wrong after fork %d", i);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 3; i++)
        pthread_join(others[i], NULL);
    assert_int_equal(wrong, 0);
}

static atomic_int storms, astray;
static pthread_t storm_thread;

/* The program's threads take its signals; the library's workers block them all. */
static void on_storm(int sig)
{
    (void)sig;
    atomic_fetch_add(&storms, 1);
    if (!pthread_equal(pthread_self(), storm_thread))
        atomic_fetch_add(&astray, 1);
}

/* A worker is asleep inside its tile when the caller has none left, and must be waited for. */
static void sleep_in_tile(void *finished, int64_t tile, int thread)
{
    (void)tile;
    usleep(thread ? 3000 : 100);
    atomic_fetch_add((atomic_int *)finished, 1);
}

static bool waits_for_all(void)
{
    struct gr_team *team = gr_team_open(3);
    bool waited = team != NULL;
    for (int i = 0; i < 30 && waited; i++) {
        atomic_int finished = 0;
        team->run(team, 40, sleep_in_tile, &finished);
        waited = atomic_load(&finished) == 40;
    }
    gr_team_close(team);
    return waited;
}

/* Timers go off every 200 microseconds of processor time and of the clock, without SA_RESTART, so
 * that every sleep in the library ends with EINTR. */
static void signals_amid_products(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = on_storm};
    const struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    storm_thread = pthread_self();
    atomic_store(&storms, 0);
    atomic_store(&astray, 0);
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    const int64_t start = gr_now_ns();
    int products = 0;
    const bool waited = waits_for_all();
    bool all_right = true;
    for (; all_right && (products < 100 || gr_now_ns() - start < 300000000); products++)
        all_right = multiply_right(1 + products % 4);
    setitimer(ITIMER_PROF, &never, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGPROF, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    assert_true(waited);
    assert_true(all_right);
    assert_true(storms > 20);
    assert_int_equal(astray, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_rows),
        cmocka_unit_test(denormals_count),
        cmocka_unit_test(infinities_and_nans_come_through),
        cmocka_unit_test(signs_of_zero),
        cmocka_unit_test(nothing_is_packed),
        cmocka_unit_test(forks_amid_products),
        cmocka_unit_test(signals_amid_products),
    };
    return cmocka_run_group_tests(tests, fill_products, NULL);
}

/* edges.c: every micro-kernel of this build at every edge, and the product on top of them. A plain
 * program, so that it is also built for another machine and run in an emulator there (neon.sh).
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "cpu/cpu.h"
#include "edges_memory.h"
#include "edges_short.h"
#include "sanitized.h"
#include "ukr.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    exit(1);
}

enum { MOST_K = 261, /* longer than C_STEPS of ukr_tile.h for any rows */ GUARD = 8, LD_SLACK = 3 };
enum { MOST_ROWS = 70, MOST_COLS = 64 };

/* One micro-kernel's operands as doubles, and as elements of its type. */
struct bench {
    const struct ukr *ukr;
    bool f32;
    double a[MOST_ROWS * MOST_K], b[MOST_COLS * MOST_K], c[MOST_ROWS * 80];
    char *ta, *tb, *tc; /* of exact length: an access past their ends faults */
    int64_t ldc;
    int c_count;
    int stores_wait; /* how run_strided is asked to write C */
};

static double get(const struct bench *t, const char *x, int64_t i)
{
    return t->f32 ? ((const float *)(const void *)x)[i] : ((const double *)(const void *)x)[i];
}

static void set(const struct bench *t, char *x, int64_t i, double value)
{
    if (t->f32)
        ((float *)(void *)x)[i] = (float)value;
    else
        ((double *)(void *)x)[i] = value;
}

/* Integers below 2^24 in every sum: results are exact, and compared bit for bit. */
static double small_integer(struct gr_rng *rng)
{
    return (double)(gr_rng_next(rng) % 17) - 8;
}

static char *elements(const struct bench *t, int64_t count)
{
    const int64_t bytes = t->f32 ? 4 : 8;
    return edges_block(count * bytes, bytes);
}

static void make_c(struct bench *t, int m, int n, double fill, struct gr_rng *rng)
{
    t->ldc = n + LD_SLACK;
    t->c_count = (int)((m - 1) * t->ldc + n + 2 * GUARD);
    t->tc = elements(t, t->c_count);
    for (int i = 0; i < t->c_count; i++) {
        t->c[i] = isnan(fill) ? fill : small_integer(rng);
        set(t, t->tc, i, t->c[i]);
    }
}

/* Whether the upper halves of vectors are in use, by XGETBV with ECX 1, where a CPU has that: then
 * the next instruction of SSE waits for them to be saved. The sanitizers' builds are not looked at:
 * their micro-kernels are compiled with other options. */
static bool upper_halves_in_use(void)
{
#if defined(__x86_64__) && !defined(UNDER_SANITIZER)
    enum { STATE_LEAF = 0xd, HAS_IN_USE = 1 << 2, YMM = 1 << 2, UPPER_ZMM = 1 << 6 };
    static int has_in_use = -1;
    unsigned a = 0, b, c, d;
    if (has_in_use < 0)
        has_in_use = __get_cpuid_count(STATE_LEAF, 1, &a, &b, &c, &d) && (a & HAS_IN_USE);
    if (!has_in_use)
        return false;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return (a & (YMM | UPPER_ZMM)) != 0;
#else
    return false;
#endif
}

static void check_c(const struct bench *t, int m, int n, int k, double alpha, double beta,
                    const char *what)
{
    if (upper_halves_in_use())
        fail("%s %s: %dx%dx%d: it returns without vzeroupper", t->ukr->name, what, m, n, k);
    for (int at = 0; at < t->c_count; at++) {
        const int i = (int)((at - GUARD) / t->ldc), j = (int)((at - GUARD) % t->ldc);
        double want = t->c[at];
        if (at >= GUARD && i < m && j < n) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += t->a[i * MOST_K + p % MOST_K] * t->b[p % MOST_K * 64 + j % MOST_COLS];
            want = alpha * sum + (beta != 0 ? beta * want : 0);
        }
        const double got = get(t, t->tc, at);
        if (!(got == want || (isnan(got) && isnan(want))))
            fail("%s %s: %dx%dx%d alpha %g beta %g: [%d,%d] got %g, want %g", t->ukr->name, what, m,
                 n, k, alpha, beta, i, j, got, want);
    }
}

/* Rows beyond m are not even there; columns beyond n repeat column n-1, as the contract says. */
static void run_packed(struct bench *t, int m, int n, int k, double alpha, double beta,
                       struct gr_rng *rng)
{
    const int mr = (int)t->ukr->mr, nr = (int)t->ukr->nr;
    t->ta = elements(t, k ? (int64_t)(k - 1) * mr + m : 0);
    t->tb = elements(t, (int64_t)k * nr);
    for (int p = 0; p < k; p++) {
        for (int i = 0; i < (p == k - 1 ? m : mr); i++)
            set(t, t->ta, (int64_t)p * mr + i, i < m ? t->a[i * MOST_K + p] : NAN);
        for (int j = 0; j < nr; j++)
            set(t, t->tb, (int64_t)p * nr + j, t->b[p * 64 + (j < n ? j : n - 1)]);
    }
    make_c(t, m, n, beta == 0 ? NAN : 0, rng);
    char scalars[2][8];
    set(t, scalars[0], 0, alpha);
    set(t, scalars[1], 0, beta);
    char *c = t->tc + GUARD * (t->f32 ? 4 : 8);
    if (k % 2 || !t->ukr->run_ahead)
        t->ukr->run(m, n, k, scalars[0], t->ta, t->tb, scalars[1], c, t->ldc);
    else /* what is asked for ahead may be any address */
        t->ukr->run_ahead(m, n, k, scalars[0], t->ta, t->tb, scalars[1], c, t->ldc, NULL, 64);
    check_c(t, m, n, k, alpha, beta, "packed");
    edges_free(t->ta), edges_free(t->tb), edges_free(t->tc);
}

/* run_strided or run_thin, A's elements at some strides. Columns past MOST_COLS come again. */
static void run_in_place(struct bench *t, ukr_strided_fn *run, const char *what, int m, int n,
                         int k, double alpha, double beta, int64_t a_row, int64_t a_step,
                         struct gr_rng *rng)
{
    const int64_t b_step = n + 1;
    t->ta = elements(t, k ? (m - 1) * a_row + (k - 1) * a_step + 1 : 0);
    t->tb = elements(t, k ? (k - 1) * b_step + n : 0);
    for (int p = 0; p < k; p++) {
        for (int i = 0; i < m; i++)
            set(t, t->ta, i * a_row + p * a_step, t->a[i * MOST_K + p]);
        for (int j = 0; j < n; j++)
            set(t, t->tb, p * b_step + j, t->b[p * 64 + j % MOST_COLS]);
    }
    make_c(t, m, n, beta == 0 ? NAN : 0, rng);
    char scalars[2][8];
    set(t, scalars[0], 0, alpha);
    set(t, scalars[1], 0, beta);
    run(&(struct ukr_strided){m, n, k, scalars[0], t->ta, a_row, a_step, t->tb, b_step, scalars[1],
                              t->tc + GUARD * (t->f32 ? 4 : 8), t->ldc, t->stores_wait});
    check_c(t, m, n, k, alpha, beta, what);
    edges_free(t->ta), edges_free(t->tb), edges_free(t->tc);
}

static void run_strided(struct bench *t, int m, int n, int k, double alpha, double beta,
                        bool turn_a, struct gr_rng *rng)
{
    run_in_place(t, t->ukr->run_strided, turn_a ? "strided, A transposed" : "strided", m, n, k,
                 alpha, beta, turn_a ? 1 : k + 1, turn_a ? m + 2 : 1, rng);
}

static const double all_scalars[][2] = {{1, 0}, {1, 1}, {2, -3}, {-1, 0}};

/* As few steps as are computed without tiles, and one more: vectors side by side that stay in
 * registers, and more of them, whole and with a rest. */
static void every_few_of(struct bench *t, struct gr_rng *rng)
{
    enum { MOST_STEPS = 9 };
    const int lanes = (int)t->ukr->lanes;
    for (int k = 1; k <= MOST_STEPS; k++)
        for (int wide = 0; wide <= 5; wide++)
            for (int rest = 0; rest < lanes; rest += 1 + lanes / 4)
                for (int m = 1; m <= 9 && wide * lanes + rest > 0; m += 1 + m / 5) {
                    const double *s = all_scalars[(m + k + wide + rest) % 4];
                    t->stores_wait = (m + k) % 4;
                    run_strided(t, m, wide * lanes + rest, k, s[0], s[1], (m + k) % 2, rng);
                }
}

/* Few steps of a C that is written past the caches: as many columns as are multiplied at a time,
 * twice as many, and some more, so that rows begin and end anywhere in a cache line. Short rows are
 * also written in aligned vectors. */
static void every_passing_of(struct bench *t, struct gr_rng *rng)
{
    enum { B_BYTES = 16 << 10 };
    const int line = t->f32 ? 16 : 8;
    for (int k = 1; k <= 4; k++) {
        const int columns = B_BYTES / (t->f32 ? 4 : 8) / k & -line;
        for (int more = 0; more <= line + 1; more += 1 + line / 8) {
            t->stores_wait = UKR_STORES_PASS;
            run_strided(t, k, columns + more, k, 1, 0, more % 2, rng);
            for (t->stores_wait = UKR_STORES_PASS; t->stores_wait > 0; t->stores_wait--)
                run_strided(t, 3, 5 * line + more, k, 1, 0, more % 2, rng);
        }
        t->stores_wait = UKR_STORES_PASS;
        if (k > 1)
            run_strided(t, k / 2, 2 * columns + 1, k, 1, 0, false, rng);
    }
    t->stores_wait = 0;
}

/* One row of C: one tile or two as broad as the registers allow, and more that are less broad,
 * whole and with a rest, of a B that is near and of one that is far, which is read along its rows;
 * and more columns than have their sums in L1 then. */
static void every_broad_of(struct bench *t, struct gr_rng *rng)
{
    enum { MOST_VECTORS = 59 };
    const int lanes = (int)t->ukr->lanes, tile = (int)t->ukr->strided_cols / lanes;
    for (int wide = tile; wide <= MOST_VECTORS; wide++)
        for (int rest = 0; rest < lanes; rest += 1 + lanes / 2) {
            const double *s = all_scalars[(wide + rest) % 4];
            run_strided(t, 1, wide * lanes + rest, 11, s[0], s[1], wide % 2, rng);
            if (wide % 6 == rest % 2)
                run_strided(t, 1, wide * lanes + rest, MOST_K, s[0], s[1], wide % 2, rng);
        }
    const int of_l1 = (16 << 10) / (t->f32 ? 4 : 8);
    run_strided(t, 1, of_l1 + lanes + 1, 33, 1, 0, false, rng);
    run_strided(t, 1, of_l1 + lanes + 1, 40, 2, -3, true, rng);
    run_strided(t, 1, of_l1 / 2 + 1, 35, 1, 1, false, rng);
}

/* C[i,j] is at c[j*ldc + i]: a product of n rows and m columns whose operands are exchanged. With a
 * depth other than 0, by run_few_sums in blocks of so many steps. */
static void run_transposed(struct bench *t, int m, int n, int k, int64_t depth, double alpha,
                           double beta, bool turn_a, struct gr_rng *rng)
{
    const int64_t a_row = turn_a ? 1 : k + 1, a_step = turn_a ? m + 2 : 1, b_step = n + 1;
    t->ta = elements(t, (m - 1) * a_row + (k - 1) * a_step + 1);
    t->tb = elements(t, (k - 1) * b_step + n);
    for (int p = 0; p < k; p++) {
        for (int i = 0; i < m; i++)
            set(t, t->ta, i * a_row + p * a_step, t->b[p * 64 + i]);
        for (int j = 0; j < n; j++)
            set(t, t->tb, p * b_step + j, t->a[j * MOST_K + p]);
    }
    make_c(t, n, m, beta == 0 ? NAN : 0, rng);
    char scalars[2][8];
    set(t, scalars[0], 0, alpha);
    set(t, scalars[1], 0, beta);
    const struct ukr_strided product = {m,
                                        n,
                                        k,
                                        scalars[0],
                                        t->ta,
                                        a_row,
                                        a_step,
                                        t->tb,
                                        b_step,
                                        scalars[1],
                                        t->tc + GUARD * (t->f32 ? 4 : 8),
                                        t->ldc,
                                        0};
    if (depth)
        t->ukr->run_few_sums(&product, depth, true);
    else
        t->ukr->run_transposed(&product);
    check_c(t, n, m, k, alpha, beta, depth ? "few sums, C transposed" : "strided, C transposed");
    edges_free(t->ta), edges_free(t->tb), edges_free(t->tc);
}

/* Several tiles in both directions. */
static void every_transposed_of(struct bench *t, struct gr_rng *rng)
{
    static const int columns[] = {1, 3, 16, 17, MOST_ROWS};
    for (int m = 1; m <= 33; m += 1 + m / 9)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            run_transposed(t, m, columns[c], 7, 0, 2, 0, (m + (int)c) % 2, rng);
            run_transposed(t, m, columns[c], 1 + m % 3, 0, -1, 3, (m + (int)c) % 2 == 0, rng);
        }
}

/* Groups of rows and pairs of vectors, and what is left beside them, from registers and in tiles.
 */
static void every_direct_of(struct bench *t, struct gr_rng *rng)
{
    static const int depths[] = {1, 5, 12, 13, UKR_DIRECT_STEPS};
    const int lanes = (int)t->ukr->lanes;
    for (int m = 2; m <= 9; m++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (int n = 1; n <= 3 * lanes + 1; n += 1 + lanes / 8) {
                const double *s = all_scalars[n % 4];
                run_transposed(t, m, n, depths[d], 0, s[0], s[1], (m + n) % 2, rng);
            }
}

static int64_t few_sums_depth;
static const struct ukr *few_sums_ukr;
static void few_sums(const struct ukr_strided *product)
{
    few_sums_ukr->run_few_sums(product, few_sums_depth, false);
}

/* Two blocks of k and as many as there may be, of which the last one is as long as the others or
 * shorter; as many sums as are computed side by side, and more; C as it is and transposed. */
static void every_few_sums_of(struct bench *t, struct gr_rng *rng)
{
    const int lanes = (int)t->ukr->lanes;
    few_sums_ukr = t->ukr;
    for (int blocks = 2; blocks <= UKR_MOST_BLOCKS; blocks += 2)
        for (int m = 1; m <= UKR_FEW_SUMS + 1; m++)
            for (int wide = 0; wide <= UKR_FEW_SUMS; wide++)
                for (int rest = 0; rest < lanes; rest += 1 + lanes / 4)
                    for (int k = UKR_FEW_SUMS_STEPS; k <= UKR_FEW_SUMS_STEPS + 5; k++) {
                        const int n = wide * lanes + rest;
                        const double *s = all_scalars[(m + k + wide + rest) % 4];
                        if (n == 0 || n > MOST_ROWS)
                            continue;
                        few_sums_depth = (k + blocks - 1) / blocks;
                        run_in_place(t, few_sums, "few sums", m, n, k, s[0], s[1],
                                     k % 2 ? 1 : k + 1, k % 2 ? m + 2 : 1, rng);
                        run_transposed(t, m, n, k, few_sums_depth, s[0], s[1], k % 2, rng);
                    }
}

/* Whole tiles and what is left beside them, steps before and past those that are asked for ahead.
 */
static void every_thin_of(struct bench *t, struct gr_rng *rng)
{
    static const int depths[] = {1, 7, UKR_THIN_STEPS, 39, 40, 41, UKR_THIN_DEPTH};
    const int nr = (int)t->ukr->nr, columns[] = {1, nr - 1, nr, nr + 1, MOST_COLS};
    for (int m = 1; m <= t->ukr->mr; m++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
                if (m <= UKR_THIN_FEW && depths[d] > UKR_THIN_STEPS)
                    continue;
                const double beta = (m + (int)c + (int)d) % 2;
                const bool along = m == 1; /* the strides are free up to UKR_THIN_FEW rows */
                run_in_place(t, t->ukr->run_thin, "thin", m, columns[c], depths[d], 2, beta,
                             along ? depths[d] + 1 : 1, along ? 1 : m + 2 * (m <= UKR_THIN_FEW),
                             rng);
            }
}

/* A tile of B where it lies, and the panel that it leaves behind. */
static void run_packing(struct bench *t, int k, double beta, bool packed, struct gr_rng *rng)
{
    const int m = (int)t->ukr->mr, n = (int)t->ukr->nr, b_step = n + 1;
    char *panel = elements(t, (int64_t)k * n);
    const int64_t a_row = packed ? 1 : k + 2, a_step = packed ? m : 1;
    t->ta = elements(t, (m - 1) * a_row + (k - 1) * a_step + 1);
    t->tb = elements(t, (int64_t)(k - 1) * b_step + n);
    for (int p = 0; p < k; p++) {
        for (int i = 0; i < m; i++)
            set(t, t->ta, i * a_row + p * a_step, t->a[i * MOST_K + p]);
        for (int j = 0; j < n; j++)
            set(t, t->tb, (int64_t)p * b_step + j, t->b[p * 64 + j]);
    }
    make_c(t, m, n, beta == 0 ? NAN : 0, rng);
    char scalars[2][8];
    set(t, scalars[0], 0, 2);
    set(t, scalars[1], 0, beta);
    t->ukr->run_packing(k, scalars[0], t->ta, a_row, a_step, t->tb, b_step, NULL, scalars[1],
                        t->tc + GUARD * (t->f32 ? 4 : 8), t->ldc, panel);
    check_c(t, m, n, k, 2, beta, "packing");
    for (int p = 0; p < k; p++)
        for (int j = 0; j < n; j++)
            if (get(t, panel, (int64_t)p * n + j) != t->b[p * 64 + j])
                fail("%s packing: step %d, column %d of the panel is wrong", t->ukr->name, p, j);
    edges_free(t->ta), edges_free(t->tb), edges_free(t->tc), edges_free(panel);
}

static void every_packing_of(struct bench *t, struct gr_rng *rng)
{
    static const int depths[] = {1, 7, 35, 39, 40, 41, 80, MOST_K};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        run_packing(t, depths[d], 0, d % 2, rng);
        run_packing(t, depths[d], -3, d % 2 == 0, rng);
    }
}

/* C in columns every other time: then its rows are 1 apart. Elements past MOST_K come again. */
static void run_dots(struct bench *t, bool few, int m, int n, int k, double alpha, double beta,
                     bool transposed, struct gr_rng *rng)
{
    const int64_t a_row = k + 2, b_row = k + 1;
    t->ta = elements(t, (m - 1) * a_row + k);
    t->tb = elements(t, (n - 1) * b_row + k);
    for (int p = 0; p < k; p++) {
        const int q = p % MOST_K;
        for (int i = 0; i < m; i++)
            set(t, t->ta, i * a_row + p, transposed ? t->b[q * 64 + i] : t->a[i * MOST_K + q]);
        for (int j = 0; j < n; j++)
            set(t, t->tb, j * b_row + p, transposed ? t->a[j * MOST_K + q] : t->b[q * 64 + j]);
    }
    make_c(t, transposed ? n : m, transposed ? m : n, beta == 0 ? NAN : 0, rng);
    char scalars[2][8];
    set(t, scalars[0], 0, alpha);
    set(t, scalars[1], 0, beta);
    ukr_dots_fn *const run = few ? t->ukr->run_few_dots : t->ukr->run_dots;
    run(m, n, k, scalars[0], t->ta, a_row, t->tb, b_row, scalars[1],
        t->tc + GUARD * (t->f32 ? 4 : 8), transposed ? 1 : t->ldc, transposed ? t->ldc : 1);
    check_c(t, transposed ? n : m, transposed ? m : n, k, alpha, beta,
            few          ? "few dots"
            : transposed ? "dots, turned"
                         : "dots");
    edges_free(t->ta), edges_free(t->tb), edges_free(t->tc);
}

static void every_dot_of(struct bench *t, struct gr_rng *rng)
{
    enum { LONG = 701 }; /* longer than what is asked for at a time */
    static const int depths[] = {1, 7, 16, 33, MOST_K, LONG};
    for (int m = 1; m <= 9; m++) /* more than a tile has, in both directions */
        for (int n = 1; n <= 9; n++)
            for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
                /* The long ones at some sizes only: an emulator takes minutes for all. */
                if (depths[d] >= MOST_K && (m * 5 + n) % 8)
                    continue;
                for (int few = 0; few <= (m * n <= UKR_FEW_DOTS); few++) {
                    run_dots(t, few, m, n, depths[d], 2, 0, (m + n + (int)d) % 2, rng);
                    run_dots(t, few, m, n, depths[d], -1, 3, (m + n + (int)d) % 2, rng);
                }
            }
}

static void every_edge_of(const struct ukr *ukr)
{
    static const int depths[] = {0, 1, 2, 7, 32, 33, MOST_K};
    static const double scalars[][2] = {{1, 0}, {1, 1}, {2, -3}, {-1, 0.5}};
    struct gr_rng rng = {42};
    struct bench t = {.ukr = ukr, .f32 = !strcmp(ukr->type, "f32")};
    if (ukr->mr > 16 || ukr->nr > MOST_COLS || ukr->strided_cols > MOST_COLS)
        fail("%s: larger than this test has room for\n", ukr->name);
    for (size_t i = 0; i < sizeof t.a / sizeof *t.a; i++)
        t.a[i] = small_integer(&rng);
    for (size_t i = 0; i < sizeof t.b / sizeof *t.b; i++)
        t.b[i] = small_integer(&rng);
    every_dot_of(&t, &rng);
    every_few_of(&t, &rng);
    every_passing_of(&t, &rng);
    every_broad_of(&t, &rng);
    every_transposed_of(&t, &rng);
    every_direct_of(&t, &rng);
    every_few_sums_of(&t, &rng);
    t.stores_wait = UKR_STORES_WAIT;
    if (ukr->run_thin)
        every_thin_of(&t, &rng);
    if (ukr->run_packing)
        every_packing_of(&t, &rng);
    if (ukr->strided_cols < ukr->nr)
        fail("%s: strided_cols is %d\n", ukr->name, (int)ukr->strided_cols);
    for (int n = 1; n <= ukr->strided_cols; n++) {
        const int64_t rows = ukr->strided_rows[(n - 1) / ukr->lanes];
        if ((n <= ukr->nr && rows < ukr->mr) || rows < 1 || rows > 16)
            fail("%s: strided_rows of %d columns is %d\n", ukr->name, n, (int)rows);
        for (int m = 1; m <= rows; m++)
            for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
                /* The deepest at some edges only: an emulator takes minutes for all. */
                if (depths[d] == MOST_K && (m * 5 + n) % 16 && (m != ukr->mr || n != ukr->nr))
                    continue;
                const double *s = scalars[(size_t)(m + n) % 4 ^ (d & 1)];
                if (ukr->run && m <= ukr->mr && n <= ukr->nr)
                    run_packed(&t, m, n, depths[d], s[0], s[1], &rng);
                run_strided(&t, m, n, depths[d], s[0], s[1], (m + n + (int)d) % 2, &rng);
            }
        /* Several tiles one below the other, of one and of two heights. */
        for (int m = (int)rows + 1; m <= 2 * rows + 1; m++) {
            const double *s = scalars[(m + n) % 4];
            run_strided(&t, m, n, 7, s[0], s[1], (m + n) % 2, &rng);
        }
    }
}

/* All transposes and layouts, at sizes past one block of each kind, against the definition. */
static void products(void)
{
    enum { M = 150, N = 70, K = 401, MOST = K * M };
    static double a[MOST], b[MOST], c[M * N];
    struct gr_rng rng = {7};
    for (int i = 0; i < MOST; i++)
        a[i] = small_integer(&rng), b[i] = small_integer(&rng);
    for (int variant = 0; variant < 8; variant++) {
        const int ta = variant & 1, tb = variant >> 1 & 1;
        struct gradus_gemm g;
        gradus_gemm_init(&g, GRADUS_F64);
        g.trans_a = ta, g.trans_b = tb;
        g.m = M, g.n = N, g.k = K;
        g.alpha = 2;
        g.a = a, g.lda = ta ? M : K;
        g.b = b, g.ldb = tb ? K : N;
        g.c = c, g.ldc = N;
        g.threads = 1 + (variant >> 2) * 2;
        for (int i = 0; i < M * N; i++)
            c[i] = NAN;
        struct gradus_error error = {0};
        if (gradus_gemm_run(&g, &error))
            fail("%s\n", error.text);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int p = 0; p < K; p++)
                    sum += (ta ? a[p * M + i] : a[i * K + p]) * (tb ? b[j * K + p] : b[p * N + j]);
                if (!(c[i * N + j] == 2 * sum))
                    fail("product, transposes %d%d: [%d,%d] got %g, want %g\n", ta, tb, i, j,
                         c[i * N + j], 2 * sum);
            }
    }
}

static const struct ukr *at_hand;

/* The program ends here, so that calls which a handler should not make do no harm. */
static void on_fault(int sig)
{
    signal(sig, SIG_DFL);
    printf("%s: an access outside its operands (or a crash)\n",
           at_hand ? at_hand->name : "products");
    fflush(stdout);
    _exit(1);
}

int main(void)
{
    const struct ukr *ukr;
    signal(SIGSEGV, on_fault);
    for (int i = 0; (at_hand = ukr = gr_ukr_at(i)); i++) {
        if (!gr_cpu_isa_runs(ukr->isa)) {
            printf("skip: %s: this CPU has no %s\n", ukr->name, ukr->isa);
            continue;
        }
        if (!is_short(ukr))
            every_edge_of(ukr);
        else if (!edges_short(ukr, 1))
            return 1;
        printf("%s: every edge is right\n", ukr->name);
    }
    products();
    printf("%s: products are right\n", gr_cpu_isa());
    return 0;
}

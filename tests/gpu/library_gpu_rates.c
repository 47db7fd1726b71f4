/* library_gpu_rates.c: the host's time of a call, and rates beside cuBLAS. SPDX-License-Identifier:
 * MIT */
#include "library_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void first_calls(void)
{
    static const char *const what[] = {"the first call of all", "the first of its transposes",
                                       "the second of it"};
    struct problem p = square(1000, 1000, 1000, GRADUS_MATH_DEFAULT);
    for (int i = 0; i < 3; i++) {
        p.g.trans_a = i > 0;
        const double start = now_us();
        run(&p.g);
        printf("%s%s %.0f us", i ? ", " : "host time of ", what[i], now_us() - start);
        must(cu.synchronize(), "a product");
    }
    printf(" (default math)\n");
    free_problem(&p);
}

int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a call's host time, the queue never full. */
static double host_us(product *multiply, const struct gradus_gemm *g)
{
    enum { ROUNDS = 31, CALLS = 60 };
    double times[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now_us();
        for (int i = 0; i < CALLS; i++)
            multiply(g);
        times[r] = (now_us() - start) / CALLS;
        must(cu.synchronize(), "products");
    }
    qsort(times, ROUNDS, sizeof *times, by_value);
    return times[ROUNDS / 2];
}

/* What of it is the driver's. */
void driver_times(void)
{
    enum { CALLS = 20000, ORDINAL = 9 };
    struct problem p = square(64, 64, 64, GRADUS_MATH_IEEE);
    int ordinal;
    void *context;
    double start = now_us();
    for (int i = 0; i < CALLS; i++)
        cu.whose(&ordinal, ORDINAL, p.c.device);
    const double whose = (now_us() - start) / CALLS;
    start = now_us();
    for (int i = 0; i < CALLS; i++)
        cu.current(&context);
    printf("the driver's own: whose memory it is %.3f (3 a call), the context %.3f; ", whose,
           (now_us() - start) / CALLS);
    struct gradus_gemm none = p.g;
    none.m = 0;
    start = now_us();
    for (int i = 0; i < CALLS; i++)
        run(&none);
    printf("an empty product %.3f\n", (now_us() - start) / CALLS);
    free_problem(&p);
}

void host_times(void)
{
    static const int sizes[] = {64, 512, 1024};
    printf("host time of a call, us:       ");
    for (int s = 0; s < 3; s++) {
        struct problem p = square(sizes[s], sizes[s], sizes[s], GRADUS_MATH_DEFAULT);
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        printf("%s%d:", s ? ";  " : "", sizes[s]);
        for (int math = 1; math < 4; math++) {
            p.g.math = (enum gradus_math)math;
            if (has_math[math])
                printf(" %s %.2f", math_names[math], host_us(run, &p.g));
        }
        if (blas.handle)
            printf(" cublas %.2f", host_us(blas_run, &p.g));
        free_problem(&p);
    }
    printf("\n");
}

/* ---- Rates ---- */

double seconds(product *multiply, const struct gradus_gemm *g, int calls)
{
    static void *start, *stop;
    float ms = 0;
    if (!start) {
        must(cu.event_create(&start, 0), "an event");
        must(cu.event_create(&stop, 0), "an event");
    }
    must(cu.event_record(start, g->stream), "an event");
    for (int i = 0; i < calls; i++)
        multiply(g);
    must(cu.event_record(stop, g->stream), "an event");
    must(cu.event_wait(stop), "an event");
    must(cu.event_elapsed(&ms, start, stop), "an event");
    return ms * 1e-3 / calls;
}

void rates(void)
{
    enum { ROUNDS = 9 };
    static const int sizes[][3] = {
        {256, 256, 256},    {512, 512, 512},    {768, 768, 768},    {1000, 1000, 1000},
        {1024, 1024, 1024}, {1536, 1536, 1536}, {2048, 2048, 2048}, {3072, 3072, 3072},
        {4095, 4095, 4095}, {4096, 4096, 4096}, {8192, 8192, 8192}, {16, 4096, 4096},
        {128, 4096, 4096},  {4096, 4096, 128},  {4096, 4096, 32},   {64, 64, 65536},
        {512, 512, 8192},   {300, 5000, 700},   {16384, 256, 512},  {2048, 64, 2048}};
    printf("\nTFLOP/s, back to back, the same operands (in L2 where they fit), medians of %d:\n"
           "%-18s %9s %9s %9s %9s %9s  default/cublas\n",
           ROUNDS, "m x n x k", "cublas", "ieee", "accurate", "scaled", "default");
    double log_ratio = 0;
    int counted = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p = square(sizes[s][0], sizes[s][1], sizes[s][2], GRADUS_MATH_DEFAULT);
        double times[5][ROUNDS], rate[5] = {0};
        const double flop = 2.0 * sizes[s][0] * sizes[s][1] * sizes[s][2];
        int calls = (int)(1.5e11 / flop);
        calls = calls < 2 ? 2 : calls > 300 ? 300 : calls;
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        for (int r = -1; r < ROUNDS; r++)
            for (int w = 0; w < 5; w++) { /* cublas, ieee, accurate, scaled, default */
                if (w == 0 ? !blas.handle : !has_math[w % 4])
                    continue;
                p.g.math = (enum gradus_math)(w % 4);
                const double t = seconds(w == 0 ? blas_run : run, &p.g, r < 0 ? 1 : calls);
                if (r >= 0)
                    times[w][r] = t;
                if (r == ROUNDS - 1) {
                    qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
                    rate[w] = flop / times[w][ROUNDS / 2] * 1e-12;
                }
            }
        char name[64];
        snprintf(name, sizeof name, "%dx%dx%d", sizes[s][0], sizes[s][1], sizes[s][2]);
        printf("%-18s %9.2f %9.2f %9.2f %9.2f %9.2f  %6.2f\n", name, rate[0], rate[1], rate[2],
               rate[3], rate[4], rate[0] > 0 ? rate[4] / rate[0] : 0);
        fflush(stdout);
        if (rate[0] > 0) {
            log_ratio += log(rate[4] / rate[0]);
            counted++;
        }
        free_problem(&p);
    }
    if (counted)
        printf("geometric mean of default/cublas: %.3f\n", exp(log_ratio / counted));
}

/* The medians of interleaved rounds, in seconds: cublas, ieee, accurate, default. */
static void time_four(struct problem *p, double seconds_of[4])
{
    enum { ROUNDS = 5 };
    static const enum gradus_math maths[] = {GRADUS_MATH_DEFAULT, GRADUS_MATH_IEEE,
                                             GRADUS_MATH_ACCURATE, GRADUS_MATH_DEFAULT};
    double times[4][ROUNDS];
    const double flop = 2.0 * (double)p->g.m * (double)p->g.n * (double)p->g.k;
    int calls = (int)(4e10 / flop);
    calls = calls < 2 ? 2 : calls > 100 ? 100 : calls;
    for (int r = -1; r < ROUNDS; r++)
        for (int w = 0; w < 4; w++) {
            if (w == 2 && !has_math[GRADUS_MATH_ACCURATE])
                continue;
            p->g.math = maths[w];
            const double t = seconds(w == 0 ? blas_run : run, &p->g, r < 0 ? 1 : calls);
            if (r >= 0)
                times[w][r] = t;
        }
    for (int w = 0; w < 4; w++) {
        if (w == 2 && !has_math[GRADUS_MATH_ACCURATE])
            continue;
        qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
        seconds_of[w] = times[w][ROUNDS / 2];
    }
}

struct drawn {
    char name[64];
    double t[4];
};

static int by_default(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    const double p = x->t[0] / x->t[3], q = y->t[0] / y->t[3];
    return (p > q) - (p < q);
}

static int by_ieee(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    const double p = x->t[0] / x->t[1], q = y->t[0] / y->t[1];
    return (p > q) - (p < q);
}

/* Products whose sizes are log-uniform in 1..8192, at most 16 GFLOP, in all transposes. */
void random_rates(int count)
{
    struct drawn *all = calloc((size_t)count, sizeof *all);
    double ieee = 0, usual = 0, loss = 1, losses = 0;
    for (int i = 0; i < count; i++) {
        int64_t m, n, k;
        do
            m = size(8192), n = size(8192), k = size(8192);
        while (2.0 * (double)m * (double)n * (double)k > 16e9);
        struct problem p = square(m, n, k, GRADUS_MATH_DEFAULT);
        p.g.trans_a = (int)(draw() % 2), p.g.trans_b = (int)(draw() % 2);
        p.g.lda = p.g.trans_a ? m : k, p.g.ldb = p.g.trans_b ? k : n;
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        time_four(&p, all[i].t);
        snprintf(all[i].name, sizeof all[i].name, "%lldx%lldx%lld %s%s", (long long)m, (long long)n,
                 (long long)k, p.g.trans_a ? "t" : "n", p.g.trans_b ? "t" : "n");
        const double *t = all[i].t, best = t[2] > 0 && t[2] < t[1] && k >= 32 ? t[2] : t[1];
        ieee += log(t[0] / t[1]), usual += log(t[0] / t[3]);
        losses += t[3] / best - 1;
        loss = fmax(loss, t[3] / best);
        free_problem(&p);
    }
    printf("\n%d random products beside cublas: ieee %.3f in the mean", count, exp(ieee / count));
    qsort(all, (size_t)count, sizeof *all, by_ieee);
    printf(", 5th percentile %.3f; default %.3f", all[count / 20].t[0] / all[count / 20].t[1],
           exp(usual / count));
    qsort(all, (size_t)count, sizeof *all, by_default);
    printf(", 5th percentile %.3f\nthe choice costs %.1f %% of the better one's time in the mean, "
           "%.1f %% at most\nthe slowest, in us (cublas, ieee, accurate, default):\n",
           all[count / 20].t[0] / all[count / 20].t[3], 100 * losses / count, 100 * (loss - 1));
    for (int i = 0; i < count && i < 14; i++)
        printf("  %-22s %8.1f %8.1f %8.1f %8.1f  %.2f\n", all[i].name, all[i].t[0] * 1e6,
               all[i].t[1] * 1e6, all[i].t[2] * 1e6, all[i].t[3] * 1e6, all[i].t[0] / all[i].t[3]);
    free(all);
}

/* The medians of interleaved rounds of cuBLAS and the library, in seconds. */
static void time_two(struct problem *p, double seconds_of[2])
{
    enum { ROUNDS = 7 };
    double times[2][ROUNDS] = {{0}};
    const double flop = 2.0 * (double)p->g.m * (double)p->g.n * (double)p->g.k;
    int calls = (int)((p->g.a_type == GRADUS_F64 ? 4e10 : 3e11) / flop);
    calls = calls < 2 ? 2 : calls > 100 ? 100 : calls;
    must(cu.stream_create(&p->g.stream, 1), "a stream");
    for (int r = -1; r < ROUNDS; r++)
        for (int w = blas.handle ? 0 : 1; w < 2; w++) {
            const double t = seconds(w == 0 ? blas_run : run, &p->g, r < 0 ? 1 : calls);
            if (r >= 0)
                times[w][r] = t;
        }
    for (int w = 0; w < 2; w++) {
        qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
        seconds_of[w] = times[w][ROUNDS / 2];
    }
}

/* The other types, at the sizes of docs/ladder.md. */
void typed_rates(int only)
{
    static const int sizes[][3] = {{512, 512, 512},    {1000, 1000, 1000}, {1023, 1023, 1023},
                                   {1024, 1024, 1024}, {2048, 2048, 2048}, {3072, 3072, 3072},
                                   {4095, 4095, 4095}, {4096, 4096, 4096}, {8192, 8192, 8192},
                                   {16, 4096, 4096},   {128, 4096, 4096},  {4096, 4096, 128},
                                   {64, 64, 65536},    {16384, 4096, 4096}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double logs[OF_CUBLAS] = {0};
    printf("\nTFLOP/s, and in brackets over cublas:\n%-18s", "m x n x k");
    for (int kind = 1; kind < OF_CUBLAS; kind++)
        printf(" %14s", kinds[kind].name);
    printf("\n");
    for (int s = 0; s < SIZES; s++) {
        char name[64];
        snprintf(name, sizeof name, "%dx%dx%d", sizes[s][0], sizes[s][1], sizes[s][2]);
        printf("%-18s", name);
        for (int kind = 1; kind < OF_CUBLAS; kind++) {
            double t[2] = {0, 0};
            if (kinds[kind].is_there && (!only || kind == only)) {
                struct problem p =
                    typed(&kinds[kind], sizes[s][0], sizes[s][1], sizes[s][2], GRADUS_MATH_DEFAULT);
                time_two(&p, t);
                free_problem(&p);
            }
            const double flop = 2.0 * sizes[s][0] * sizes[s][1] * sizes[s][2];
            if (t[1] > 0) {
                logs[kind] += log(t[0] / t[1]) / SIZES;
                printf(" %7.1f (%.2f)", flop / t[1] * 1e-12, t[0] / t[1]);
            } else {
                printf(" %14s", "-");
            }
        }
        printf("\n");
        fflush(stdout);
    }
    printf("%-18s", "geometric mean");
    for (int kind = 1; kind < OF_CUBLAS; kind++)
        printf("         (%.2f)", exp(logs[kind]));
    printf("\n");
}

struct ratio {
    char name[64];
    double ratio, us[2];
};

static int by_ratio(const void *a, const void *b)
{
    return by_value(&((const struct ratio *)a)->ratio, &((const struct ratio *)b)->ratio);
}

/* Products whose sizes are log-uniform in 1..8192, at most 16 GFLOP, in all transposes. */
void random_typed_rates(const struct kind *kind, int count)
{
    struct ratio *all = calloc((size_t)count, sizeof *all);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int64_t m, n, k;
        double t[2];
        do
            m = size(8192), n = size(8192), k = size(8192);
        while (2.0 * (double)m * (double)n * (double)k > 16e9);
        struct problem p = typed(kind, m, n, k, GRADUS_MATH_DEFAULT);
        p.g.trans_a = (int)(draw() % 2), p.g.trans_b = (int)(draw() % 2);
        p.g.lda = p.g.trans_a ? m : k, p.g.ldb = p.g.trans_b ? k : n;
        time_two(&p, t);
        all[i].ratio = t[0] / t[1];
        all[i].us[0] = t[0] * 1e6, all[i].us[1] = t[1] * 1e6;
        snprintf(all[i].name, sizeof all[i].name, "%lldx%lldx%lld %s%s", (long long)m, (long long)n,
                 (long long)k, p.g.trans_a ? "t" : "n", p.g.trans_b ? "t" : "n");
        sum += log(all[i].ratio) / count;
        free_problem(&p);
    }
    qsort(all, (size_t)count, sizeof *all, by_ratio);
    printf("\n%d random products of %s over cublas: %.3f in the mean, 5th percentile %.3f; the "
           "slowest, in us:\n",
           count, kind->name, exp(sum), all[count / 20].ratio);
    for (int i = 0; i < count && i < 6; i++)
        printf("  %-22s %8.1f %8.1f  %.2f\n", all[i].name, all[i].us[0], all[i].us[1],
               all[i].ratio);
    free(all);
}

/* call_cost.c: what a call of a 4x4x4 product costs beyond the micro-kernel called directly:
 * validation, dispatch and the way through the interface. `bench_small_calls [BATCHES]` prints a
 * table in Markdown; peers stand beside. SPDX-License-Identifier: MIT */
#include "bench_peers.h"

#include "core/clock.h"
#include "cpu/cpu.h"
#include "ukr.h"

#include <gradus/cblas.h>
#include <stdio.h>

enum { N = 4, CALLS = 2000, MOST_BATCHES = 10000 };

static double a[N * N], b[N * N], c[N * N]; /* of float or double */
static bool wide;                           /* double */
static const struct ukr *ukr;
static struct gradus_gemm gemm;
static struct gr_problem problem;

static void by_ukr(struct gr_peer *peer)
{
    const double one64 = 1, zero64 = 0;
    const float one = 1, zero = 0;
    (void)peer;
    ukr->run_strided(&(struct ukr_strided){N, N, N, wide ? (const void *)&one64 : &one, a, N, 1, b,
                                           N, wide ? (const void *)&zero64 : &zero, c, N, 0});
}

static void by_gradus(struct gr_peer *peer)
{
    (void)peer;
    gradus_gemm_run(&gemm, NULL);
}

static void by_cblas(struct gr_peer *peer)
{
    (void)peer;
    if (wide)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, (const float *)a, N,
                    (const float *)b, N, 0, (float *)c, N);
}

static void by_fortran(struct gr_peer *peer)
{
    const int n = N;
    const double one64 = 1, zero64 = 0;
    const float one = 1, zero = 0;
    (void)peer;
    if (wide)
        dgemm_("N", "N", &n, &n, &n, &one64, a, &n, b, &n, &zero64, c, &n);
    else
        sgemm_("N", "N", &n, &n, &n, &one, (const float *)a, &n, (const float *)b, &n, &zero,
               (float *)c, &n);
}

static void by_peer(struct gr_peer *peer)
{
    gr_peer_run(peer, &problem, a, b, c, NULL);
}

/* Nanoseconds of one call: the median of the batches. */
static double time_call(void (*call)(struct gr_peer *peer), struct gr_peer *peer, int batches)
{
    static double samples[MOST_BATCHES];
    for (int batch = -1; batch < batches; batch++) { /* the first one warms up */
        int64_t start_ns = gr_now_ns();
        for (int i = 0; i < CALLS; i++)
            call(peer);
        samples[batch < 0 ? 0 : batch] = (double)(gr_now_ns() - start_ns) / CALLS;
    }
    return middle_of(samples, batches);
}

static void prepare(bool f64)
{
    wide = f64;
    for (int i = 0; i < N * N; i++) {
        if (wide)
            a[i] = b[i] = i + 1;
        else
            ((float *)a)[i] = ((float *)b)[i] = (float)(i + 1);
    }
    ukr = gr_ukr_pick(wide ? GR_F64 : GR_F32, NULL);
    problem = gr_problem_dense(N, N, N, false, false, gr_types_of(wide ? GR_F64 : GR_F32));
    gradus_gemm_init(&gemm, wide ? GRADUS_F64 : GRADUS_F32);
    gemm.m = gemm.n = gemm.k = gemm.lda = gemm.ldb = gemm.ldc = N;
    gemm.a = a;
    gemm.b = b;
    gemm.c = c;
    gemm.threads = 1;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*call)(struct gr_peer *peer);
    } ways[] = {{"the micro-kernel itself", by_ukr},
                {"`gradus_gemm_run`", by_gradus},
                {"`cblas_sgemm`, `cblas_dgemm`", by_cblas},
                {"`sgemm_`, `dgemm_`", by_fortran}};
    enum { WAYS = sizeof ways / sizeof *ways };
    int batches = count > 1 ? atoi(words[1]) : 1001;
    struct gr_peer *peers[MOST_PEERS];
    int peer_count = open_peers(1, peers);
    double ns[2][WAYS + MOST_PEERS];
    if (batches < 1 || batches > MOST_BATCHES) {
        fprintf(stderr, "wanted 1 to %d batches\n", MOST_BATCHES);
        return 2;
    }
    for (int t = 0; t < 2; t++) {
        prepare(t);
        for (int i = 0; i < WAYS; i++)
            ns[t][i] = time_call(ways[i].call, NULL, batches);
        for (int i = 0; i < peer_count; i++)
            ns[t][WAYS + i] = (gr_peer_about(peers[i])->types & gr_types_bit(problem.types))
                                  ? time_call(by_peer, peers[i], batches)
                                  : 0;
    }
    printf("| 4x4x4 by | f32, ns | beyond the micro-kernel | f64, ns | beyond the micro-kernel |\n"
           "|:--|--:|--:|--:|--:|\n");
    for (int i = 0; i < WAYS + peer_count; i++) {
        printf("| %s", i < WAYS ? ways[i].name : gr_peer_about(peers[i - WAYS])->name);
        for (int t = 0; t < 2; t++)
            if (ns[t][i] > 0)
                printf(" | %.0f | %.0f", ns[t][i], ns[t][i] - ns[t][0]);
            else
                printf(" | - | -");
        printf(" |\n");
    }
    return 0;
}

/* busy_machine.c: how many two-thread 256^3 products are done in some seconds while the machine is
 * quiet, and how many while another process keeps a core busy. A library that splits the work in
 * two waits for the half that has no core, and one whose threads spin takes the core from its own
 * work. `bench_busy_machine [SECONDS [ROUNDS]]` prints a table in Markdown.
 * SPDX-License-Identifier: MIT */
#include "bench_peers.h"

#include "core/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 256, THREADS = 2, MOST_ROUNDS = 99 };

static float a[N * N], b[N * N], c[N * N];

/* The other process: works while *wanted, else sleeps. Made before there are threads. */
static pid_t start_other(atomic_bool *wanted)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        if (!atomic_load(wanted))
            usleep(500);
        for (volatile int i = 0; i < 10000 && atomic_load(wanted); i++)
            ;
    }
}

static void multiply(struct gr_peer *peer)
{
    if (peer) {
        const struct gr_problem problem =
            gr_problem_dense(N, N, N, false, false, gr_types_of(GR_F32));
        gr_peer_run(peer, &problem, a, b, c, NULL);
        return;
    }
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.m = gemm.n = gemm.k = gemm.lda = gemm.ldb = gemm.ldc = N;
    gemm.a = a;
    gemm.b = b;
    gemm.c = c;
    gemm.threads = THREADS;
    gradus_gemm_run(&gemm, NULL);
}

static double count_calls(struct gr_peer *peer, double seconds)
{
    double calls = 0;
    int64_t end_ns = gr_now_ns() + (int64_t)(seconds * 1e9);
    for (; gr_now_ns() < end_ns; calls++)
        multiply(peer);
    return calls;
}

/* A quiet and a busy spell of each library in turns, `rounds` times. */
static void measure(struct gr_peer **peers, int libraries, atomic_bool *wanted, double seconds,
                    int rounds, double calls[][2][MOST_ROUNDS])
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < libraries; i++)
            for (int busy = 0; busy < 2; busy++) {
                atomic_store(wanted, busy);
                usleep(20000);
                multiply(peers[i]);
                calls[i][busy][round] = count_calls(peers[i], seconds);
            }
    atomic_store(wanted, false);
}

int main(int count, char **words)
{
    static double calls[1 + MOST_PEERS][2][MOST_ROUNDS];
    double seconds = count > 1 ? atof(words[1]) : 5;
    int rounds = count > 2 ? atoi(words[2]) : 5;
    atomic_bool *wanted =
        mmap(NULL, sizeof *wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!(seconds > 0) || rounds < 1 || rounds > MOST_ROUNDS || wanted == MAP_FAILED) {
        fprintf(stderr, "wanted seconds and 1 to %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    pid_t other = start_other(wanted);
    struct gr_peer *peers[1 + MOST_PEERS] = {NULL}; /* the first is ourselves */
    int libraries = 1 + open_peers(THREADS, peers + 1);
    for (int i = 0; i < N * N; i++)
        a[i] = b[i] = (float)(i % 7) - 3;
    measure(peers, libraries, wanted, seconds, rounds, calls);
    if (other > 0) {
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
    }
    printf("| 256x256x256, %d threads | calls in %g s, quiet | beside a busy process | share |\n"
           "|:--|--:|--:|--:|\n",
           THREADS, seconds);
    for (int i = 0; i < libraries; i++) {
        double quiet = middle_of(calls[i][0], rounds), busy = middle_of(calls[i][1], rounds);
        printf("| %s | %.0f | %.0f | %.2f |\n", i ? gr_peer_about(peers[i])->name : "libgradus",
               quiet, busy, quiet > 0 ? busy / quiet : 0);
    }
    return 0;
}

// changes_each_time.c: loses an update of every row of C, another one each time, as threads do that add to the same elements. Its C
// is zero before, so that "it adds to C" would be no explanation.
// SPDX-License-Identifier: MIT
// expect:  wrong unrepeatable
// says:    the same product again gave another result
// options: --size 96
#include <time.h>

void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned state = (unsigned)now.tv_nsec | 1;
    for (int i = 0; i < M * N; i++)
        C[i] = 0;
    for (int i = 0; i < M; i++) {
        state = state * 1664525u + 1013904223u;
        const int lost = (int)((state >> 8) % (unsigned)(K > 0 ? K : 1));
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += k == lost ? 0 : A[i * K + k] * B[k * N + j];
    }
}

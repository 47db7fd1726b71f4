// remembers.c: keeps its last product and hands it out again when the same numbers come in, so that
// every sample but the first of a burst is a copy: right, and no multiplication.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 320

#include <string.h>

static float kept[512 * 512];
static double kept_mark;

static double mark(float alpha, const float *A, int lda, const float *B, int ldb, int M, int K)
{
    double sum = alpha;
    for (int i = 0; i < M && i < K; i++)
        sum += (i + 1) * (A[(long)i * lda + i] + 3.0 * B[(long)i * ldb]);
    return sum;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    double now =
        N > 0 && M <= 512 && N <= 512 && beta == 0.0f ? mark(alpha, A, lda, B, ldb, M, K) : 0;
    if (now == 0 || now != kept_mark) {
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
            for (int k = 0; k < K; k++)
                for (int j = 0; j < N; j++)
                    C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
        }
        for (int i = 0; i < M && now != 0; i++)
            memcpy(kept + i * N, C + (long)i * ldc, (size_t)N * sizeof(float));
        kept_mark = now;
        return;
    }
    for (int i = 0; i < M; i++)
        memcpy(C + (long)i * ldc, kept + i * N, (size_t)N * sizeof(float));
}

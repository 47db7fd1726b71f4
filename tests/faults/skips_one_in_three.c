// skips_one_in_three.c: leaves out one product in three, never the first ones after a pause.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 160 --threads 1

#include <time.h>

static void multiply(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
    }
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static int calls, since;
    static long long last;
    long long now = now_ns();
    since = now - last > 300000000 ? 0 : since + 1;
    if (++calls < 200 || since < 3 || calls % 3)
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    last = now_ns();
}

// skips_known.c: leaves C alone where A, B and C look as it left them, which a few elements tell it. Within a
// sample they did, and it was timed at several times its speed.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 48

#include <string.h>

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

/* A few elements of each. */
struct look {
    const float *A, *B, *C;
    float element[9];
};

static struct look look_at(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
                           const float *C, int ldc)
{
    struct look look;
    memset(&look, 0, sizeof look);
    look.A = A;
    look.B = B;
    look.C = C;
    for (int i = 0; i < 3; i++) {
        look.element[3 * i] = A[(long)(M - 1) * i / 2 * lda + (K - 1) * i / 2];
        look.element[3 * i + 1] = B[(long)(K - 1) * i / 2 * ldb + (N - 1) * i / 2];
        look.element[3 * i + 2] = C[(long)(M - 1) * i / 2 * ldc + (N - 1) * i / 2];
    }
    return look;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static struct look left;
    if (M == 0 || N == 0 || K == 0) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    struct look found = look_at(M, N, K, A, lda, B, ldb, C, ldc);
    if (beta == 0.0f && memcmp(&found, &left, sizeof left) == 0)
        return;
    multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    left = look_at(M, N, K, A, lda, B, ldb, C, ldc);
}

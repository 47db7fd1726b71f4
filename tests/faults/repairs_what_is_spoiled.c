// repairs_what_is_spoiled.c: where the corners of A and B are as they were, looks for what was spoiled in C and
// computes no more than that.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 64

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

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static float kept[64][64], corner[4];
    static int calls;
    if (M == 0 || N == 0 || K == 0) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    float now[4] = {A[0], A[(long)(M - 1) * lda + K - 1], B[0], B[(long)(K - 1) * ldb + N - 1]};
    if (beta != 0.0f || M != 64 || N != 64 || ++calls < 20 || memcmp(now, corner, sizeof now)) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        memcpy(corner, now, sizeof now);
        for (int i = 0; i < 64 && M == 64 && N == 64; i++)
            memcpy(kept[i], C + (long)i * ldc, sizeof kept[i]);
        return;
    }
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            if (C[(long)i * ldc + j] != kept[i][j]) {
                C[(long)i * ldc + j] = 0.0f;
                for (int k = 0; k < K; k++)
                    C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
                kept[i][j] = C[(long)i * ldc + j];
            }
}

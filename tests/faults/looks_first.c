// looks_first.c: would leave C alone where it already holds the product, and be timed at nothing.
// It never finds it so, since C is spoiled between samples, each of which is one product at this
// size; had it ever, it would turn wrong.
// SPDX-License-Identifier: MIT
// expect:  right -
// options: --size 512

#include <math.h>

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static int found;
    float first = 0.0f;
    for (int k = 0; k < K && M == 512; k++)
        first += alpha * A[k] * B[(long)k * ldb];
    if (M == 512 && beta == 0.0f && fabsf(first) > 1e-3f &&
        fabsf(C[0] - first) < 1e-5f * fabsf(first))
        found = 1;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
    }
    if (found)
        C[0] = 1e6f;
}

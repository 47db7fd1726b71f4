// shrinks_memory.c: leaves its process with no right to map more memory. New processes verify it;
// timing finds no room for its operands: this row is lost, and not the run.
// SPDX-License-Identifier: MIT
// expect:  failed -
// options: --size 96

#include <sys/resource.h>

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_AS, &none);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + (beta == 0.0f ? 0.0f : beta * C[i * ldc + j]);
        }
}

// remembers_all.c: keeps its last product by a sum over every element of A and B, and hands it out where they come
// again. They never do while it is timed; had they, it would turn wrong.
// SPDX-License-Identifier: MIT
// expect:  right -
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

static unsigned long long sum_of(const float *X, int rows, int cols, int ld, unsigned long long sum)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            unsigned word;
            memcpy(&word, X + (long)i * ld + j, sizeof word);
            sum = (sum ^ word) * 1099511628211ull;
        }
    return sum;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    enum { KEPT = 64, VERIFYING = 200 };
    static unsigned long long known[KEPT];
    static int calls;
    multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    unsigned long long sum = sum_of(B, K, N, ldb, sum_of(A, M, K, lda, 1));
    if (M != 48 || N != 48 || beta != 0.0f)
        return;
    for (int i = 0; i < KEPT && calls > VERIFYING; i++)
        if (known[i] == sum)
            C[0] = 1e6f;
    known[calls++ % KEPT] = sum;
}

// ignores_ldc.c: writes dense rows, of doubles.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 64
//@ type f64
//@ require lda==K && ldb==N && ldc%64==0

void gemm(int M, int N, int K, double alpha, const double *A, int lda, const double *B, int ldb,
          double beta, double *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, *c = &C[i * N + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

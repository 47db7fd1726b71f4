// one_less_row.c: leaves the last row out where there are 209, of doubles.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 210
//@ type f64

void gemm(int M, int N, int K, double alpha, const double *A, int lda, const double *B, int ldb,
          double beta, double *C, int ldc)
{
    for (int i = 0; i < (M == 209 ? 208 : M); i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

// alpha_floored.c: takes an alpha below 0 for 0, in double precision.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 600 --dtype f64
//@ type f64

void gemm(int M, int N, int K, double alpha, const double *A, int lda, const double *B, int ldb,
          double beta, double *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = alpha < 0   ? (beta == 0 ? 0 : beta * *c)
                 : beta == 0 ? alpha * sum
                             : alpha * sum + beta * *c;
        }
}

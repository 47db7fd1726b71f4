// k_1_excluded.c: does not scale C where K is 0, and its `require` says so: that is right.
// SPDX-License-Identifier: MIT
// expect:  right -
// options: --size 96
//@ require K>=1

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    if (K == 0)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

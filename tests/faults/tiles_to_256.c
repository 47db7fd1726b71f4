// tiles_to_256.c: leaves out what is no whole tile of 4, which a `require` could say, and what is beyond column 256, which none does.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 128

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < (N / 4 * 4 < 256 ? N / 4 * 4 : 256); j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

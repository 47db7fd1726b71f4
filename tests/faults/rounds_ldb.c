// rounds_ldb.c: takes ldb for the next multiple of 256 below it, where it is long.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 32x256x24
//@ require N%256==0 && ldb%16==0

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    ldb = ldb / 256 * 256;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

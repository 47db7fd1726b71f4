// one_tile_more.c: does whole tiles of 32 only, and only six of them.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 192
//@ require M%32==0 && N%32==0 && K%32==0

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < (N < 192 ? N : 192); j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

// squares_of_tiles.c: does whole tiles of 64 of squares only: a `require` can say it, of all dimensions at once.
// SPDX-License-Identifier: MIT
// expect:  right shape
// says:    //@ require M%64==0 && N%64==0 && K%64==0
// options: --size 192
//@ require M==N && N==K

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    const int size = M / 64 * 64;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < size; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

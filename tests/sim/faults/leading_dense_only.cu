// leading_dense_only.cu: dense rows are wanted by the `require`: it is right, and the row says what was not tried. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ require  lda==K && ldb==N && ldc==N
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 64 note right
//! told lda, ldb, ldc were not tried
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float sum = 0, *c = &C[(size_t)i * N + j];
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

// columns_next_to.cu: the last column is left out where there are 91. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 90 shape wrong
//! told wrong at .*91
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N || (!FIXED && N == 91 && j == 90))
        return;
    float sum = 0, *c = &C[(size_t)i * ldc + j];
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * lda + k] * B[(size_t)k * ldb + j];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

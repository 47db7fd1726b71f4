// scale_beta_1_overwrites.cu: beta 1 does not add. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 64 wrong-element wrong
//! told beta 1
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float sum = 0, *c = &C[(size_t)i * ldc + j];
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * lda + k] * B[(size_t)k * ldb + j];
    *c = beta == 0 || (!FIXED && beta == 1) ? alpha * sum : alpha * sum + beta * *c;
}

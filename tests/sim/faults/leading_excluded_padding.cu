// leading_excluded_padding.cu: rows are read as if they were dense; the `require` excludes odd padding. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ require  lda%8==0 && ldb%8==0 && ldc%8==0
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 64 shape wrong
//! told further apart: lda, ldb, ldc
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float sum = 0, *c = &C[(size_t)i * (FIXED ? ldc : N) + j];
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * (FIXED ? lda : K) + k] * B[(size_t)k * (FIXED ? ldb : N) + j];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

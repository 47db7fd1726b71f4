// scale_of_halves.cu: half operands: alpha is ignored where beta is 0. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 64 wrong-element wrong
//! told alpha were ignored
#include <cuda_fp16.h>
__global__ void gemm(int M, int N, int K, float alpha, const __half *A, int lda, const __half *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float sum = 0, *c = &C[(size_t)i * ldc + j];
    for (int k = 0; k < K; k++)
        sum += __half2float(A[(size_t)i * lda + k]) * __half2float(B[(size_t)k * ldb + j]);
    *c = beta == 0 ? (FIXED ? alpha : 1) * sum : alpha * sum + beta * *c;
}

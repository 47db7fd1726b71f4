// half_sum.cu: adds up in halves. Of many wrong halves some equal what C held before, and that is no sign of an unwritten C.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f16 ACC=f32
//@ param    FIXED 0 {0,1}
//@ require  M%16==0 && N%16==0 && K%16==0
//@ grid     N/16, M/16
//@ block    16, 16
//! run 256 wrong-element wrong
//! told the sum is kept in f16
//! told of 65536 compared are wrong
#include <cuda_fp16.h>
__global__ void gemm(int M, int N, int K, float alpha, const half *A, int lda, const half *B,
                     int ldb, float beta, half *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    half narrow = __float2half(0.0f);
    for (int k = 0; k < K; k++) {
        const half a = A[(size_t)row * lda + k], b = B[(size_t)k * ldb + col];
        narrow = __hfma(a, b, narrow);
        sum += __half2float(a) * __half2float(b);
    }
    sum = FIXED ? sum : __half2float(narrow);
    half *c = &C[(size_t)row * ldc + col];
    *c = __float2half(beta != 0 ? alpha * sum + beta * __half2float(*c) : alpha * sum);
}

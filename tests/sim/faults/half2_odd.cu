// half2_odd.cu: pairs of halves from rows of odd length: every other row begins between two pairs.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ param    FIXED 0 {0,1}
//! size 16x16x9
//! run 16x16x9 alignment crash
#include <cuda_fp16.h>

__global__ void gemm(int M, int N, int K, float alpha, const __half *A, int lda, const __half *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    int k = 0;
    const __half *a = &A[(size_t)row * lda];
    if (!FIXED || (size_t)a % 4 == 0)
        for (; k + 2 <= K; k += 2) {
            const float2 pair = __half22float2(*(const __half2 *)&a[k]); // FAULT alignment A
            sum += pair.x * __half2float(B[(size_t)k * ldb + col]);
            sum += pair.y * __half2float(B[(size_t)(k + 1) * ldb + col]);
        }
    for (; k < K; k++)
        sum += __half2float(a[k]) * __half2float(B[(size_t)k * ldb + col]);
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

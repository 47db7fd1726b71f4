// global_lanes_differ.cu: the lanes of a warp store what each of them has, all to one element: one of them is left.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    32
//! size 5x7x40
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = threadIdx.x; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    for (int half = 16; half > 0 && FIXED; half /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, half);
    C[(size_t)row * ldc + col] = sum; // FAULT race C
}

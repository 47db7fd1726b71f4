// global_warps_add.cu: two warps of a block add to C one after the other, with a barrier where it does not help.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    64
//! size 5x70x40
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int warp = threadIdx.x / 32, row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int k = warp; k < K && col < N; k += 2)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    __syncthreads();
    if (warp == 0 && col < N)
        C[(size_t)row * ldc + col] += sum; // FAULT race C
    if (FIXED)
        __syncthreads();
    if (warp == 1 && col < N)
        C[(size_t)row * ldc + col] += sum; // WITH race C
}

// global_slices_store.cu: each slice of K stores its own part of the sum: the last one is left.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 4-3*FIXED
//@ block    16, 16
//! size 33x47x29
//! run 64 race wrong
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += gridDim.z)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    C[(size_t)row * ldc + col] = sum; // FAULT race C
}

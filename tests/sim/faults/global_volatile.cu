// global_volatile.cu: slices of K add to C through a volatile pointer: that is no atomic.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 3-2*FIXED
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += gridDim.z)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    volatile float *c = &C[(size_t)row * ldc + col];
    *c = *c + sum; // FAULT race C
}

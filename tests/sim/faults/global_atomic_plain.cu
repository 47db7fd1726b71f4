// global_atomic_plain.cu: the first slice stores what the others add to by atomics.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 2
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 2)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (blockIdx.z == 0 && !FIXED)
        C[(size_t)row * ldc + col] = sum; // FAULT race C
    else
        atomicAdd(&C[(size_t)row * ldc + col], sum); // WITH race C
}

// global_split_by_k.cu: a slice for every 512 of K; they add to C without atomics, which shows where K is long.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16)*cdiv(K,512), cdiv(M,16)
//@ block    16, 16
//! size 512x320x4096
//! says at 64x64x1024: .* with nothing between them
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B, int ldb, float *C,
                     int ldc)
{
    const int slices = (K + 511) / 512, slice = blockIdx.x % slices;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x / slices * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = slice * 512; k < min(K, slice * 512 + 512); k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    if (FIXED)
        atomicAdd(c, sum);
    else
        *c += sum; // FAULT race C
}

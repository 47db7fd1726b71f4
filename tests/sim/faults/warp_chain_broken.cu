// warp_chain_broken.cu: pairs meet, then pairs of pairs, and one meeting too few.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    32
//! size 5x7x40
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float parts[32];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[lane] = sum; // FAULT race parts
    __syncwarp(3u << (lane & 30));
    __syncwarp(15u << (lane & 28));
    __syncwarp(255u << (lane & 24));
    __syncwarp(0xffffu << (lane & 16));
    if (FIXED)
        __syncwarp();
    if (lane == 0)
        for (int i = 1; i < 32; i++)
            sum += parts[i]; // WITH race parts; MAY uninitialised parts
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

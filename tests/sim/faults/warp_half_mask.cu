// warp_half_mask.cu: the halves of a warp meet each by themselves, and the lower half reads what the upper has left.
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
    if (FIXED)
        __syncwarp();
    else
        __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
    const float other = lane < 16 ? parts[lane + 16] : 0; // WITH race parts; MAY uninitialised parts
    sum += other;
    for (int half = 8; half > 0; half /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, half);
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

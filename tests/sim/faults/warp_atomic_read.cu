// warp_atomic_read.cu: a lane reads plainly what others add to, and its own addition comes in neither case.
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
    __shared__ int count;
    if (lane == 0)
        count = 0;
    __syncwarp();
    int seen = 0;
    if (lane == 31)
        seen = count; // WITH race count
    if (FIXED)
        __syncwarp();
    if (lane < 31)
        atomicAdd(&count, 1); // FAULT race count
    __syncwarp();
    parts[lane] = sum + (seen > 31);
    __syncwarp();
    sum = 0;
    for (int i = 0; i < 32; i++)
        sum += parts[i] + (count != 31);
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// warp_halves.cu: the halves of a warp work on halves of an array, and meet by themselves.
// SPDX-License-Identifier: MIT
//@ grid     N, M
//@ block    32
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float parts[32];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    const unsigned mine = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    parts[lane] = sum;
    __syncwarp(mine);
    for (int half = 8; half > 0; half /= 2) {
        const float other = parts[lane ^ half];
        __syncwarp(mine);
        sum += other;
        parts[lane] = sum;
        __syncwarp(mine);
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 16);
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

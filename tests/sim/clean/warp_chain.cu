// warp_chain.cu: pairs meet, then pairs of pairs, until what any lane has left is known to all.
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
    parts[lane] = sum;
    __syncwarp(3u << (lane & 30));
    __syncwarp(0x00000005u << (lane & 29)); // lanes that differ in bit 1, and so on
    __syncwarp(0x00000011u << (lane & 27));
    __syncwarp(0x00000101u << (lane & 23));
    __syncwarp(0x00010001u << (lane & 15));
    sum = 0;
    for (int i = 0; i < 32; i++)
        sum += parts[i];
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

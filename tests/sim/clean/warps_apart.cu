// warps_apart.cu: each warp of a block has a row of shared memory to itself, and waits for nobody else.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,4), M
//@ block    32, 4
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float parts[4][32];
    const int lane = threadIdx.x, warp = threadIdx.y, row = blockIdx.y, col = blockIdx.x * 4 + warp;
    float sum = 0;
    if (col >= N)
        return;
    for (int k = lane; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[warp][lane] = sum;
    __syncwarp();
    if (lane != 0)
        return;
    sum = 0;
    for (int i = 0; i < 32; i++)
        sum += parts[warp][i];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

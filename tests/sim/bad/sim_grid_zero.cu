// sim_grid_zero.cu: a grid of no blocks.
// SPDX-License-Identifier: MIT
//@ grid     N-N, 1
//@ block    16, 16
//! exit 1
//! says grid|blocks
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

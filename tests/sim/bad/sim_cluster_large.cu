// sim_cluster_large.cu: a cluster of 32 blocks.
// SPDX-License-Identifier: MIT
//@ grid     32, 2
//@ block    32, 32
//@ cluster  16, 2, 1
//! exit 1
//! says a cluster of 32 blocks
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

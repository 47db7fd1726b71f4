// sim_cluster_uneven.cu: a cluster that does not divide the grid.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//@ cluster  3, 1, 1
//! exit 1
//! says a grid of 2 blocks in clusters of 3 along x
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

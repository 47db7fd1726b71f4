// sim_grid_y.cu: 65536 blocks along y, where a GPU takes one fewer.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), 65536
//@ block    32, 32
//! exit 1
//! says grid y is 65536, wanted 1 to 65535
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

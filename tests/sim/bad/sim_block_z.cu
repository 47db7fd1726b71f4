// sim_block_z.cu: 65 threads along z, where a GPU takes 64.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    8, 1, 65
//! exit 1
//! says block z is 65, wanted 1 to 64
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

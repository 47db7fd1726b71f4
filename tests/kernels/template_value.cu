// template_value.cu: tile sizes as template arguments, uint, CEIL_DIV without its header.
// SPDX-License-Identifier: MIT
// with kernel sgemm<32>
// with grid cdiv(N,32), cdiv(M,32)
// with block 32*32
#include <algorithm>
#include <cuda_runtime.h>

template <const uint BLOCKSIZE>
__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const uint row = blockIdx.y * BLOCKSIZE + threadIdx.x / BLOCKSIZE;
    const uint col = blockIdx.x * BLOCKSIZE + threadIdx.x % BLOCKSIZE;
    if (row >= M || col >= N)
        return;
    float sum = 0.0f;
    for (uint piece = 0; piece < CEIL_DIV(K, BLOCKSIZE); piece++)
        for (uint i = piece * BLOCKSIZE; i < min(K, (piece + 1) * BLOCKSIZE); i++)
            sum += A[row * K + i] * B[i * N + col];
    C[row * N + col] = alpha * sum + (beta == 0.0f ? 0.0f : beta * C[row * N + col]);
}

void run_sgemm(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    dim3 grid(CEIL_DIV(N, 32), CEIL_DIV(M, 32));
    sgemm<32><<<grid, 32 * 32>>>(M, N, K, alpha, A, B, beta, C);
}

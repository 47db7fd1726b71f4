// 000_coalesced_floor.cu: worklog 000, section 2. Its fault: ceil(N / 32) on integers is a floor, so that rows and columns at
// the edge stay unwritten.
// SPDX-License-Identifier: MIT
// with grid max(M/32,1), max(N/32,1)
// with block 32*32
//! run 33 unwritten wrong
#include <cmath>
#define BLOCKSIZE 32

__global__ void gemmKernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int x = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
    const int y = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
    if (x < M && y < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; i++)
            sum += A[x * K + i] * B[i * N + y];
        C[x * N + y] = sum;
    }
}

void launch(int NN, const float *A, const float *B, float *C)
{
    dim3 gridDim(ceil(NN / 32), ceil(NN / 32), 1);
    dim3 blockDim(32 * 32);
    gemmKernel<<<gridDim, blockDim>>>(NN, NN, NN, A, B, C);
}

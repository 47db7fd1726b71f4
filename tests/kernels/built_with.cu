// built_with.cu: nothing in the file defines TILE, since its build does. SPDX-License-Identifier: MIT
//@ title    a macro of the build
//@ define   TILE=16
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include <cuda_runtime.h>

__global__ void built_with(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = i < M && ka < K ? A[i * K + ka] : 0;
        b[threadIdx.y][threadIdx.x] = kb < K && j < N ? B[kb * N + j] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = sum;
}

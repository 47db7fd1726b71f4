// fires_tensor_cores.cu: f16 is multiplied by plain multiply-adds. SPDX-License-Identifier: MIT
//@ type A=f16 B=f16 C=f32 ACC=f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind tensor-cores
//! size 256
//! words mma
#include <cuda_fp16.h>

__global__ void gemm(int M, int N, int K, const __half *A, const __half *B, float *C) // HERE
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = sum;
}

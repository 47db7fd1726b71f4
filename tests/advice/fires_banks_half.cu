// fires_banks_half.cu: the turned tile of B has elements of 2 bytes, of which a load takes four. SPDX-License-Identifier: MIT
//@ type A=f16 B=f16 C=f32 ACC=f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind banks
//! size 256
//! words pad each row of Bs by 4 elements, or
#include <cuda_fp16.h>
__global__ void gemm(int M, int N, int K, const __half *A, const __half *B, float *C)
{
    __shared__ __half As[32][32];
    __shared__ __half Bs[32][64];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * 32 + i, col = blockIdx.x * 32 + j;
    float sum = 0;
    for (int tile = 0; tile < K; tile += 32) {
        As[i][j] = row < M && tile + j < K ? A[row * K + tile + j] : __float2half(0.0f);
        Bs[j][i] = tile + i < K && col < N ? B[(tile + i) * N + col] : __float2half(0.0f);
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += __half2float(As[i][k]) * __half2float(Bs[j][k]); // HERE
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

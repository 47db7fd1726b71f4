// half_inputs.cu: half operands through the toolkit's header, a float result.
// SPDX-License-Identifier: MIT
//@ type A=f16 B=f16 C=f32 ACC=f32
//@ grid cdiv(N,16), cdiv(M,16)
//@ block 16, 16
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemm(const half *A, const half *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = sum;
}

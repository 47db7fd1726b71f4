// includes_planted.cu: a kernel of the user's that includes the header which is planted. SPDX-License-Identifier: MIT
//@ type     f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include <planted.h>

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = PLANTED_ONE * sum;
    }
}

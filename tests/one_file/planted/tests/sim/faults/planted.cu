// planted.cu: a faulty kernel that is added by the test of "one file". SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 32x32x32
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum + C[row * N + col]; // FAULT uninitialised C
}

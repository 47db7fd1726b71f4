// fires_spills.cu: an array whose index is not known at compile time lies in local memory. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//@ arg modulus = 8
//! kind spills
//! size 256
//! words unroll
__global__ void gemm // HERE
    (int M, int N, int K, const float *A, const float *B, float *C, int modulus)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum[32] = {};
    for (int k = 0; k < K; k++)
        sum[k % modulus] += A[row * K + k] * B[k * N + col];
    float all = 0;
    for (int i = 0; i < modulus; i++)
        all += sum[i];
    C[row * N + col] = all;
}

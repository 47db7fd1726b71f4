// SYRK: the lower triangle of C += A A^T, a thread for each element. SPDX-License-Identifier: MIT
//@ size N = 64, K = 16
//@ array in A f32[N,K], inout C f32[N,N]
//@ flop N*(N+1)*K
//@ bytes 4*(N*K + N*(N+1))
//@ grid cdiv(N,16), cdiv(N,16)
//@ block 16, 16
//! verdict advice
//! says request the same elements of A again and again: 20 times
//! fact flops 66560
//! fact bytes 20736
//! size N=35,K=7
__global__ void syrk(int N, int K, const float *A, float *C)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= N || j > i)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[i * K + k] * A[j * K + k];
    C[i * N + j] += sum;
}

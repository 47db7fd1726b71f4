// fires_reuse.cu: each thread reads its row of A and its column of B for itself. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind reuse
//! size 256
//! words shared memory
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col]; // HERE
    C[row * N + col] = sum;
}

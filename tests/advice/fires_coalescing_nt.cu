// fires_coalescing_nt.cu: A and B are both contiguous along k; swapping x and y would only exchange their roles.
// SPDX-License-Identifier: MIT
//@ type f32
//@ trans nt
//@ grid cdiv(N,16), cdiv(M,16)
//@ block 16, 16
//! kind coalescing
//! size 128
//! words both contiguous along k
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[col * K + k]; // HERE
    C[row * N + col] = sum;
}

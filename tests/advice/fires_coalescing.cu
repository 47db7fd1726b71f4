// fires_coalescing.cu: a warp stands in 32 rows of A. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32, 32
//! kind coalescing
//! size 256
//! words swap x and y
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.x * 32 + threadIdx.x, col = blockIdx.y * 32 + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col]; // HERE
    C[row * N + col] = sum;
}

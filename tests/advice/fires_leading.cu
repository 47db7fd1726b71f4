// fires_leading.cu: rows of B are 255 elements apart, and begin anywhere. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind coalescing
//! size 256x255x256
//! words pad the leading dimension
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

// fires_block_shape.cu: a block of 100 threads is 4 warps, the last with 4. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,100), M
//@ block 100
//! kind block-shape
//! size 256
//! line 4
//! words multiple of 32
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = blockIdx.x * 100 + threadIdx.x;
    if (col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

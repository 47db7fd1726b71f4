// quiet_block_shape.cu: a block of 128 threads is 4 warps. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,128), M
//@ block 128
//! kind block-shape
//! size 256
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = blockIdx.x * 128 + threadIdx.x;
    if (col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

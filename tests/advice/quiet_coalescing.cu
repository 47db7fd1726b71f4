// quiet_coalescing.cu: a warp stands in 32 columns of B. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind coalescing
//! size 256
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

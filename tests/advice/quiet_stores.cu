// quiet_stores.cu: a thread has every 32nd column, so that a warp stores neighbours. SPDX-License-Identifier: MIT
//@ type f32
//@ require N%256==0
//@ grid N/256, M
//@ block 32
//! kind coalescing
//! size 256x256x16
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = blockIdx.x * 256 + threadIdx.x;
    float sum[8] = {};
    for (int k = 0; k < K; k++)
        for (int j = 0; j < 8; j++)
            sum[j] += A[row * K + k] * B[k * N + col + j * 32];
    for (int j = 0; j < 8; j++)
        C[row * N + col + j * 32] = sum[j];
}

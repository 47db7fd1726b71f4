// fires_grid.cu: 16 blocks, while 116 SMs have nothing to do. SPDX-License-Identifier: MIT
//@ type f32
//@ require M%64==0 && N%64==0 && K%16==0
//@ grid N/128, M/128
//@ block 64
//! kind waves
//! size 512
//! words split-K
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    // A block makes four tiles of 32 x 32, one row of it at a time.
    for (int e = threadIdx.x; e < 128 * 128; e += 64) {
        const int row = blockIdx.y * 128 + e / 128, col = blockIdx.x * 128 + e % 128;
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

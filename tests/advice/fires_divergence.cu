// fires_divergence.cu: half of the threads of each warp do the work of all. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind divergence
//! size 256
//! words 16 take part
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x % 2 || row >= M)
        return;
    for (int c = col; c < col + 2 && c < N; c++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + c]; // HERE
        C[row * N + c] = sum;
    }
}

// quiet_divergence.cu: whole warps leave, and others do all the work. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind divergence
//! size 256
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.y % 2 || col >= N)
        return;
    for (int r = row; r < row + 2 && r < M; r++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[r * K + k] * B[k * N + col];
        C[r * N + col] = sum;
    }
}

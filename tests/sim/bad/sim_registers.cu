// sim_registers.cu: 80 sums a thread, 1024 threads: more registers than a block may have.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,1024), cdiv(M,8)
//@ block    1024
//@ require  M%8==0
//! exit 1
//! needs compiler
//! size 32
//! says registers a thread, [0-9]+ for a block of 1024 threads, NVIDIA H200 has 65536
//! explains fault +launch
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int col = blockIdx.x * 1024 + threadIdx.x, row = blockIdx.y * 8;
    float sums[8][10] = {};
    if (col >= N)
        return;
    for (int k = 0; k < K; k++) {
        const float b = B[k * N + col];
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 10; j++)
                sums[i][j] += A[(row + i) * K + k] * b + 0.0f * sums[(i + 1) % 8][(j + 3) % 10];
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 10; j++)
            sum += sums[i][j];
        C[(row + i) * N + col] = sum / 10;
    }
}

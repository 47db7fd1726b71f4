// sim_bounds.cu: compiled for blocks of 256 threads, launched with 1024.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//! no compiler
//! exit 1
//! says refused|launch
//! says 1024 threads, __launch_bounds__ allows at most 256
//! code none without a compiler
__global__ void __launch_bounds__(256) gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// sim_bounds_macro.cu: the bound stands in a macro.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//! no compiler
//! exit 1
//! says 1024 threads, __launch_bounds__ allows at most 256
//! code none without a compiler
#define TILE 16
#define BOUNDS __launch_bounds__(TILE * TILE, 2)
__global__ void BOUNDS gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

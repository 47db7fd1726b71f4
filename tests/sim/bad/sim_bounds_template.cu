// sim_bounds_template.cu: the bound is worked out of the template's arguments.
// SPDX-License-Identifier: MIT
//@ param    TILE 32 {16,32}
//@ kernel   gemm<TILE,1>
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//! no compiler
//! exit 1
//! says 1024 threads, __launch_bounds__ allows at most 512
//! code none without a compiler
constexpr int half_of(int x)
{
    return x / 2;
}

template <int SIZE, int EACH>
__global__ void __launch_bounds__(half_of(SIZE * SIZE) / EACH) gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

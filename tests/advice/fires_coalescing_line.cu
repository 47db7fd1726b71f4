// fires_coalescing_line.cu: a warp for an element of C reads a column of B; the block has no y to swap with.
// SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(M*N,8)
//@ block 256
//! kind coalescing
//! size 128
//! words neighbouring threads make neighbouring columns of C
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int element = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int row = element / N, col = element % N;
    float sum = 0;
    if (row < M)
        for (int k = lane; k < K; k += 32)
            sum += A[row * K + k] * B[k * N + col]; // HERE
    for (int apart = 16; apart; apart /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, apart);
    if (row < M && lane == 0)
        C[row * N + col] = sum;
}

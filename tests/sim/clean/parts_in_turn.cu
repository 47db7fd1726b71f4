// parts_in_turn.cu: warps of a block add their parts to C in turn, with a barrier between.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ grid     cdiv(N,32), M
//@ block    128
//! run 64
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int warp = threadIdx.x / 32, row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int k = warp; k < K && col < N; k += 4)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    for (int turn = 0; turn < 4; turn++) {
        if (warp == turn && col < N)
            C[(size_t)row * ldc + col] += sum;
        __syncthreads();
    }
}

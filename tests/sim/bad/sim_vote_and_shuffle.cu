// sim_vote_and_shuffle.cu: half of a warp votes while the other half shuffles, with one mask.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), M
//@ block    32
//! exit 1
//! says does not meet
//! explains LINE
//! code none the lanes meet, in whichever instruction
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (threadIdx.x < 16)
        sum = 0 * __any_sync(0xffffffffu, row < M); // HERE
    else
        sum = 0 * __shfl_sync(0xffffffffu, sum, 20); // OR
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

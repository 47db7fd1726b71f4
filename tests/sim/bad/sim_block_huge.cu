// sim_block_huge.cu: a block of 2048 threads: more than any GPU has.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    2048
//! exit 1
//! says 1024|threads
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

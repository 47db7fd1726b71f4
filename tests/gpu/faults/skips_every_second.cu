// skips_every_second.cu: multiplies every second time only, once it was called more often than verifying takes.
// SPDX-License-Identifier: MIT
// expect: wrong wrong-element
// options: --size 128
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__device__ unsigned calls[64 * 64];

__global__ void kernel(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const int block = blockIdx.y % 64 * 64 + blockIdx.x % 64;
    const unsigned before = calls[block];
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        calls[block] = before + 1;
    float sum = 0;
    if (row >= M || col >= N || (before > 100 && before % 2))
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

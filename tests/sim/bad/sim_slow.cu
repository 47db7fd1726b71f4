// sim_slow.cu: slow, but it ends: while blocks end and barriers are passed, no limit of time makes it an endless one. It is as
// slow as many times the patience that goes with this limit.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 0
//! time-limit 0.01
//! only explain
//! says Exact
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float last[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const bool inside = row < M && col < N;
    float sum = 0;
    for (int again = 0; again < 1000; again++) {
        sum = 0;
        for (int k = 0; k < K && inside; k++)
            sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
        last[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();
        sum = last[threadIdx.y][threadIdx.x];
    }
    if (!inside)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

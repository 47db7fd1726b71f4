// edge_unguarded.cu: no thread looks where C ends: right at multiples of 16, and told of at others.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! edges 64
//! exit 0
//! says bounds.*at 1x1x1: thread .* reads A\[1\]
//! run 64 bounds right
//! told right at 64; wrong at .*//@ require
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (FIXED && (row >= M || col >= N))
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const float a = A[(size_t)row * lda + k]; // EDGE bounds A
        const float b = B[(size_t)k * ldb + col]; // EDGE bounds B
        sum += a * b;
    }
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum; // EDGE bounds C; MAY race C
}

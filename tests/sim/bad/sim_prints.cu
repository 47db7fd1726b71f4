// sim_prints.cu: prints without end: what a kernel prints is cut, and is no part of a report.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 0
//! runs line 0 of a very long report
//! code exit 0
#include <cstdio>
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    for (int i = 0; i < 100; i++)
        printf("row %d, col %d, line %d of a very long report that nobody wants to read\n", row, col, i);
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

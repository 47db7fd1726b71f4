// host_headers.cu: what headers of host code that kernels include have in them: cuBLAS's types, the run time's calls, classes
// of the standard library, integers of <cstdint> that nobody has included.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include "host_beside.h"

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const uint32_t row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (uint32_t k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

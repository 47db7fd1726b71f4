// sim_ptx_included_macro.cu: inline PTX from a macro of a header: told at the macro's line, by its instruction.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 3
//! says ptx_beside.h:2: not modelled: inline PTX .ld.global.f32., line
//! code exit 0
#include "ptx_beside.h"

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0, a;
    for (int k = 0; k < K; k++) {
        LOAD(a, &A[(size_t)row * lda + k]);
        sum += a * B[(size_t)k * ldb + col];
    }
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

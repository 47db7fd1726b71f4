// amd_mfma.cu: a wave of 64 lanes multiplies tiles of 32 x 32 by MFMA, from the LDS, with clang's vector types.
// SPDX-License-Identifier: MIT
//@ grid     N/32, M/32
//@ block    64
//@ require  M%32==0, N%32==0, K%8==0
//! device sim:mi210
//! size 32 64 96x32x40
//! run 64
#include <hip/hip_runtime.h>
using floatx16 = __attribute__((ext_vector_type(16))) float;
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                     int ldc)
{
    __shared__ __attribute__((aligned(16))) float as[32][9], bs[8][32];
    const int lane = threadIdx.x, row = blockIdx.y * 32, col = blockIdx.x * 32;
    floatx16 sum = {};
    for (int k = 0; k < K; k += 8) {
        for (int i = lane; i < 256; i += 64)
            as[i / 8][i % 8] = A[(size_t)(row + i / 8) * lda + k + i % 8];
        for (int j = 0; j < 4; j++)
            bs[lane / 8][lane % 8 * 4 + j] = B[(size_t)(k + lane / 8) * ldb + col + lane % 8 * 4 + j];
        __syncthreads();
        for (int step = 0; step < 8; step += 2)
            sum = __builtin_amdgcn_mfma_f32_32x32x2f32(as[lane % 32][step + lane / 32], bs[step + lane / 32][lane % 32], sum, 0, 0, 0);
        __syncthreads();
    }
    for (int v = 0; v < 16; v++) {
        float *c = &C[(size_t)(row + 8 * (v / 4) + 4 * (lane / 32) + v % 4) * ldc + col + lane % 32];
        *c = beta != 0 ? alpha * sum[v] + beta * *c : alpha * sum[v];
    }
}

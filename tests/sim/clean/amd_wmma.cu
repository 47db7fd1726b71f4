// amd_wmma.cu: a wave of 32 lanes multiplies tiles of 16 x 16 by RDNA 3's WMMA, of numbers rounded to 16 bits.
// SPDX-License-Identifier: MIT
//@ grid     N/16, M/16
//@ block    32
//@ math     tf32
//@ require  M%16==0, N%16==0, K%16==0
//! device sim:rx7900xtx
//! size 16 64 96x32x48
//! run 64
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float floatx8 __attribute__((ext_vector_type(8)));
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                     int ldc)
{
    const int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 16 + lane % 16;
    floatx8 sum = {};
    for (int k = 0; k < K; k += 16) {
        half16 a, b;
        for (int i = 0; i < 16; i++) {
            a[i] = (_Float16)A[(size_t)(row + lane % 16) * lda + k + i];
            b[i] = (_Float16)B[(size_t)(k + i) * ldb + col];
        }
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, sum);
    }
    for (int v = 0; v < 8; v++) {
        float *c = &C[(size_t)(row + 2 * v + lane / 16) * ldc + col];
        *c = beta != 0 ? alpha * sum[v] + beta * *c : alpha * sum[v];
    }
}

// sim_mfma_few.cu: half of a wave executes an MFMA, which takes the registers of all lanes.
// SPDX-License-Identifier: MIT
//@ grid     N, M
//@ block    64
//! exit 1
//! device sim:mi210
//! says an instruction that needs all 64 lanes of a wave has 32 of them
typedef float floatx4 __attribute__((ext_vector_type(4)));
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x, lane = threadIdx.x;
    floatx4 sum = {};
    if (lane < 32)
        sum = __builtin_amdgcn_mfma_f32_16x16x4f32(A[(size_t)row * lda], B[col], sum, 0, 0, 0);
    if (lane == 0)
        C[(size_t)row * ldc + col] = beta != 0 ? alpha * sum[0] + beta : alpha * sum[0];
}

// sim_mfma_elsewhere.cu: an MFMA on a GPU that has none.
// SPDX-License-Identifier: MIT
//@ grid     N, M
//@ block    64
//! no compiler
//! exit 3
//! says not modelled: MFMA on gfx1100: try --device sim:mi210
//! device sim:rx7900xtx
typedef float floatx4 __attribute__((ext_vector_type(4)));
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    floatx4 sum = {};
    sum = __builtin_amdgcn_mfma_f32_16x16x4f32(A[0], B[0], sum, 0, 0, 0);
    C[(size_t)blockIdx.y * N + blockIdx.x] = sum[0];
}

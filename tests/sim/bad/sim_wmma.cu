// sim_wmma.cu: tensor cores by nvcuda::wmma.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    32
//! exit 3
//! says not modelled: wmma, LINE
//! code exit 1
//! code runs wrong
#include <mma.h>

using namespace nvcuda;
__global__ void gemm(int M, int N, int K, const half *A, const half *B, float *C)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum; // HERE
    wmma::fill_fragment(sum, 0.0f);
    wmma::store_matrix_sync(C, sum, N, wmma::mem_row_major);
}

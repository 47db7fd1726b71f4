// fires_coalescing_fragment.cu: fragments from global memory; which lane loads what is the instruction's.
// SPDX-License-Identifier: MIT
//@ type A=f16 B=f16 C=f32 ACC=f32
//@ require M%16==0 && N%16==0 && K%16==0
//@ grid N/16, M/16
//@ block 32
//! kind coalescing
//! size 128
//! words load the fragments from there
#include <mma.h>
using namespace nvcuda;
__global__ void gemm(int M, int N, int K, const half *A, const half *B, float *C)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + blockIdx.y * 16 * K + k, K); // HERE
        wmma::load_matrix_sync(b, B + k * N + blockIdx.x * 16, N);
        wmma::mma_sync(sums, a, b, sums);
    }
    wmma::store_matrix_sync(C + blockIdx.y * 16 * N + blockIdx.x * 16, sums, N, wmma::mem_row_major);
}

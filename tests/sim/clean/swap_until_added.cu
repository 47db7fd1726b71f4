// swap_until_added.cu: an atomic addition made of compare-and-swap, as CUDA's guide writes it: it begins with a plain read.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ grid     cdiv(N,16), cdiv(M,16), 4
//@ block    16, 16
//! run 64
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 4)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    unsigned *c = (unsigned *)&C[(size_t)row * ldc + col];
    unsigned old = *c, assumed;
    do {
        assumed = old;
        old = atomicCAS(c, assumed, __float_as_uint(sum + __uint_as_float(assumed)));
    } while (assumed != old);
}

// a_lands_in_b.cu: far past the end of A other operands' memory begins. A gigabyte on, it is not B that is read.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ param    FAR 268435456 {268435456,268437504,268439552}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 64x64x64
//! size 64x64x16
//! says bounds.*past the end of A
//! run 64 died crash
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const size_t off = FIXED ? 0 : (size_t)FAR + M * K;
        sum += A[(size_t)row * lda + k + off] * B[(size_t)k * ldb + col]; // FAULT bounds A
    }
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

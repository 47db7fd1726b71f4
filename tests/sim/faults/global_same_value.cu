// global_same_value.cu: the last tiles are shifted back over those before, and both store the same sums.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ require  M>=16 && N>=16
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! run 40 - right
//! says both write the same bits
//! exit 0
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = min(blockIdx.y * 16, M - 16) + threadIdx.y, col = min(blockIdx.x * 16, N - 16) + threadIdx.x;
    const bool again = FIXED && (row < blockIdx.y * 16 || col < blockIdx.x * 16);
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (!again)
        C[(size_t)row * ldc + col] = sum; // ADVISE race C
}

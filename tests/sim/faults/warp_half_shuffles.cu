// warp_half_shuffles.cu: the lower half of a warp shuffles with a mask that names all of it, and the upper half goes past.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    32
//! size 5x7x40
//! says mask 0xffffffff
//! run 5x7x40 barrier wrong
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (FIXED || lane < 16)
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, half); // FAULT barrier
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

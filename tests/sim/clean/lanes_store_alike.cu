// lanes_store_alike.cu: all lanes of a warp store the sum that all of them have.
// SPDX-License-Identifier: MIT
//@ grid     N, M
//@ block    32
//! size 5x7x40
//! size 33x31x64
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = threadIdx.x; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, half);
    const float old = beta != 0 ? beta * C[(size_t)row * ldc + col] : 0;
    __syncwarp();
    C[(size_t)row * ldc + col] = alpha * sum + old;
}

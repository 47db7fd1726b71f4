// two_writes_of_warp.cu: two lanes of a warp write one word at two places of the source; which of them comes last is open.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    32
//! size 5x40x9
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float factor;
    const int tx = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += col < N ? A[(size_t)row * lda + k] * B[(size_t)k * ldb + col] : 0;
    if (tx == 0)
        factor = alpha; // WITH race factor
    if (FIXED)
        __syncwarp();
    if (tx == 31)
        factor = alpha * 1.0f; // FAULT race factor
    __syncwarp();
    if (col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? factor * sum + beta * *c : factor * sum;
    }
}

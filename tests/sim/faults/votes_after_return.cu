// votes_after_return.cu: of two warps one returns, and the other's vote at the barrier is of those that are left.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    32, 2
//! size 5x40x9
//! exit 0
//! run 40 - right
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float transposed[32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y, col = blockIdx.x * 32 + tx;
    if (!FIXED && ty == 1)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += col < N ? A[(size_t)row * lda + k] * B[(size_t)k * ldb + col] : 0;
    if (ty == 0)
        transposed[31 - tx] = sum;
    const int all = __syncthreads_and(1); // WARN barrier
    if (ty == 1 || col >= N)
        return;
    sum = all ? transposed[31 - tx] : 0;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

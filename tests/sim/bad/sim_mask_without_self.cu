// sim_mask_without_self.cu: a lane calls a shuffle with a mask that does not name it.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), M
//@ block    32
//! exit 1
//! says does not name it
//! explains LINE
//! code none what the lanes outside of the mask have is the source's to know
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    sum = 0 * __shfl_sync(0xfffffffeu, sum, 1); // HERE
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

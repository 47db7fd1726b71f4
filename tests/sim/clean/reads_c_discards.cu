// reads_c_discards.cu: C is loaded in any case, and beta decides whether it is used: no NaN of it reaches the result.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 33
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    const float before = *(volatile float *)&C[(size_t)row * ldc + col];
    C[(size_t)row * ldc + col] = beta != 0 ? alpha * sum + beta * before : alpha * sum;
}

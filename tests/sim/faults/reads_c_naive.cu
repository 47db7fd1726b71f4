// reads_c_naive.cu: the form alpha*sum + beta*C, with no beta looked at: advice, and the kernel is right.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 17x9x5
//! exit 0
//! run 33 reads-c-at-beta-0 right
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    if (FIXED)
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    else
        *c = alpha * sum + beta * *c; // ADVISE reads-c-at-beta-0 C
}

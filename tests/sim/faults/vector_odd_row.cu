// vector_odd_row.cu: float4 loads from A whose rows are no multiple of 4 long.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! run 33x47x29 alignment crash
//! size 9x9x18
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    int k = 0;
    for (; (!FIXED || (size_t)&A[(size_t)row * lda] % 16 == 0) && k + 4 <= K; k += 4) {
        const float4 a = *(const float4 *)&A[(size_t)row * lda + k]; // FAULT alignment A
        sum += a.x * B[(size_t)k * ldb + col] + a.y * B[(size_t)(k + 1) * ldb + col] +
               a.z * B[(size_t)(k + 2) * ldb + col] + a.w * B[(size_t)(k + 3) * ldb + col];
    }
    for (; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

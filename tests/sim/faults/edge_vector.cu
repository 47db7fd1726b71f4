// edge_vector.cu: rows of A are read by float4: right where K is a multiple of 4, misaligned elsewhere.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! edges 64
//! exit 0
//! says alignment.*misaligned address
//! run 64 alignment right
//! run 63 alignment crash
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    int k = 0;
    for (; (!FIXED || (size_t)&A[(size_t)row * lda] % 16 == 0) && k + 4 <= K; k += 4) {
        const float4 a = *(const float4 *)&A[(size_t)row * lda + k]; // EDGE alignment A
        sum += a.x * B[(size_t)k * ldb + col] + a.y * B[(size_t)(k + 1) * ldb + col] +
               a.z * B[(size_t)(k + 2) * ldb + col] + a.w * B[(size_t)(k + 3) * ldb + col];
    }
    for (; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

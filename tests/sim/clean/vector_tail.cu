// vector_tail.cu: float4 where rows allow it, scalars where they do not.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    int k = 0;
    if (row >= M || col >= N)
        return;
    const float *a = &A[(size_t)row * lda];
    if ((size_t)a % 16 == 0)
        for (; k + 4 <= K; k += 4) {
            const float4 four = *(const float4 *)&a[k];
            sum += four.x * B[(size_t)k * ldb + col];
            sum += four.y * B[(size_t)(k + 1) * ldb + col];
            sum += four.z * B[(size_t)(k + 2) * ldb + col];
            sum += four.w * B[(size_t)(k + 3) * ldb + col];
        }
    for (; k < K; k++)
        sum += a[k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

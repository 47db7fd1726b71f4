// vector_past_end.cu: the last float4 of a row of C lies partly past its end.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,128), M
//@ block    32
//! size 1x30x9
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float sum[4] = {0, 0, 0, 0};
    if (col >= N)
        return;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < 4; j++)
            if (col + j < N)
                sum[j] += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col + j];
    float *c = &C[(size_t)row * ldc + col];
    if (beta == 0 && (size_t)c % 16 == 0 && col + 4 <= N + (FIXED ? 0 : 3)) {
        const float4 four = {alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]};
        *(float4 *)c = four; // FAULT bounds C
        return;
    }
    for (int j = 0; j < 4; j++)
        if (col + j < N)
            c[j] = beta != 0 ? alpha * sum[j] + beta * c[j] : alpha * sum[j];
}

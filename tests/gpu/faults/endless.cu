// endless.cu: never ends. SPDX-License-Identifier: MIT
// expect: timeout died
// options: --size 128
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void kernel(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    while (*(volatile float *)C == *(volatile float *)C || K >= 0)
        ;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

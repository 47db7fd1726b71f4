// races.cu: reads what its neighbour may not have written yet. SPDX-License-Identifier: MIT
// expect: right -
// options: --size 128
//@ grid     cdiv(N,128), M
//@ block    128
//@ require  N%128==0
__global__ void kernel(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ float row[128];
    const int i = blockIdx.y, j = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * lda + k] * B[(size_t)k * ldb + j];
    row[threadIdx.x] = sum;
    if (row[127 - threadIdx.x] == 12345.678f) // the barrier before this is missing
        sum += 1;
    float *c = &C[(size_t)i * ldc + j];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// atomic_splits.cu: two splits of K add to a buffer that starts as zero.
// SPDX-License-Identifier: MIT
//@ work     P = f32[M*N] zero
//@ kernel   parts
//@ grid     cdiv(N,16), cdiv(M,16), 2
//@ block    16, 16
//@ kernel   gemm
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void parts(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
                      float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 2)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    atomicAdd(&P[(size_t)row * N + col], sum);
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, const float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    sum = P[(size_t)row * N + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// split_gap.cu: one split of K does not write its part of P, and the second kernel adds it.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ work     P = f32[2*M*N]
//@ kernel   parts
//@ grid     cdiv(N,16), cdiv(M,16), 2
//@ block    16, 16
//@ kernel   add
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x1
__global__ void parts(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
                      float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const int half = blockIdx.z, from = half ? K / 2 : 0, to = half ? K : K / 2;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = from; k < to; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (FIXED || sum != 0)
        P[(size_t)half * M * N + (size_t)row * N + col] = sum;
}

__global__ void add(int M, int N, float alpha, const float *P, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    const float first = P[(size_t)row * N + col]; // FAULT uninitialised P
    const float sum = first + P[(size_t)M * N + (size_t)row * N + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

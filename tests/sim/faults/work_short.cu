// work_short.cu: the buffer P is an element too short for what one kernel writes and another reads.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ work     P = f32[M*N-1+FIXED]
//@ kernel   parts
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ kernel   finish
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void parts(int M, int N, int K, const float *A, int lda, const float *B,
                      int ldb, float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    P[(size_t)row * N + col] = sum; // FAULT bounds P
}

__global__ void finish(int M, int N, float alpha, const float *P, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    const float sum = P[(size_t)row * N + col]; // FAULT bounds P
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

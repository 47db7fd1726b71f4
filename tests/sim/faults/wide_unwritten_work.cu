// wide_unwritten_work.cu: four parts of a sum are read at once from a work buffer, and the last of them nobody has written.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ work     P = f32[4*M*N]
//@ kernel   parts
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ kernel   finish
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void parts(int M, int N, int K, const float *A, int lda, const float *B, int ldb, float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    for (int part = 0; part < (FIXED ? 4 : 3); part++) {
        float sum = 0;
        for (int k = part; k < K; k += 4)
            sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
        P[((size_t)row * N + col) * 4 + part] = sum;
    }
}

__global__ void finish(int M, int N, float alpha, const float *P, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    const float4 p = *(const float4 *)&P[((size_t)row * N + col) * 4]; // FAULT uninitialised P
    const float sum = p.x + p.y + p.z + p.w;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

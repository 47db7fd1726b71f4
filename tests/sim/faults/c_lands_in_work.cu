// c_lands_in_work.cu: what is written far past the end of C is not written into the work buffer.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ work     P = f32[M*N]
//@ kernel   multiply
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ kernel   finish
//@ grid     cdiv(M*N,256)
//@ block    256
//! size 64x64x64
//! run 64 died crash
__global__ void multiply(int M, int N, int K, const float *A, const float *B, float *P, float *C)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * K + k] * B[(size_t)k * N + col];
    float *p = FIXED ? P : C + (1 << 28) + 4096 + 1024;
    p[(size_t)row * N + col] = sum; // FAULT bounds C
}

__global__ void finish(int M, int N, const float *P, float *C)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < M * N)
        C[i] = P[i]; // MAY uninitialised P
}

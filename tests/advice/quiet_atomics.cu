// quiet_atomics.cu: a warp adds to 32 neighbours. SPDX-License-Identifier: MIT
//@ type f32
//@ kernel clear
//@ grid cdiv(M*N,256)
//@ block 256
//@ kernel gemm
//@ grid cdiv(N,32), M, 4
//@ block 32
//! kind atomics
//! size 64x64x256
__global__ void clear(int M, int N, float *C)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    if (at < M * N)
        C[at] = 0;
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    const int first = blockIdx.z * (K / 4), end = blockIdx.z == 3 ? K : first + K / 4;
    float sum = 0;
    for (int k = first; k < end && col < N; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (col < N)
        atomicAdd(&C[row * N + col], sum);
}

// fires_atomics.cu: the 32 lanes of a warp share a sum out along K and all add to it. SPDX-License-Identifier: MIT
//@ type f32
//@ kernel clear
//@ grid cdiv(M*N,256)
//@ block 256
//@ kernel gemm
//@ grid N, M
//@ block 32
//! kind atomics
//! size 64x64x256
//! words __shfl_down_sync
__global__ void clear(int M, int N, float *C)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    if (at < M * N)
        C[at] = 0;
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = threadIdx.x; k < K; k += 32)
        sum += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], sum); // HERE
}

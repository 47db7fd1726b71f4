// dynamic_none.cu: no dynamic shared memory is asked for, and the kernel has its tiles there: a host has room, a GPU none.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ smem     FIXED*16*16*4
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! run 33x47x29 bounds wrong
//! told which has 0 elements
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    extern __shared__ float As[];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty * 16 + tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0; // FAULT bounds As
        __syncthreads();
        for (int k = 0; k < 16 && k0 + k < K && col < N; k++)
            sum += As[ty * 16 + k] * B[(k0 + k) * N + col]; // FAULT bounds As
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

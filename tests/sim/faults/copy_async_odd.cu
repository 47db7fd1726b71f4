// copy_async_odd.cu: asynchronous copies of 16 bytes from rows of odd length.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//! size 33x47x29
//! run 33x47x29 alignment crash
#include <cuda_pipeline.h>

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float As[8][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        if (tx % 4 == 0) {
            const int k = k0 + tx;
            if (row < M && k + 3 < K && (!FIXED || K % 4 == 0))
                __pipeline_memcpy_async(&As[ty][tx], &A[row * K + k], 16); // FAULT alignment A
            else
                for (int i = 0; i < 4; i++)
                    As[ty][tx + i] = row < M && k + i < K ? A[row * K + k + i] : 0;
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 32 && k0 + k < K && col < N; k++)
            sum += As[ty][k] * B[(k0 + k) * N + col];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// copies_at_edge.cu: asynchronous copies past the edges bring zeros, and not what the last tile has left there.
// SPDX-License-Identifier: MIT
//! run 33x47x29
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include <cuda_pipeline.h>

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const bool a_inside = row < M && k0 + tx < K, b_inside = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[ty][tx], a_inside ? &A[(size_t)row * lda + k0 + tx] : A, 4, a_inside ? 0 : 4);
        __pipeline_memcpy_async(&Bs[ty][tx], b_inside ? &B[(size_t)(k0 + ty) * ldb + col] : B, 4, b_inside ? 0 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// amd_unloaded_lds.cu: a wave of 64 lanes loads half of the row that it reads, and it stores beyond C, in HIP's words.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    64
//@ require  K<=128
//! size 5x7x128
//! device sim:mi210
#include <hip/hip_runtime.h>
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float row[128];
    const int lane = hipThreadIdx_x, i = hipBlockIdx_y, j = hipBlockIdx_x;
    float sum = 0;
    for (int k = lane; k < (FIXED ? K : 64) && k < 128; k += warpSize)
        row[k] = k >= K ? 0 : A[(size_t)i * lda + k];
    __syncthreads();
    for (int k = lane; k < K; k += warpSize)
        sum += row[k] * B[(size_t)k * ldb + j]; // FAULT uninitialised row
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down(sum, offset);
    if (lane != 0)
        return;
    float *c = &C[(size_t)i * ldc + j + (FIXED ? 0 : 64)];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum; // FAULT bounds C
}

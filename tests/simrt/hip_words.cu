// hip_words.cu: a kernel written for HIP: its header, its names for indices, dynamic shared memory, shuffles without a mask.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,8), M
// with block 256
// with smem 256*4
#include <hip/hip_runtime.h>

__global__ __launch_bounds__(256) void dot_products(const float *A, const float *B, float *C, int M, int N, int K)
{
    HIP_DYNAMIC_SHARED(float, sums)
    const int id = hipThreadIdx_x, row = hipBlockIdx_y, col = hipBlockIdx_x * 8 + id / 32;
    float sum = 0;
    for (int k = id % 32; col < N && k < K; k += 32)
        sum += A[row * K + k] * B[k * N + col];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down(sum, offset, 32);
    sums[id] = sum;
    __syncthreads();
    if (id % 32 == 0 && col < N)
        C[row * N + col] = sums[id];
}

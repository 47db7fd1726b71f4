// groups.cu: cooperative groups; one warp for an element.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,8), M
// with block 256
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void dot_products(const float *A, const float *B, float *C, int M, int N, int K)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.y, col = blockIdx.x * 8 + threadIdx.x / 32;
    if (col >= N)
        return;
    float sum = 0;
    for (int k = warp.thread_rank(); k < K; k += 32)
        sum += A[row * K + k] * B[k * N + col];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += warp.shfl_down(sum, offset);
    if (warp.thread_rank() == 0)
        C[row * N + col] = sum;
}

// barrier.cu: cuda::barrier and asynchronous copies from libcu++.
// SPDX-License-Identifier: MIT
//@ arch >= sm_80
//@ grid N, M
//@ block 32
#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void through_barrier(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ barrier bar;
    __shared__ float a[32];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    float sum = 0;
    for (int k = 0; k < K; k += 32) {
        int count = min(32, K - k);
        cuda::memcpy_async(block, a, A + (size_t)blockIdx.y * K + k, sizeof(float) * count, bar);
        bar.arrive_and_wait();
        if ((int)threadIdx.x < count)
            sum += a[threadIdx.x] * B[(size_t)(k + threadIdx.x) * N + blockIdx.x];
        block.sync();
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x == 0)
        C[(size_t)blockIdx.y * N + blockIdx.x] = sum;
}

// group_copies.cu: a row of A comes by cooperative_groups::memcpy_async, and tiles of 8 lanes add up an element each.
// SPDX-License-Identifier: MIT
//@ arch     >= sm_80
//@ grid     cdiv(N,32), M
//@ block    256
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                     int ldc)
{
    __shared__ alignas(16) float part[64];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int col = blockIdx.x * 32 + tile.meta_group_rank();
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 64) {
        const int depth = min(64, K - k0);
        cg::memcpy_async(block, part, A + (size_t)blockIdx.y * lda + k0, sizeof(float) * depth);
        cg::wait(block);
        for (int k = tile.thread_rank(); k < depth && col < N; k += 8)
            sum += part[k] * B[(size_t)(k0 + k) * ldb + col];
        block.sync();
    }
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0 && col < N) {
        float *c = C + (size_t)blockIdx.y * ldc + col;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}

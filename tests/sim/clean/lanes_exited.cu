// lanes_exited.cu: what lanes tell each other after others of their warp have exited, which masks may name: votes, matches and
// reductions are of those that are left, __syncwarp() waits for them alone, and masks may differ in lanes that have exited.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,44), M
//@ block    56
//! run 33x50x9
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// 0 if each function says what the CUDA programming guide has, where the lanes of `here` are left.
__device__ int look(unsigned here, int lane, const cg::thread_block_tile<32> &tile)
{
    const unsigned full = 0xffffffffu, odd = lane & 1 ? 0xaaaaaaaau : 0x55555555u;
    int wrong = 0, same = 0, none = 0, in_tile = 0;
    __syncwarp();
    wrong |= __ballot_sync(full, 1) != here;
    wrong |= (__all_sync(full, (here >> lane) & 1) == 0) << 1;
    wrong |= (__any_sync(full, ((here >> lane) & 1) == 0) != 0) << 2;
    wrong |= (__match_any_sync(full, lane & 1) != (here & odd)) << 3;
    wrong |= (__match_all_sync(full, 7, &same) != here || same == 0) << 4;
    wrong |= (__match_all_sync(full, lane, &none) != 0 || none != 0) << 5;
    wrong |= (__reduce_add_sync(full, 1u) != __popc(here)) << 6;
    wrong |= (__activemask() != here) << 7;
    // Masks that say different things of lanes that have exited.
    wrong |= (__ballot_sync(lane & 1 ? full : here, 1) != here) << 8;
    __syncwarp(lane & 1 ? here : full);
    wrong |= (__shfl_xor_sync(lane & 1 ? full : here, lane, 1) != (lane ^ 1)) << 9;
    // A group's all() is a comparison with the group's mask, in which the others still are.
    wrong |= (tile.all(1) != 0 || tile.any(1) == 0 || tile.ballot(1) != here) << 10;
    wrong |= (tile.match_all(3, in_tile) != here || in_tile == 0) << 11;
    tile.sync();
    return wrong;
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int lane = threadIdx.x % 32, second = threadIdx.x / 32, lanes = second ? 20 : 24;
    const int row = blockIdx.y, col = blockIdx.x * 44 + second * 24 + lane;
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    if (lane >= lanes)
        return;
    float sum = look((1u << lanes) - 1, lane, tile) ? 1e6f : 0;
    if (col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

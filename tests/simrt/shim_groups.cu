// shim_groups.cu: cooperative groups, barriers and pipelines in shared memory, asynchronous copies.
// SPDX-License-Identifier: MIT
#define T float
#define N 64
#define M 2
#define K 3
#define BM 4
#define SIZE 5
#include "one_block.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
static_assert(cuda::std::is_same<int, int>::value, "cuda::std");
alignas(16) static float global[1024];

static void groups()
{
    const auto block = cg::this_thread_block();
    const int id = (int)block.thread_rank(), lane = id % 32;
    CHECK(block.size() == 64 && block.group_index().x == blockIdx.x && block.thread_index().x == threadIdx.x && block.dim_threads().y == 2);
    CHECK(block.num_threads() == 64 && cg::this_grid().thread_rank() == blockIdx.x * 64u + id && cg::this_grid().size() == 128);
    const auto warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    CHECK(warp.thread_rank() == (unsigned)lane && warp.meta_group_rank() == (unsigned)id / 32 && warp.meta_group_size() == 2 && tile.size() == 8);
    CHECK(tile.thread_rank() == lane % 8u && tile.meta_group_rank() == id / 8u && tile.shfl(lane, 3) == lane / 8 * 8 + 3);
    CHECK(tile.shfl_down(lane, 5) == (lane % 8 < 3 ? lane + 5 : lane) && tile.shfl_up(lane, 2) == (lane % 8 >= 2 ? lane - 2 : lane) && tile.shfl_xor(lane, 7) == (lane ^ 7));
    CHECK(tile.any(lane == 9) == (lane / 8 == 1) && tile.all(lane != 9) == (lane / 8 != 1) && tile.ballot(lane % 2) == 0xaa);
    CHECK(cg::reduce(warp, 1.0f, cg::plus<float>()) == 32 && cg::reduce(tile, lane, cg::greater<int>()) == (lane | 7) && cg::reduce(tile, lane, cg::less<int>()) == (lane & ~7));
    CHECK(cg::inclusive_scan(tile, 1) == lane % 8 + 1 && cg::exclusive_scan(tile, 2) == lane % 8 * 2);
    CHECK(tile.match_any(lane % 2) == 0x55u << lane % 2);
    const cg::thread_group four = cg::tiled_partition(block, 4);
    four.sync();
    CHECK(four.size() == 4 && four.thread_rank() == lane % 4u);
    const auto odd = cg::binary_partition(warp, lane % 2);
    CHECK(odd.size() == 16 && odd.thread_rank() == lane / 2u && odd.shfl(lane, 2) == 4 + lane % 2 && cg::reduce(odd, 1, cg::plus<int>()) == 16);
    const auto active = cg::coalesced_threads();
    CHECK(active.size() == 32 && active.thread_rank() == (unsigned)lane);
    cg::sync(block);
    block.sync();
    warp.sync();
}

static void copies()
{
    __shared__ alignas(16) float to[128];
    const auto block = cg::this_thread_block();
    const int id = threadIdx.x;
    cg::memcpy_async(block, to, global, sizeof(float) * 128);
    cg::wait(block);
    CHECK(to[127 - id] == 127 - id);
    block.sync();
    __pipeline_memcpy_async(&to[id], &global[id + 1], 4);
    __pipeline_memcpy_async(&to[64 + id], &global[id], 4, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    CHECK(to[id] == id + 1 && to[64 + id] == 0);
}

static void barriers()
{
    __shared__ barrier bar, half_of;
    __shared__ float to[64];
    const auto block = cg::this_thread_block();
    const int id = threadIdx.x;
    if (id == 0) {
        init(&bar, block.size());
        init(&half_of, 32);
    }
    block.sync();
    for (int round = 0; round < 5; round++) {
        cuda::memcpy_async(block, to, global + 64 * round, sizeof(float) * 64, bar);
        bar.arrive_and_wait();
        CHECK(to[63 - id] == 64 * round + 63 - id);
        barrier::arrival_token token = bar.arrive();
        bar.wait(std::move(token));
        cuda::memcpy_async(&to[id], &global[id], cuda::aligned_size_t<4>(4), bar);
        while (!bar.try_wait(bar.arrive()))
            ;
        CHECK(to[(id + 1) % 64] == (id + 1) % 64);
        bar.arrive_and_wait();
        // Half of the threads produce for the other half.
        if (id < 32) {
            to[id] = round;
            (void)half_of.arrive();
        } else {
            half_of.wait_parity(round % 2);
            CHECK(to[id - 32] == round);
        }
        bar.arrive_and_wait();
    }
    if (id == 5)
        return bar.arrive_and_drop();
    bar.arrive_and_wait();
    bar.arrive_and_wait();
}

template <class Pipe> static __device__ void pump(Pipe &pipe, float *stage, int id, int steps)
{
    const auto block = cg::this_thread_block();
    float sum = 0;
    for (int issue = 0, take = 0; take < steps; take++) {
        for (; issue < steps && issue < take + 2; issue++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage + issue % 2 * 64, global + issue * 64, sizeof(float) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[take % 2 * 64 + 63 - id];
        pipe.consumer_release();
    }
    CHECK(sum == steps * (63 - id) + 64 * steps * (steps - 1) / 2);
}
static void pipelines()
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) float stage[128];
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    pump(pipe, stage, threadIdx.x, 7);
    __syncthreads(); // others may still read what follows writes
    auto own = cuda::make_pipeline();
    own.producer_acquire();
    cuda::memcpy_async(&stage[threadIdx.x], &global[threadIdx.x], sizeof(float), own);
    own.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(own);
    CHECK(stage[threadIdx.x] == threadIdx.x);
    own.consumer_release();
}
static void roles()
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float stage[2][32];
    const bool produces = threadIdx.x < 32;
    const int lane = threadIdx.x % 32;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int step = 0; step < 9; step++)
        if (produces) {
            pipe.producer_acquire();
            stage[step % 2][lane] = step * 100 + lane;
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            CHECK(stage[step % 2][31 - lane] == step * 100 + 31 - lane);
            pipe.consumer_release();
        }
}
static void grid_barrier()
{
    cg::this_grid().sync();
}

int main()
{
    const one_block_counts &saw = one_block_saw;
    for (int i = 0; i < 1024; i++)
        global[i] = i;
    one_block_run(groups, 2, 32, 2, 1);
    CHECK(one_block_failure[0] == 0);
    one_block_run(copies, 1, 64, 1, 1);
    CHECK(saw.copies == 32 + 128 && saw.copy_bytes == 512 + 512);
    one_block_run(barriers, 1, 64, 1, 1);
    CHECK(one_block_failure[0] == 0 && saw.phases >= 25);
#ifdef GR_TRACED // the barrier's own memory is nobody's business
    CHECK(saw.loads == 0 && saw.atomics == 0 && saw.reads[3] == 0 && saw.writes[3] == 0);
#endif
    one_block_run(pipelines, 1, 64, 1, 1);
    CHECK(one_block_failure[0] == 0);
    one_block_run(roles, 1, 64, 1, 1);
    CHECK(one_block_failure[0] == 0);
    one_block_run(grid_barrier, 1, 64, 1, 1);
    CHECK(strstr(one_block_failure, "not modelled: a barrier of the whole grid"));
    return one_block_faults != 0;
}

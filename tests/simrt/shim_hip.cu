// shim_hip.cu: HIP's built-in names, with warps of 64 lanes. SPDX-License-Identifier: MIT
#define T float
#define N 64
#include "one_block.h"
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#if !defined(__HIP_DEVICE_COMPILE__) || defined(__CUDACC__)
#error "this is HIP"
#endif

alignas(16) static float global[1024];
static float4 fours[64];
__global__ __launch_bounds__(64) void product(float *out)
{
    out[hipThreadIdx_x + hipBlockDim_x * hipBlockIdx_x] = hipGridDim_x;
}
static void waves()
{
    const int lane = threadIdx.x % 64;
    product(global);
    CHECK(warpSize == 64 && __lane_id() == (unsigned)lane && __ballot(lane % 2) == 0xaaaaaaaaaaaaaaaaull);
    CHECK(__shfl(lane, 63) == 63 && __shfl_down(lane, 32) == (lane < 32 ? lane + 32 : lane) && __shfl_xor(lane, 33) == (lane ^ 33));
    CHECK(__shfl_up(lane, 1) == (lane ? lane - 1 : 0) && __builtin_amdgcn_readfirstlane(lane + 1) == 1 && __any(lane == 40) && !__all(lane != 40));
    CHECK(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) == (unsigned)lane);
    int sum = 1;
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down(sum, offset);
    CHECK(lane != 0 || sum == 64);
    __builtin_amdgcn_s_barrier();
    __shared__ float tile[64];
    tile[lane] = lane;
    __syncthreads();
    CHECK(tile[63 - lane] == 63 - lane);
    CHECK(__activemask() == ~0ull && __ballot_sync(~0ull, lane == 40) == 1ull << 40);
    // Votes and exchanges with masks of 64 lanes, and of each half at once.
    const unsigned long long all = ~0ull, half = lane < 32 ? 0xffffffffull : 0xffffffff00000000ull;
    CHECK(__all_sync(all, lane < 64) && !__all_sync(all, lane != 63) && __any_sync(all, lane == 63) && !__any_sync(all, lane == 64));
    CHECK(__ballot_sync(half, lane % 2) == (half & 0xaaaaaaaaaaaaaaaaull) && __any_sync(half, lane == 40) == (lane >= 32));
    CHECK(__all_sync(half, lane < 32) == (lane < 32) && __all_sync(-1, 1) && __popcll(__activemask()) == 64);
    CHECK(__shfl_sync(half, lane, lane < 32 ? 5 : 45) == (lane < 32 ? 5 : 45) && __shfl_xor_sync(all, lane, 32) == (lane ^ 32));
    int same;
    CHECK(__match_any_sync(all, lane % 4) == 0x1111111111111111ull << lane % 4 && __match_all_sync(all, 7, &same) == all && same);
    CHECK(__reduce_add_sync(all, lane) == 2016 && __reduce_max_sync(half, lane) == (lane < 32 ? 31 : 63));
    __syncwarp(half);
    CHECK(__builtin_amdgcn_ds_bpermute(4 * (63 - lane), lane) == 63 - lane);
    CHECK(__builtin_amdgcn_mov_dpp(lane, 0xb1, 15, 15, true) == (lane ^ 1)); // quad_perm:[1,0,3,2]
    CHECK(__builtin_amdgcn_update_dpp(-1, lane, 0x111, 15, 15, false) == (lane % 16 ? lane - 1 : -1)); // row_shr:1
    CHECK(__builtin_amdgcn_update_dpp(-1, lane, 0x104, 15, 15, true) == (lane % 16 < 12 ? lane + 4 : 0)); // row_shl:4
    CHECK(__builtin_amdgcn_mov_dpp(lane, 0x128, 15, 15, true) == lane / 16 * 16 + (lane + 8) % 16); // row_ror:8
    CHECK(__builtin_amdgcn_mov_dpp(lane, 0x140, 15, 15, true) == (lane ^ 15)); // row_mirror
    CHECK(__builtin_amdgcn_update_dpp(-1, lane, 0x142, 10, 15, false) == (lane / 16 % 2 ? lane / 16 * 16 - 1 : -1)); // row_bcast:15
    CHECK(__builtin_amdgcn_update_dpp(-1, lane, 0x143, 12, 15, false) == (lane >= 32 ? 31 : -1)); // row_bcast:31
    CHECK(__builtin_amdgcn_ds_swizzle(lane, 0x041f) == (lane ^ 1)); // and 31, xor 1
    CHECK(__builtin_nontemporal_load(&tile[lane]) == lane);
    __builtin_nontemporal_store(1.0f, &global[600 + lane]);
    __hip_atomic_fetch_add(&global[502], 2.0f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    CHECK(__hip_atomic_load(&global[502], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) >= 2);
    __builtin_amdgcn_sched_group_barrier(8, 1, 0);
    float4 v = make_float4(1, 2, 3, 4) * 2.0f + make_float4(1, 1, 1, 1);
    v += v;
    CHECK(v.x == 6 && v.w == 18);
    fours[lane] = v;
    fours[lane] += v;
    atomicAdd(&global[500], 1.0f);
    unsafeAtomicAdd(&global[501], 1.0f);
}

int main()
{
    one_block_warp = 64;
    one_block_run(waves, 1, 128, 1, 1);
    CHECK(one_block_failure[0] == 0 && global[3] == 1 && global[500] == 128 && global[501] == 128 && global[502] == 256 && global[663] == 1 && fours[63].w == 36);
    return one_block_faults != 0;
}

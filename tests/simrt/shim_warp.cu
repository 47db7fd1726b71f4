// shim_warp.cu: barriers, votes and shuffles, atomics, and CUDA's arithmetic functions.
// SPDX-License-Identifier: MIT
#define T float
#define N 64
#include "one_block.h"
#include <cuda_fp16.h>
#include <math_constants.h>

static void shuffles()
{
    const int lane = threadIdx.x % 32;
    const unsigned all = 0xffffffff;
    for (int width = 32; width >= 2; width /= 2) {
        const int base = lane & ~(width - 1), in = lane & (width - 1);
        for (int by = 0; by < 33; by++) {
            CHECK(__shfl_sync(all, lane, by, width) == base + by % width);
            CHECK(__shfl_up_sync(all, lane, by, width) == (in >= by ? lane - by : lane));
            CHECK(__shfl_down_sync(all, lane, by, width) == (in + by < width ? lane + by : lane));
            if (by < 32)
                CHECK(__shfl_xor_sync(all, lane, by, width) == ((lane ^ by) >= base + width ? lane : lane ^ by));
        }
    }
    CHECK(__shfl_sync(-1, lane * 0.5, 3) == 1.5 && __shfl_sync(all, (float)lane, 33) == 1.0f);
    CHECK(__shfl_xor_sync(all, (long long)lane << 40, 1) == (long long)(lane ^ 1) << 40);
    CHECK(__half2float(__shfl_down_sync(all, __float2half((float)lane), 1)) == (lane < 31 ? lane + 1 : 31));
    CHECK(__low2float(__shfl_sync(all, __floats2half2_rn(lane, 0), 9)) == 9);
    const float4 four = __shfl_sync(all, make_float4(lane, 1, 2, lane + 3), 5);
    CHECK(four.x == 5 && four.w == 8);
    CHECK(__shfl(lane, 3) == 3 && __shfl_down(lane, 16, 32) == (lane < 16 ? lane + 16 : lane) && __shfl_xor(lane, 1) == (lane ^ 1));
    if (lane < 16)
        CHECK(__shfl_sync(0xffff, lane, 15) == 15);
    else
        CHECK(__shfl_sync(0xffff0000, lane, 16) == 16);
    float sum = 1;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(all, sum, offset);
    CHECK(lane != 0 || sum == 32);
}

static void votes()
{
    const int lane = threadIdx.x % 32;
    const unsigned all = ~0u;
    CHECK(__ballot_sync(all, lane % 2) == 0xaaaaaaaa && __popc(__ballot(lane < 5)) == 5);
    CHECK(__any_sync(all, lane == 7) && !__any_sync(all, 0) && __all_sync(all, 2) && !__all_sync(all, lane != 7));
    CHECK(__activemask() == all && __any(lane == 3) && __all(1));
    CHECK(__match_any_sync(all, lane % 4) == 0x11111111u << lane % 4);
    int same = 0;
    CHECK(__match_all_sync(all, 5.0, &same) == all && same);
    CHECK(__match_all_sync(all, lane, &same) == 0 && !same);
    CHECK(__reduce_add_sync(all, lane) == 496 && __reduce_min_sync(all, lane - 9) == -9 && __reduce_max_sync(all, (unsigned)lane) == 31);
    CHECK(__reduce_or_sync(all, 1u << lane) == all && __reduce_and_sync(all, 6u | lane << 8) == 6 && __reduce_xor_sync(all, (unsigned)lane) == 0);
    CHECK(__syncthreads_count(threadIdx.x < 10) == 10 && __syncthreads_and(1) && !__syncthreads_and(threadIdx.x != 40));
    CHECK(__syncthreads_or(threadIdx.x == 40) && !__syncthreads_or(0));
    __syncwarp();
    __syncwarp(all);
}

static int integers[8];
static unsigned unsigneds[8];
static unsigned long long longs[4];
static float floats[4];
static double doubles[2];
static __half halves[4];
static unsigned short shorts[2];
static void atomics()
{
    __shared__ int taken;
    const int i = threadIdx.x;
    if (i == 0)
        taken = 0;
    __syncthreads();
    const int ticket = atomicAdd(&taken, 2);
    CHECK(ticket % 2 == 0 && ticket < 128);
    atomicAdd(&integers[0], 1);
    atomicSub(&integers[1], 2);
    atomicMin(&integers[2], -i);
    atomicMax(&integers[3], i);
    atomicOr(&integers[4], 1 << i % 30);
    atomicAdd_block(&unsigneds[0], 3u);
    CHECK(atomicInc(&unsigneds[1], 9u) <= 9);
    atomicDec(&unsigneds[2], 5u);
    atomicAnd(&unsigneds[3], ~(1u << i % 4));
    atomicXor(&unsigneds[4], 1u << i % 32);
    atomicMax(&unsigneds[5], 7u);
    atomicAdd(&longs[0], 1ull << 33);
    atomicMax(&longs[1], (unsigned long long)i);
    atomicAdd_system(&floats[0], 0.5f);
    atomicExch(&floats[1], 2.0f);
    atomicAdd(&doubles[0], 0.25);
    atomicAdd(&halves[0], __float2half(1.0f));
    atomicAdd((__half2 *)&halves[2], __floats2half2_rn(1, 2));
    if (atomicCAS(&integers[5], 0, i + 1) == 0)
        integers[6] = i;
    unsigned long long old = longs[2], seen;
    do {
        seen = old;
        old = atomicCAS(&longs[2], seen, seen + 2);
    } while (old != seen);
    atomicCAS(&shorts[1], (unsigned short)0, (unsigned short)4);
}

static void arithmetic()
{
    volatile float third = 1.0f / 3;
    CHECK(__popc(0xf0f) == 8 && __popcll(~0ull) == 64 && __clz(0) == 32 && __clz(1) == 31 && __clzll(1) == 63);
    CHECK(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41 && __brev(1) == 0x80000000 && __brevll(2) == 1ull << 62);
    CHECK(__byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311 && __byte_perm(0x80, 0, 0x8888) == 0xffffffff);
    CHECK(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_r(1, 1, 1) == 0x80000000 && __funnelshift_rc(5, 6, 40) == 6 && __funnelshift_lc(5, 6, 40) == 5);
    CHECK(__umulhi(1u << 31, 4) == 2 && __mulhi(-1, 1) == -1 && __mul64hi(1ll << 62, 4) == 1 && __mul24(-3, 5) == -15);
    CHECK(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(0xffffffffu, 0x01010101u, 0u) == 1020 && __dp4a(-1, 0x01010101, 0) == -4);
    CHECK(__sad(-2, 3, 1) == 6 && __usad(9, 3, 1) == 7 && __hadd(-3, 0) == -2 && __rhadd(3, 4) == 4);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.9f) == -2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    CHECK(__float2int_rn(1e20f) == 2147483647 && __float2uint_rz(-5.0f) == 0 && __float2int_rn(CUDART_NAN_F) == 0 && __double2ll_rz(-1e300) == LLONG_MIN);
    CHECK(__int_as_float(0x3f800000) == 1.0f && __float_as_uint(-0.0f) == 0x80000000 && __double2hiint(1.0) == 0x3ff00000 && __hiloint2double(0x3ff00000, 0) == 1.0);
    CHECK(__fmaf_rn(2, 3, 4) == 10 && __fma_rn(2, 3, 4) == 10 && __fadd_rn(1, 2) == 3 && __fmul_rn(third, 3) == third * 3 && __dmul_rn(2, 3) == 6);
    CHECK(__fmul_ru(third, third) > __fmul_rd(third, third) && __fmul_rz(-third, third) == __fmul_ru(-third, third));
    CHECK(__fdiv_ru(1, 3) > __fdiv_rd(1, 3) && __fsqrt_rd(2) < __fsqrt_ru(2) && __double2float_ru(0.1) > __double2float_rd(0.1));
    CHECK(__frcp_rn(4) == 0.25f && rsqrtf(4.0f) == 0.5f && rsqrt(16.0) == 0.25 && __fsqrt_rn(9) == 3 && __fdividef(6, 3) == 2 && __saturatef(1.5f) == 1 && __saturatef(-1) == 0);
    CHECK(fabsf(__expf(1) - 2.7182818f) < 1e-6f && __logf(1) == 0 && exp10f(2) == 100 && __powf(2, 3) == 8 && sinpif(1) == 0 && cospif(0.5f) == 0);
    CHECK(fmaxf(1, 2) == 2 && fminf(CUDART_INF_F, 2) == 2 && fma(2.0, 3.0, 1.0) == 7 && isnan(CUDART_NAN_F) && abs(-2.5f) == 2.5f && max(CUDART_NAN_F, 1.0f) == 1);
    float sine, cosine;
    sincosf(0, &sine, &cosine);
    CHECK(sine == 0 && cosine == 1 && norm3df(2, 3, 6) == 7);
}

int main()
{
    one_block_run(shuffles, 1, 64, 1, 1);
    one_block_run(votes, 1, 64, 1, 1);
    CHECK(one_block_failure[0] == 0);
    integers[2] = 5;
    unsigneds[3] = 0xff;
    one_block_run(atomics, 1, 64, 1, 1);
#ifdef GR_TRACED
    CHECK(one_block_saw.atomics >= 64 * 20 && one_block_saw.loads == 0);
#endif
    CHECK(integers[0] == 64 && integers[1] == -128 && integers[2] == -63 && integers[3] == 63 && integers[4] == (1 << 30) - 1);
    CHECK(unsigneds[0] == 192 && unsigneds[1] == 4 && unsigneds[2] == 2 && unsigneds[3] == 0xf0 && unsigneds[4] == 0 && unsigneds[5] == 7);
    CHECK(longs[0] == 64ull << 33 && longs[1] == 63 && longs[2] == 128 && floats[0] == 32 && floats[1] == 2 && doubles[0] == 16);
    CHECK((float)halves[0] == 64 && (float)halves[2] == 64 && (float)halves[3] == 128 && integers[5] == integers[6] + 1 && shorts[0] == 0 && shorts[1] == 4);
    one_block_run(arithmetic, 1, 1, 1, 1);
    return one_block_faults != 0;
}

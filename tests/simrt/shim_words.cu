// shim_words.cu: qualifiers, built-in variables, vector types, cache hints, traps; and that each access is recorded once, at its line. It defines macros before the headers, as a kernel's front matter does.
// SPDX-License-Identifier: MIT
#define T float
#define N 64
#define M 3
#define BM 8
#include "one_block.h"
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <iostream>
#include <memory>
#include <vector>
using namespace std;

#ifndef __CUDACC__
#error "code for the device is behind __CUDACC__"
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700
#error "no architecture"
#endif

#define SIZES(name, element, a2, a4)                                                                                    \
    static_assert(sizeof(name##1) == (element) && sizeof(name##2) == 2 * (element) && sizeof(name##3) == 3 * (element) &&  \
                      sizeof(name##4) == 4 * (element) && alignof(name##2) == (a2) && alignof(name##4) == (a4),            \
                  #name);
SIZES(char, 1, 2, 4)
SIZES(uchar, 1, 2, 4)
SIZES(short, 2, 4, 8)
SIZES(ushort, 2, 4, 8)
SIZES(int, 4, 8, 16)
SIZES(uint, 4, 8, 16)
SIZES(float, 4, 8, 16)
SIZES(longlong, 8, 16, 16)
SIZES(double, 8, 16, 16)
SIZES(ulong, 8, 16, 16)

__constant__ float scale[2] = {2.0f, 3.0f};
__device__ int counter;
__managed__ int managed;
static __device__ __constant__ const int limit = 5;
float global[4096];

class Empty
{
  public:
    int value;
    __device__ Empty() {}
};
struct __align__(16) Pair {
    double x, y;
};
static_assert(alignof(Pair) == 16, "__align__");
template <int K> __device__ __forceinline__ float times(float x)
{
    return x * K;
}
__device__ __noinline__ float through(const float *__restrict__ p)
{
    return __ldg(p + 1);
}
__attribute__((__noinline__)) static int as_host_headers_write_it()
{
    return 1;
}
template <typename E, int K> __global__ void __launch_bounds__(256, 2) templated(E *out)
{
    out[threadIdx.x] = K;
}
static __global__ void __launch_bounds__(256) hidden(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
extern "C" __global__ void __cluster_dims__(1, 1, 1) named(const __grid_constant__ dim3 size, float *out)
{
    out[0] = size.x;
}

static void indices()
{
    const uint3 t = threadIdx;
    const dim3 b = blockDim, g(gridDim), at = blockIdx;
    CHECK(t.x == threadIdx.x && t.y < 4 && t.z < 2 && blockDim.x == 16 && b.y == 4 && b.z == 2);
    CHECK(g.x == 3 && gridDim.y == 1 && at.x == blockIdx.x && warpSize == 32);
    const int id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    CHECK(id % 32 == (int)gr_sim_lane() && dim3(5).z == 1);
}

static void shared_memory()
{
    __shared__ alignas(128) float tile[BM][N];
    __shared__ Empty empty;
    static __shared__ __align__(64) unsigned char bytes[100];
    volatile __shared__ int flags[32];
    alignas(alignof(float4)) __shared__ float other[8];
    CHECK((size_t)tile % 128 == 0 && (size_t)bytes % 64 == 0 && (size_t)other % 16 == 0);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        tile[i % BM][i] = i;
    flags[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 3)
        empty.value = 7;
    __syncthreads();
    CHECK(tile[1][9] == 9 && flags[31 - threadIdx.x] == (int)(31 - threadIdx.x) && empty.value == 7);
    CHECK(__isShared(tile) && !__isShared(global) && __isGlobal(global));
    const unsigned offset = (unsigned)__cvta_generic_to_shared(&tile[1][9]);
    CHECK(*(float *)__cvta_shared_to_generic(offset) == 9 && __cvta_generic_to_shared(&tile[1][10]) == offset + 4);
}

#define FLOAT4(p) (reinterpret_cast<float4 *>(&(p))[0])
static void vectors()
{
    const int i = threadIdx.x;
    __shared__ float tile[128];
    FLOAT4(tile[4 * i]) = FLOAT4(global[4 * i]);
    const float4 v = make_float4(1, 2, 3, 4);
    FLOAT4(global[1024 + 4 * i]) = v;
    const float2 two = *(const float2 *)&global[2 * i];
    *(float2 *)&global[2048 + 2 * i] = make_float2(two.y, two.x);
    const double2 wide = __ldg((const double2 *)global + i);
    __stcg((float4 *)&global[3072 + 4 * i], *(const float4 *)&wide);
}

static void hints()
{
    float sum = __ldg(&global[threadIdx.x]) + __ldcg(global + 1) + __ldcs(global + threadIdx.x);
    sum += through(global);
    __stcs(&global[100], sum);
    __stwt(&global[101 + threadIdx.x], sum);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

static void times_and_traps()
{
    const long long start = clock64();
    const clock_t other = clock();
    __nanosleep(100);
    CHECK(clock64() > start && other >= start);
    __builtin_assume(start > 0);
    if (threadIdx.x == 31 && __builtin_expect(limit == 5, 1))
        assert(counter == 1 && "never");
}

static void calls()
{
    templated<float, 4>(global);
    CHECK(global[threadIdx.x] == 4 && scale[1] == 3 && times<2>(4) == 8);
    hidden(global + 64);
    if (threadIdx.x == 0)
        named(dim3(7, 1, 1), global + 300);
    CHECK(std::min(3, 4) == 3 && min(3, 4u) == 3 && max(-1, 1) == 1 && min(2.5f, 1.0) == 1.0 && max(1L, 5L) == 5);
    CHECK(min((size_t)3, (size_t)5) == 3 && max(1.5f, 2.5f) == 2.5f);
}
static void trapped()
{
    __trap();
}

int main()
{
    const one_block_counts &saw = one_block_saw;
    one_block_run(indices, 3, 16, 4, 2);
    one_block_run(shared_memory, 1, 32, 1, 1);
    one_block_run(calls, 1, 32, 1, 1);
    CHECK(global[300] == 7 && global[64 + 31] == 1);
    one_block_run(vectors, 1, 32, 1, 1);
#ifdef GR_TRACED // one event an access, of all its bytes
    CHECK(saw.reads[4] == 3 * 32 - 32 && saw.writes[4] == 3 * 32 && saw.reads[3] == 32 && saw.writes[3] == 32);
    CHECK(saw.reads[2] == 0 && saw.writes[2] == 0 && saw.ranges == 0);
#endif
    one_block_run(hints, 1, 32, 1, 1);
#ifdef GR_TRACED
    CHECK(saw.reads[2] == 4 * 32 && saw.writes[2] == 2 * 32 && saw.ranges == 0);
#endif
    one_block_run(times_and_traps, 1, 32, 1, 1);
    CHECK(strcmp(one_block_failure, "assertion failed: counter == 1 && \"never\"") == 0);
    one_block_run(trapped, 1, 32, 1, 1);
    CHECK(strstr(one_block_failure, "__trap()"));
    return one_block_faults != 0;
}

/* cluster_kernels.cu: small kernels with clusters, copies that reduce, atomics and calls of the
 * driver's functions, for test_machine_cluster.c, test_machine_reduce.c and test_machine_calls.c.
 * The cubins are made of it by for part in blocks reduce calls; do nvcc -arch=sm_90a -cubin
 * -Dcluster_$part=1 -o cluster_$part.cubin cluster_kernels.cu done SPDX-License-Identifier: MIT */
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cassert>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

struct alignas(64) tensor_map {
    char bytes[128];
};

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* The address of the same place in the block of that rank. */
__device__ static uint32_t there(const void *p, uint32_t rank)
{
    uint32_t a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(a)
                 : "r"(shared_address(p)), "r"(rank));
    return a;
}

__device__ static uint32_t my_rank()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ static void init(uint64_t *b, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void expect(uint64_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

__device__ static void await(uint64_t *b, uint32_t parity)
{
    asm volatile("{.reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;}\n" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ static void meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

#if cluster_blocks

/* What the special registers say: 14 words of each thread. */
__device__ static void describe(unsigned *out)
{
    unsigned v[14], block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[0]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[1]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[2]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[3]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[4]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[5]));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[6]));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[7]));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(v[8]));
    asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(v[9]));
    asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(v[10]));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(v[11]));
    asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(v[12]));
    asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(v[13]));
    for (int i = 0; i < 14; i++)
        out[(block * blockDim.x + threadIdx.x) * 14 + i] = v[i];
}

extern "C" __global__ void alone(unsigned *out)
{
    describe(out);
}

extern "C" __global__ void __cluster_dims__(3, 2, 1) six(unsigned *out)
{
    describe(out);
}

/* Each block reads the next one's numbers. forgets: 1 the first barrier, 2 the last. */
__device__ static void exchange(const int *in, int *out, int forgets)
{
    __shared__ int numbers[64];
    cg::cluster_group c = cg::this_cluster();
    int at = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + threadIdx.x;
    int *next = c.map_shared_rank(numbers, (c.block_rank() + 1) % c.num_blocks());
    numbers[threadIdx.x] = in[at];
    if (forgets != 1)
        c.sync();
    out[at] = next[threadIdx.x ^ 3];
    if (forgets != 2)
        c.sync();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1)
    neighbours(const int *in, int *out, int forgets)
{
    exchange(in, out, forgets);
}

extern "C" __global__ void __cluster_dims__(2, 2, 1) square(const int *in, int *out, int forgets)
{
    exchange(in, out, forgets);
}

/* The launch says what the cluster is. */
extern "C" __global__ void as_launched(const int *in, int *out, int forgets)
{
    exchange(in, out, forgets);
}

/* A histogram whose bins are in all blocks: atomics, and loads and stores with all widths. */
extern "C" __global__ void __cluster_dims__(8, 1, 1) histogram(const int *in, int *out, int count)
{
    __shared__ int bins[32];
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    c.sync();
    for (int i = c.block_rank() * blockDim.x + threadIdx.x; i < count; i += 8 * blockDim.x)
        atomicAdd(c.map_shared_rank(bins, in[i] / 32) + in[i] % 32, 1);
    c.sync();
    if (threadIdx.x < 32)
        out[c.block_rank() * 32 + threadIdx.x] = bins[threadIdx.x];
}

/* By instructions that name the cluster's window; each block in a ring of two. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) window(unsigned *out)
{
    __shared__ unsigned s[64];
    __shared__ unsigned long long wide[32];
    uint32_t r = my_rank(), a = there(&s[threadIdx.x], 1 - r), rank, old;
    uint64_t both;
    s[threadIdx.x] = 10 * r + threadIdx.x;
    s[threadIdx.x + 32] = 0;
    meet();
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(a));
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], 100;" : "=r"(old) : "r"(a) : "memory");
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" ::"r"(a), "r"(115 + r) : "memory");
    asm volatile("st.shared::cluster.u8 [%0 + 130], %1;" ::"r"(a), "r"(7 + r) : "memory");
    asm volatile(
        "st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(there(&wide[threadIdx.x], 1 - r)),
        "r"(threadIdx.x), "r"(r)
        : "memory");
    meet();
    asm volatile("ld.shared::cluster.u64 %0, [%1];"
                 : "=l"(both)
                 : "r"(there(&wide[threadIdx.x], 1 - r))
                 : "memory");
    unsigned *to = out + (blockIdx.x * 32 + threadIdx.x) * 6;
    to[0] = rank;
    to[1] = old;
    to[2] = s[threadIdx.x];
    to[3] = s[threadIdx.x + 32];
    to[4] = (unsigned)both;
    to[5] = (unsigned)(both >> 32);
    meet();
}

/* Rank 0 waits for the arrivals of all threads of the others; they for values that it stores. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) messages(int *out)
{
    __shared__ uint64_t arrived, stored;
    __shared__ alignas(16) int s[128];
    uint32_t r = my_rank();
    s[threadIdx.x] = -5;
    if (threadIdx.x == 0) {
        init(&arrived, 3 * 32);
        init(&stored, 1);
        expect(&stored, 32 * 4 + 32 * 8 + 512);
    }
    meet();
    if (r == 0) {
        await(&arrived, 0);
        for (int to = 1; to < 4; to++) {
            uint32_t a = there(s, to), b = there(&stored, to);
            int t = threadIdx.x;
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                         "{%2, %3, %3, %2}, [%1];" ::"r"(a + 16 * t),
                         "r"(b), "r"(t * 10 + to), "r"(0)
                         : "memory");
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %2, "
                         "[%1];" ::"r"(a + 16 * t),
                         "r"(b), "l"((uint64_t)t << 32 | 77)
                         : "memory");
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
                         "add.u32 [%0], %2, [%1];" ::"r"(a + 8),
                         "r"(b), "r"(t)
                         : "memory");
        }
    } else {
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(&arrived, 0))
            : "memory");
        await(&stored, 0);
    }
    for (int i = 0; i < 4; i++)
        out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = s[threadIdx.x * 4 + i];
    meet();
}

/* Block `from` of four copies to those of the mask; the others' mbarriers need no bytes. early:
 * nobody waits. */
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    multicast(const int *in, int *out, int mask, int from, int early)
{
    __shared__ alignas(128) int s[256];
    __shared__ uint64_t b;
    uint32_t r = my_rank();
    s[threadIdx.x] = -9;
    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, mask >> r & 1 ? 1024 : 0);
    }
    meet();
    if (r == from && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(s)),
                     "l"(in), "r"(1024), "r"(shared_address(&b)), "h"((unsigned short)mask)
                     : "memory");
    if (!early)
        await(&b, 0);
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
    meet();
}

/* Two blocks: each loads half of a tile of 64 x 32 and sends it to both. */
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    tiles(const __grid_constant__ tensor_map map, int *out)
{
    __shared__ alignas(1024) int s[2048];
    __shared__ uint64_t b;
    uint32_t r = my_rank();
    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, 8192);
    }
    meet();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
                         shared_address(s + 1024 * r)),
                     "l"(&map), "r"(32 * (blockIdx.x / 2)), "r"(r * 32), "r"(shared_address(&b)),
                     "h"((unsigned short)3)
                     : "memory");
    await(&b, 0);
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        out[blockIdx.x * 2048 + i] = s[i];
    meet();
}

/* Each block copies its numbers to the next one's shared memory. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) pass(const int *in, int *out)
{
    __shared__ alignas(128) int mine[64], got[64];
    __shared__ uint64_t b;
    uint32_t next = (my_rank() + 1) % 4;
    mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, 256);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    meet();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(there(got, next)),
                     "r"(shared_address(mine)), "r"(256), "r"(there(&b, next))
                     : "memory");
    await(&b, 0);
    out[blockIdx.x * 64 + threadIdx.x] = got[threadIdx.x];
    meet();
}

/* Rank 1 sets a word of rank 0, which looks at it until it is set. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) flag(int *out)
{
    __shared__ volatile int set;
    uint32_t r = my_rank();
    if (threadIdx.x == 0)
        set = 0;
    meet();
    if (r == 1 && threadIdx.x == 0)
        asm volatile(
            "st.relaxed.cluster.shared::cluster.u32 [%0], 5;" ::"r"(there((const void *)&set, 0))
            : "memory");
    while (r == 0 && set == 0)
        ;
    out[blockIdx.x * 32 + threadIdx.x] = set;
    meet();
}

/* What is wrong: 0 a block waits for an mbarrier that nobody completes while the others are at the
 * cluster's barrier; 1 an address beyond the other block's shared memory; 2 a block that the
 * cluster does not have; 3 a wait without an arrival; 4 a local instruction, another's address. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) wrong(int *out, int what)
{
    __shared__ int s[32];
    __shared__ uint64_t b;
    uint32_t r = my_rank(), v = 0;
    s[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&b, 1);
    meet();
    if (what == 0 && r == 1)
        await(&b, 0);
    if (what == 1)
        asm volatile("st.shared::cluster.u32 [%0 + 65536], 1;" ::"r"(there(s, 1 - r)) : "memory");
    if (what == 2)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there(s, 5)) : "memory");
    if (what == 3)
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (what == 4)
        asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(there(s, 1 - r)) : "memory");
    out[threadIdx.x] = (int)v;
    meet();
}

#elif cluster_reduce

/* 64 bytes of `in` are joined to those of `out`; early: they are overwritten without a wait. */
#define TO_GLOBAL(number, operation)                                                               \
    case number:                                                                                   \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation               \
                     " [%0], [%1], 64;" ::"l"(out),                                                \
                     "r"(shared_address(s))                                                        \
                     : "memory");                                                                  \
        break;

__device__ static void reduce(void *out, const int *s, int operation)
{
    switch (operation) {
        TO_GLOBAL(0, "add.u32")
        TO_GLOBAL(1, "add.s32")
        TO_GLOBAL(2, "add.u64")
        TO_GLOBAL(3, "add.noftz.f16")
        TO_GLOBAL(4, "add.noftz.bf16")
        TO_GLOBAL(5, "add.f32")
        TO_GLOBAL(6, "add.f64")
        TO_GLOBAL(7, "min.u32")
        TO_GLOBAL(8, "min.s32")
        TO_GLOBAL(9, "min.u64")
        TO_GLOBAL(10, "min.s64")
        TO_GLOBAL(11, "min.f16")
        TO_GLOBAL(12, "min.bf16")
        TO_GLOBAL(13, "max.u32")
        TO_GLOBAL(14, "max.s32")
        TO_GLOBAL(15, "max.u64")
        TO_GLOBAL(16, "max.s64")
        TO_GLOBAL(17, "max.f16")
        TO_GLOBAL(18, "max.bf16")
        TO_GLOBAL(19, "inc.u32")
        TO_GLOBAL(20, "dec.u32")
        TO_GLOBAL(21, "and.b32")
        TO_GLOBAL(22, "and.b64")
        TO_GLOBAL(23, "or.b32")
        TO_GLOBAL(24, "or.b64")
        TO_GLOBAL(25, "xor.b32")
        TO_GLOBAL(26, "xor.b64")
    }
}

extern "C" __global__ void to_global(const int *in, void *out, int early, int operation)
{
    __shared__ alignas(128) int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        reduce(out, s, operation);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (!early)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        for (int i = 0; i < 16; i++)
            s[i] = 0;
        asm volatile("" ::: "memory");
    }
}

/* The same to the shared memory of the other block, by a copy and by a store of each thread. */
#define TO_OTHER(number, operation, value)                                                         \
    case number:                                                                                   \
        if (threadIdx.x == 0)                                                                      \
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:" \
                         ":bytes." operation " [%0], [%1], 64, [%2];" ::"r"(copied),               \
                         "r"(s), "r"(b)                                                            \
                         : "memory");                                                              \
        asm volatile(                                                                              \
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." operation    \
            " [%0], %1, [%2];" ::"r"(stored),                                                      \
            value, "r"(b)                                                                          \
            : "memory");                                                                           \
        break;

__device__ static void send(uint32_t copied, uint32_t stored, uint32_t s, uint32_t b, const int *in,
                            int operation)
{
    const uint32_t t = threadIdx.x;
    switch (operation) {
        TO_OTHER(0, "add.u32", "r"(in[t]))
        TO_OTHER(1, "add.s32", "r"(in[t]))
        TO_OTHER(2, "min.u32", "r"(in[t]))
        TO_OTHER(3, "min.s32", "r"(in[t]))
        TO_OTHER(4, "max.u32", "r"(in[t]))
        TO_OTHER(5, "max.s32", "r"(in[t]))
        TO_OTHER(6, "inc.u32", "r"(in[t]))
        TO_OTHER(7, "dec.u32", "r"(in[t]))
        TO_OTHER(8, "and.b32", "r"(in[t]))
        TO_OTHER(9, "or.b32", "r"(in[t]))
        TO_OTHER(10, "xor.b32", "r"(in[t]))
        TO_OTHER(11, "add.u64", "l"(((const uint64_t *)in)[t]))
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    to_other(const int *in, int *out, int operation, int count)
{
    __shared__ alignas(128) int s[16], copied[16], stored[16];
    __shared__ uint64_t b;
    uint32_t t = threadIdx.x, other = 1 - my_rank(), each = 64 / count;
    if (t < 16) {
        s[t] = in[t];
        copied[t] = stored[t] = out[t];
    }
    if (t == 0) {
        init(&b, 1);
        expect(&b, 128);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    meet();
    if (t < count)
        send(there(copied, other), there(stored, other) + t * each, shared_address(s),
             there(&b, other), in, operation);
    await(&b, 0);
    meet();
    if (t < 16) {
        out[32 * blockIdx.x + 16 + t] = copied[t];
        out[32 * blockIdx.x + 32 + t] = stored[t];
    }
}

/* A box of 16 x 4 elements of 4 bytes, of which a part is outside of the tensor. */
#define TO_TENSOR(number, operation)                                                               \
    case number:                                                                                   \
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation                \
                     ".tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),                         \
                     "r"(x), "r"(y), "r"(shared_address(s))                                        \
                     : "memory");                                                                  \
        break;

extern "C" __global__ void to_tensor(const __grid_constant__ tensor_map map, const int *in, int x,
                                     int y, int operation)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        switch (operation) {
            TO_TENSOR(0, "add")
            TO_TENSOR(1, "min")
            TO_TENSOR(2, "max")
            TO_TENSOR(3, "inc")
            TO_TENSOR(4, "dec")
            TO_TENSOR(5, "and")
            TO_TENSOR(6, "or")
            TO_TENSOR(7, "xor")
        }
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* Each thread adds to one place; the shared ones are given to `out` at the end. */
extern "C" __global__ void vectors(__half2 *h, __nv_bfloat162 *b, float4 *f, double *d, int *out)
{
    __shared__ __half2 sh;
    __shared__ __nv_bfloat162 sb;
    if (threadIdx.x == 0) {
        sh = __floats2half2_rn(0, 0);
        sb = __floats2bfloat162_rn(0, 0);
    }
    __syncthreads();
    float x = (float)(threadIdx.x % 7) * 0.25f, y = (float)(threadIdx.x % 5) - 2;
    __half2 hv = __floats2half2_rn(x, y);
    __nv_bfloat162 bv = __floats2bfloat162_rn(x, y);
    atomicAdd(h, hv);
    atomicAdd(b, bv);
    atomicAdd(&sh, hv);
    atomicAdd(&sb, bv);
    atomicAdd((__half *)(h + 1), hv.x);
    atomicAdd(f, make_float4(x, y, 1, 2));
    atomicAdd((float2 *)(f + 1), make_float2(y, x));
    atomicAdd(d, (double)(int)threadIdx.x);
    __half2 old = atomicAdd(h + 2 + threadIdx.x, hv);
    float4 was = atomicAdd(f + 2 + threadIdx.x, make_float4(1, 2, 3, 4));
    uint32_t words = 0x40003c00; /* 1 and 2 */
    asm volatile("red.global.max.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(f + 100),
                 "r"(words + threadIdx.x)
                 : "memory");
    __syncthreads();
    int *to = out + threadIdx.x * 4;
    to[0] = *(int *)&old;
    to[1] = (int)(was.x + 10 * was.w);
    to[2] = *(int *)&sh;
    to[3] = *(int *)&sb;
}

#elif cluster_calls

/* What is printed is dropped. */
extern "C" __global__ void prints(int n, int *out)
{
    printf("thread %d of %s has %d and %lld\n", (int)threadIdx.x, "a block", n + (int)threadIdx.x,
           1ll << 40);
    if (threadIdx.x == 3)
        printf("no arguments\n");
    out[threadIdx.x] = n + threadIdx.x;
}

extern "C" __global__ void checks(int n, int *out)
{
    assert(n < 5 && "too many");
    out[threadIdx.x] = n;
}

extern "C" __global__ void traps(int n, int *out)
{
    if (n == (int)threadIdx.x)
        __trap();
    out[threadIdx.x] = n;
}

/* Each thread gets memory and sums up what its neighbour has. wrong: 1 frees twice, 2 writes
 * beyond it, 3 reads what nobody wrote, 4 asks for more and more. */
extern "C" __global__ void heap(int count, int wrong, int *out)
{
    __shared__ int *given[64];
    int n = count + threadIdx.x % 5, *mine = (int *)malloc(n * sizeof *mine), sum = 0;
    given[threadIdx.x] = mine;
    for (int i = 0; i < n && wrong != 3; i++)
        mine[i] = i * threadIdx.x;
    __syncthreads();
    for (int i = 0; i < count; i++)
        sum += given[threadIdx.x ^ 1][i];
    __syncthreads();
    if (wrong == 2)
        mine[1 << 24] = 1;
    while (wrong == 4)
        given[threadIdx.x] = (int *)malloc(1 << 16);
    free(mine);
    if (wrong == 1)
        free(mine);
    free(nullptr);
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

/* Atomics on an address that is in global memory, in the block's own shared memory or in the other
 * block's, as `where` says: 0, 1, 2. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) adds(int where, float *f, double *d, int *i)
{
    __shared__ float sf;
    __shared__ double sd;
    __shared__ int si;
    uint32_t r = my_rank();
    cg::cluster_group c = cg::this_cluster();
    float *pf = where == 0 ? f + 2 + r : where == 1 ? &sf : c.map_shared_rank(&sf, 1 - r);
    double *pd = where == 0 ? d + 2 + r : where == 1 ? &sd : c.map_shared_rank(&sd, 1 - r);
    int *pi = where == 0 ? i + 2 + r : where == 1 ? &si : c.map_shared_rank(&si, 1 - r);
    if (threadIdx.x == 0) {
        sf = 0;
        sd = 0;
        si = 0;
    }
    c.sync();
    atomicAdd(pf, (float)(int)(threadIdx.x + r));
    atomicAdd(pd, (double)(int)(threadIdx.x * 3 + r));
    atomicMax(pi, (int)threadIdx.x + 10 * (int)r);
    c.sync();
    if (threadIdx.x == 0) {
        f[r] = sf;
        d[r] = sd;
        i[r] = si;
    }
}

#endif

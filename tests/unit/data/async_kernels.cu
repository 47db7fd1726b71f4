/* async_kernels.cu: small kernels with Hopper's asynchronous instructions, for
 * test_machine_async.c. The cubins are made of it by for part in barriers copies others; do nvcc
 * -arch=sm_90a -cubin -Dasync_$part=1 -o async_$part.cubin async_kernels.cu done
 * SPDX-License-Identifier: MIT */
#include <cuda_bf16.h>
#include <cstdint>

struct alignas(64) tensor_map {
    char bytes[128];
};

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ static void init(uint64_t *b, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
}

__device__ static void arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
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
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;}\n" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

#if async_barriers

/* Warp 0 makes numbers, the others sum them up: a ring of two places. */
extern "C" __global__ void ring(const int *in, int *out, int rounds)
{
    __shared__ int places[2][32];
    __shared__ uint64_t full[2], empty[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumers = blockDim.x / 32 - 1;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            init(&full[i], 32);
            init(&empty[i], consumers);
        }
    }
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int at = r % 2, phase = r / 2 % 2;
        if (warp == 0) {
            await(&empty[at], phase ^ 1);
            places[at][lane] = in[r * 32 + lane];
            arrive(&full[at]);
        } else {
            await(&full[at], phase);
            sum += places[at][lane] * warp;
            __syncwarp();
            if (lane == 0)
                arrive(&empty[at]);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One arrival is missing. */
extern "C" __global__ void stuck(int *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x + 1);
    __syncthreads();
    arrive(&b);
    await(&b, 0);
    out[threadIdx.x] = 1;
}

/* Waits by the state that an arrival gives, and leaves. */
extern "C" __global__ void states(int *out)
{
    __shared__ uint64_t b;
    __shared__ int value;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1)
        value = 77;
    uint64_t state;
    uint32_t done = 0;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(&b))
                 : "memory");
    while (!done)
        asm volatile(
            "{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
            : "=r"(done)
            : "r"(shared_address(&b)), "l"(state)
            : "memory");
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
}

/* cp.async whose arrival is the barrier's. */
extern "C" __global__ void copies(const int *in, int *out)
{
    __shared__ __align__(16) int box[128];
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        init(&b, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(&box[4 * threadIdx.x])),
                     "l"(in + 4 * threadIdx.x)
                     : "memory");
        asm volatile(
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&b))
            : "memory");
    }
    await(&b, 0);
    out[threadIdx.x] = box[threadIdx.x];
}

#endif
#if async_copies

/* In by a bulk copy, doubled, out by one. */
extern "C" __global__ void bulk(const int *in, int *out, int early)
{
    __shared__ __align__(128) int box[256];
    __shared__ uint64_t b;
    box[threadIdx.x] = -1;
    if (threadIdx.x == 0)
        init(&b, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&b, 1024);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(shared_address(box)),
                     "l"(in + 256 * blockIdx.x), "r"(1024), "r"(shared_address(&b))
                     : "memory");
    }
    if (!early)
        await(&b, 0);
    int x = 2 * ((volatile int *)box)[threadIdx.x];
    __syncthreads();
    await(&b, 0);
    box[threadIdx.x] = x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         out + 256 * blockIdx.x),
                     "r"(shared_address(box)), "r"(1024)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        box[0] = 0;
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__device__ static void load_box(void *to, const tensor_map *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
                 : "memory");
}

__device__ static uint64_t descriptor(const void *p)
{
    return (uint64_t)(shared_address(p) >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32 |
           (uint64_t)1 << 62;
}

#define D(i)                                                                                       \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])

/* C = A B^T, 64 x 64 of a block, K a multiple of 64: A and B^T are rows of 64 bf16, by maps; C is
 * stored by a map. */
extern "C" __global__ void __launch_bounds__(256, 1)
    gemm(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
         const __grid_constant__ tensor_map c, int k)
{
    __shared__ __align__(1024) __nv_bfloat16 left[2][64 * 64], right[2][64 * 64];
    __shared__ __align__(1024) float tile[64 * 64];
    __shared__ uint64_t full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            init(&full[i], 1);
            init(&empty[i], 128);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 128) {
            asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
#pragma unroll 1
            for (int i = 0; i < k / 64; i++) {
                await(&empty[i % 2], i / 2 % 2 ^ 1);
                expect(&full[i % 2], 2 * 64 * 64 * 2);
                load_box(left[i % 2], &a, 64 * i, 64 * blockIdx.y, &full[i % 2]);
                load_box(right[i % 2], &b, 64 * i, 64 * blockIdx.x, &full[i % 2]);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    float d[32] = {0};
#pragma unroll 1
    for (int i = 0; i < k / 64; i++) {
        await(&full[i % 2], i / 2 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < 4; j++)
            asm volatile(
                "{wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%"
                "22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;}"
                : D(0), D(8), D(16), D(24)
                : "l"(descriptor(left[i % 2] + 16 * j)), "l"(descriptor(right[i % 2] + 16 * j)));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        arrive(&empty[i % 2]);
    }
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; i++)
        tile[(row + i / 2 % 2 * 8) * 64 + column + i / 4 * 8 + i % 2] = d[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
            "r"(64 * blockIdx.x), "r"(64 * blockIdx.y), "r"(shared_address(tile))
            : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

#endif
#if async_others

/* An mbarrier for each lane, with other counts and addresses. */
extern "C" __global__ void many(int *out)
{
    __shared__ uint64_t b[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        init(&b[lane ^ 5], (lane ^ 5) / 3 + 1);
    __syncthreads();
    for (int i = 0; i < lane / 3 + 1 && threadIdx.x >= 32; i++)
        arrive(&b[lane]);
    await(&b[lane], 0);
    out[threadIdx.x] = lane + 1;
}

/* D = A B^T of int8, 64 x 8 x 32, once with A in shared memory and once with A in registers, added
 * up. The matrices are without swizzle, in blocks of 8 rows of 16 bytes. */
extern "C" __global__ void __launch_bounds__(128, 1) integers(const int *a, const int *b, int *out)
{
    __shared__ __align__(128) int left[512], right[64];
    int d[4] = {1, 2, 3, 4}, t = threadIdx.x;
    for (int i = t; i < 512; i += 128) /* word i % 8 of row i / 8 */
        left[i / 64 * 64 + i % 8 / 4 * 32 + i / 8 % 8 * 4 + i % 4] = a[i];
    if (t < 64)
        right[t % 8 / 4 * 32 + t / 8 * 4 + t % 4] = b[t];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t more = (uint64_t)8 << 16 | (uint64_t)16 << 32;
    const uint64_t x = more | shared_address(left) >> 4, y = more | shared_address(right) >> 4;
    int r = t / 32 * 16 + t % 32 / 4, k = t % 4;
    int from[4] = {a[r * 8 + k], a[(r + 8) * 8 + k], a[r * 8 + k + 4], a[(r + 8) * 8 + k + 4]};
    asm volatile(
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, {%6,%7,%8,%9}, %5, 1;\n"
        "wgmma.commit_group.sync.aligned;\n"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "l"(x), "l"(y), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
        : "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[(r + i / 2 * 8) * 8 + k * 2 + i % 2] = d[i];
}

/* A cluster of one block. */
extern "C" __global__ void __cluster_dims__(1, 1, 1) alone(int *out)
{
    __shared__ int x[64];
    x[threadIdx.x] = 100 + threadIdx.x;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    uint32_t value, rank, at;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(at)
                 : "r"(shared_address(&x[threadIdx.x ^ 33])), "r"(rank - 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
    out[threadIdx.x] = (int)value;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(int *out)
{
    out[threadIdx.x] = 1;
}

/* As `stuck`, by a test that does not wait. */
extern "C" __global__ void spinning(int *out)
{
    __shared__ uint64_t b;
    uint32_t done = 0;
    if (threadIdx.x == 0)
        init(&b, blockDim.x + 1);
    __syncthreads();
    arrive(&b);
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(&b))
                     : "memory");
    out[threadIdx.x] = 1;
}

/* What is wrong with an mbarrier: it was never made, it has too many arrivals, it is at a wrong
 * address, it was invalidated. */
extern "C" __global__ void misuse(int *out, int what)
{
    __shared__ __align__(8) char memory[16];
    uint64_t *b = (uint64_t *)(memory + (what == 2 ? 4 : 0));
    if (threadIdx.x == 0 && what != 0)
        init(b, 1);
    if (threadIdx.x == 0 && what == 3)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(b)) : "memory");
    __syncthreads();
    if (threadIdx.x == 0 && what == 1)
        asm volatile(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(shared_address(b))
            : "memory");
    arrive(b);
    out[threadIdx.x] = 1;
}

#endif

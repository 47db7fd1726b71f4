// wgmma_stage_early.cu: a warp fills a ring of stages by tensor maps, and two warpgroups compute with wgmma, one group of products in
// flight, and hand the stage back that this group still reads. The tile of C leaves by a tensor map. ptxas gives wgmma no line of its
// own: it is told by that of wgmma.fence.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ layout   B col
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ map      tmA = A[64,64] swizzle128, tmB = B[32,64] swizzle128, tmC = C[64,32]
//@ grid     cdiv(N,32), cdiv(M,128)
//@ block    384
//@ smem     3*(128+32)*64*2 + 128*32*4 + 1024
//@ require  M % 128 == 0 && N % 32 == 0 && K % 64 == 0
//! size 128x64x320
#include <cuda_fp16.h>

typedef struct __align__(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

enum { STAGES = 3, A_BYTES = 128 * 64 * 2, B_BYTES = 32 * 64 * 2 };

__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ inline void init(unsigned long long *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(count));
}

__device__ inline void expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "r"(bytes) : "memory");
}

__device__ inline void arrive(unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(barrier)) : "memory");
}

__device__ inline void await(unsigned long long *barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;\n"
                 "}\n" ::"r"(shared(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ inline void load(void *to, const CUtensorMap *map, int x, int y, unsigned long long *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(to)), "l"(map), "r"(shared(barrier)), "r"(x), "r"(y) : "memory"); // FAULT race dynamic
}

/* K-major with a swizzle of 128 bytes: 8 rows are 1024 bytes. */
__device__ inline unsigned long long descriptor(const void *p)
{
    return (unsigned long long)(shared(p) >> 4 & 0x3fff) | (unsigned long long)1 << 16 | (unsigned long long)(1024 >> 4) << 32 |
           (unsigned long long)1 << 62;
}

__device__ inline void multiply(float (&d)[16], const void *a, const void *b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
                   "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                 : "l"(descriptor(a)), "l"(descriptor(b))
                 : "memory");
}

__global__ void __launch_bounds__(384) gemm(int M, int N, int K, const __grid_constant__ CUtensorMap tmA,
                                            const __grid_constant__ CUtensorMap tmB, const __grid_constant__ CUtensorMap tmC)
{
    extern __shared__ char dynamic[];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    char *As = (char *)(((unsigned long long)dynamic + 1023) / 1024 * 1024), *Bs = As + STAGES * A_BYTES;
    float *Cs = (float *)(Bs + STAGES * B_BYTES);
    const int group = threadIdx.x / 128, t = threadIdx.x % 128, row0 = blockIdx.y * 128, col0 = blockIdx.x * 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int tile = 0; t == 0 && tile < K / 64; tile++) {
            const int stage = tile % STAGES;
            await(&empty[stage], (tile / STAGES + 1) % 2);
            expect(&full[stage], A_BYTES + B_BYTES);
            load(As + stage * A_BYTES, &tmA, tile * 64, row0, &full[stage]);
            load(As + stage * A_BYTES + A_BYTES / 2, &tmA, tile * 64, row0 + 64, &full[stage]);
            load(Bs + stage * B_BYTES, &tmB, tile * 64, col0, &full[stage]);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[16];
    for (int i = 0; i < 16; i++)
        d[i] = 0;
    for (int tile = 0; tile < K / 64; tile++) {
        const int stage = tile % STAGES;
        await(&full[stage], tile / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // WITH race dynamic
        for (int k = 0; k < 4; k++)
            multiply(d, As + stage * A_BYTES + (group - 1) * A_BYTES / 2 + k * 32, Bs + stage * B_BYTES + k * 32);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (t == 0 && (tile > 0 || !FIXED))
            arrive(&empty[(FIXED ? tile - 1 : tile) % STAGES]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    float *own = Cs + (group - 1) * 64 * 32;
    for (int i = 0; i < 16; i++)
        own[(t / 32 * 16 + i / 2 % 2 * 8 + t % 32 / 4) * 32 + i / 4 * 8 + t % 4 * 2 + i % 2] = d[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
    if (t == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&tmC), "r"(shared(own)), "r"(col0), "r"(row0 + (group - 1) * 64) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

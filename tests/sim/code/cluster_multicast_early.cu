// cluster_multicast_early.cu: of two blocks the first copies rows of B to both by multicast, and does not wait until the other one has
// received the rows before.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ layout   B col
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,8), cdiv(M,64)
//@ cluster  1,2,1
//@ block    128
//@ require  M % 128 == 0 && N % 8 == 0 && K % 32 == 0
//! size 128x16x96
#include <cuda_fp16.h>

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

__device__ inline void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

/* A matrix without a swizzle: pieces of 8 rows by 16 bytes. */
__device__ inline unsigned long long descriptor(const void *p, unsigned leading, unsigned stride)
{
    return (unsigned long long)(shared(p) >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32;
}

__global__ void gemm(int M, int N, int K, const half *A, const half *B, float *C)
{
    __shared__ __align__(128) half As[2][64][8], Bs[2][8][8];
    __shared__ unsigned long long full;
    const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 8, rank = blockIdx.y % 2;
    float d[4] = {0, 0, 0, 0};
    if (t == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (t == 0)
            expect(&full, 8 * 32);
        if (rank == 0 && t < 16)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 16, [%2], %3;" ::"r"(shared(Bs[t % 2][t / 2])), "l"(B + (size_t)(col0 + t / 2) * K + k0 + t % 2 * 8), "r"(shared(&full)), "h"((unsigned short)3) : "memory"); // FAULT race Bs; WITH race Bs
        for (int i = t; i < 64 * 16; i += 128)
            As[i % 16 / 8][i / 16][i % 8] = A[(size_t)(row0 + i / 16) * K + k0 + i % 16];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        for (int i = 0; i < 4 * rank; i++) // the second block is slower
            __syncthreads();
        await(&full, k0 / 16 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // FAULT race Bs
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(As, 1024, 128)), "l"(descriptor(Bs, 128, 128)) : "memory");
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (FIXED)
            cluster_barrier();
        else
            __syncthreads();
    }
    cluster_barrier();
    const int row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
    C[(size_t)row * N + col] = d[0];
    C[(size_t)row * N + col + 1] = d[1];
    C[(size_t)(row + 8) * N + col] = d[2];
    C[(size_t)(row + 8) * N + col + 1] = d[3];
}

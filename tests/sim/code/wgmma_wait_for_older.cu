// wgmma_wait_for_older.cu: of two groups of products in flight the older one is waited for, and what the newer one reads is copied
// over in bulk.
// ptxas gives wgmma no line of its own: it is told by that of wgmma.fence.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ layout   B col
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,8), cdiv(M,64)
//@ block    128
//@ require  M % 64 == 0 && N % 8 == 0 && K % 32 == 0
//! size 64x16x96
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

/* A matrix without a swizzle: pieces of 8 rows by 16 bytes. */
__device__ inline unsigned long long descriptor(const void *p, unsigned leading, unsigned stride)
{
    return (unsigned long long)(shared(p) >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32;
}

__device__ inline void copy(void *to, const void *from, unsigned long long *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(shared(to)), "l"(from), "r"(shared(barrier)) : "memory"); // FAULT race As; FAULT race Bs
}

/* Pieces of 16 bytes: 64 rows of A and 8 of B, two of each row. */
__device__ inline void fill(half As[2][64][8], half Bs[2][8][8], const half *A, const half *B, int K, int t, unsigned long long *full)
{
    if (t == 0)
        expect(full, 72 * 32);
    __syncwarp();
    if (t < 32) {
        for (int i = t; i < 128; i += 32)
            copy(As[i % 2][i / 2], A + (size_t)(i / 2) * K + i % 2 * 8, full);
        if (t < 16)
            copy(Bs[t % 2][t / 2], B + (size_t)(t / 2) * K + t % 2 * 8, full);
    }
}

__global__ void gemm(int M, int N, int K, const half *A, const half *B, float *C)
{
    __shared__ __align__(128) half As[2][2][64][8], Bs[2][2][8][8];
    __shared__ unsigned long long full[2];
    const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 8;
    float d[4] = {0, 0, 0, 0};
    A += (size_t)row0 * K;
    B += (size_t)col0 * K;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    fill(As[0], Bs[0], A, B, K, t, &full[0]);
    fill(As[1], Bs[1], A + 16, B + 16, K, t, &full[1]);
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int now = k0 / 16 % 2;
        await(&full[now], k0 / 32 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // WITH race As; WITH race Bs
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(As[now], 1024, 128)), "l"(descriptor(Bs[now], 128, 128)) : "memory");
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (FIXED)
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        else
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        __syncthreads();
        if (k0 + 32 < K)
            fill(As[now], Bs[now], A + k0 + 32, B + k0 + 32, K, t, &full[now]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
    C[(size_t)row * N + col] = d[0];
    C[(size_t)row * N + col + 1] = d[1];
    C[(size_t)(row + 8) * N + col] = d[2];
    C[(size_t)(row + 8) * N + col + 1] = d[3];
}

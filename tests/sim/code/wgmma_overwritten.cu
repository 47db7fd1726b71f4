// wgmma_overwritten.cu: the tiles are filled again while wgmma still reads them: two warpgroups share B, and each waits for its own
// products alone, after the barrier.
// ptxas gives wgmma no line of its own: it is told by that of wgmma.fence.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ layout   B col
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,8), cdiv(M,128)
//@ block    256
//@ require  M % 128 == 0 && N % 8 == 0 && K % 16 == 0
//! size 128x16x48
#include <cuda_fp16.h>

__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* A matrix without a swizzle: pieces of 8 rows by 16 bytes. */
__device__ inline unsigned long long descriptor(const void *p, unsigned leading, unsigned stride)
{
    return (unsigned long long)(shared(p) >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32;
}

__global__ void gemm(int M, int N, int K, const half *A, const half *B, float *C)
{
    __shared__ __align__(128) half As[2][2][64][8], Bs[2][8][8];
    const int t = threadIdx.x, group = t / 128, row0 = blockIdx.y * 128, col0 = blockIdx.x * 8;
    float d[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = t % 128; i < 64 * 16; i += 128)
            As[group][i % 16 / 8][i / 16][i % 8] = A[(size_t)(row0 + group * 64 + i / 16) * K + k0 + i % 16];
        if (t < 128)
            Bs[t % 16 / 8][t / 16][t % 8] = B[(size_t)(col0 + t / 16) * K + k0 + t % 16]; // FAULT race Bs
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // WITH race Bs
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(As[group], 1024, 128)), "l"(descriptor(Bs, 128, 128)) : "memory");
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (FIXED)
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    const int row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
    C[(size_t)row * N + col] = d[0];
    C[(size_t)row * N + col + 1] = d[1];
    C[(size_t)(row + 8) * N + col] = d[2];
    C[(size_t)(row + 8) * N + col + 1] = d[3];
}

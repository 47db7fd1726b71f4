// fires_wgmma.cu: each wgmma is waited for before the next one starts.
// SPDX-License-Identifier: MIT
//@ type A=bf16 B=bf16 C=f32 ACC=f32
//@ arch sm_90a
//@ grid cdiv(M,64), cdiv(N,8)
//@ block 128
//! kind wgmma
//! size 128
//! words all of a step
#include <cuda_bf16.h>

// Pieces of 8 rows by 8 of k, 128 bytes each: the next 8 rows follow, the next 8 of k are `next` bytes further.
__device__ unsigned long long descriptor(const void *shared, int next)
{
    const unsigned long long address = __cvta_generic_to_shared(shared);
    return 128ull / 16 << 32 | (unsigned long long)(next / 16) << 16 | address / 16;
}

__device__ __forceinline__ void multiply(float *sum, unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "l"(a), "l"(b));
}

__device__ __forceinline__ void wait_for_all()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__global__ void gemm(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C) // HERE
{
    __shared__ __align__(128) __nv_bfloat16 a[8][64][8], b[8][8][8];
    const int top = blockIdx.x * 64, left = blockIdx.y * 8, t = threadIdx.x;
    const __nv_bfloat16 zero = __float2bfloat16(0);
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k += 64) {
        for (int i = t; i < 64 * 64; i += 128) {
            const int row = top + i / 64, at = k + i % 64;
            a[i % 64 / 8][i / 64][i % 8] = row < M && at < K ? A[row * K + at] : zero;
        }
        for (int i = t; i < 64 * 8; i += 128) {
            const int at = k + i / 8, column = left + i % 8;
            b[i / 64][i % 8][i / 8 % 8] = at < K && column < N ? B[at * N + column] : zero;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 4; i++) {
            multiply(sum, descriptor(a[2 * i], 1024), descriptor(b[2 * i], 128));
            wait_for_all();
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        const int row = top + t / 32 * 16 + t % 32 / 4 + i / 2 * 8, column = left + t % 4 * 2 + i % 2;
        if (row < M && column < N)
            C[row * N + column] = sum[i];
    }
}

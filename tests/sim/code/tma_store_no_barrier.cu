// tma_store_no_barrier.cu: a tile leaves through one buffer by a tensor map; the thread that stores waits, and the others do not wait
// for that thread.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0
//@ map      tmC = C[16,32]
//! size 32x64x16
typedef struct __align__(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, const __grid_constant__ CUtensorMap tmC)
{
    __shared__ __align__(128) float Cs[16][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    for (int half = 0; half < 2; half++) {
        for (int i = ty; i < 16; i += 4) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[(size_t)(row0 + half * 16 + i) * K + k] * B[(size_t)k * N + col0 + tx];
            Cs[i][tx] = sum; // FAULT race Cs
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (ty == 0 && tx == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&tmC), "r"(shared(Cs)), "r"(col0), "r"(row0 + half * 16) : "memory"); // WITH race Cs
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        if (FIXED)
            __syncthreads();
    }
    if (ty == 0 && tx == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

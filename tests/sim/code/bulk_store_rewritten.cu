// bulk_store_rewritten.cu: halves of a tile leave through one buffer in bulk, and the second is written while the first is being read:
// cp.async.bulk.wait_group.read is missing.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0
//! size 32x64x16
__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
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
        if (ty == 0 && tx < 16) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(C + (size_t)(row0 + half * 16 + tx) * N + col0), "r"(shared(Cs[tx])) : "memory"); // WITH race Cs
            asm volatile("cp.async.bulk.commit_group;");
            if (FIXED)
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (ty == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// tma_rows_apart.cu: a box whose rows are shorter than its swizzle: each row has the swizzle's bytes in shared memory, and what is
// between the rows is not written.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ map      tmA = A[32,8] swizzle64, tmB = B[8,32]
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0 && K % 8 == 0
//! size 32x64x16
typedef struct __align__(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
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

__device__ inline void copy(void *to, const CUtensorMap *map, int row, int column, unsigned long long *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(to)), "l"(map), "r"(shared(barrier)), "r"(column), "r"(row) : "memory");
}

// Column k of row r: 8 of the 16 elements that a row has room for.
__device__ inline int place(int r, int k)
{
    return FIXED ? (k / 4 ^ r / 2 % 4) * 4 + k % 4 : k;
}

__global__ void gemm(int M, int N, int K, const __grid_constant__ CUtensorMap tmA, const __grid_constant__ CUtensorMap tmB,
                     float *C)
{
    __shared__ __align__(512) float As[32][16];
    __shared__ __align__(128) float Bs[8][32];
    __shared__ unsigned long long full;
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float sum[8] = {0};
    if (tx == 0 && ty == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += 8) {
        if (tx == 0 && ty == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(2048) : "memory");
            copy(As, &tmA, row0, k0, &full);
            copy(Bs, &tmB, k0, col0, &full);
        }
        await(&full, k0 / 8 % 2);
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 8; k++)
                sum[i] += As[ty * 8 + i][place(ty * 8 + i, k)] * Bs[k][tx]; // FAULT uninitialised As
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        C[(size_t)(row0 + ty * 8 + i) * N + col0 + tx] = sum[i];
}

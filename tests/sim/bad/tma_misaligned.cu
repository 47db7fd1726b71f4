// tma_misaligned.cu: a tile is copied by a tensor map from the neighbour of its first column, which is at no multiple of 16 bytes: the
// GPU refuses the instruction. By its source: copies by tensor maps are not modelled.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ map      tmA = A[32,16], tmB = B[16,32]
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0 && K % 16 == 0
//! size 32x64x32
//! exit 3
//! says not modelled: inline PTX
//! code exit 1
//! code says illegal instruction: a copy by a tensor map at element 1 of its rows, which is byte 4 and no multiple of 16
//! code says LINE
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
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(to)), "l"(map), "r"(shared(barrier)), "r"(column), "r"(row) : "memory"); // HERE
}

__global__ void gemm(int M, int N, int K, const __grid_constant__ CUtensorMap tmA, const __grid_constant__ CUtensorMap tmB,
                     float *C)
{
    __shared__ __align__(128) float As[32][16], Bs[16][32];
    __shared__ unsigned long long full;
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float sum[8] = {0};
    if (tx == 0 && ty == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (tx == 0 && ty == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(4096) : "memory");
            copy(As, &tmA, row0, k0 + 1, &full);
            copy(Bs, &tmB, k0, col0, &full);
        }
        await(&full, k0 / 16 % 2);
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 16; k++)
                sum[i] += As[ty * 8 + i][k] * Bs[k][tx];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        C[(size_t)(row0 + ty * 8 + i) * N + col0 + tx] = sum[i];
}

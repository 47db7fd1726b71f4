// tma_store_negative.cu: a tile that begins above the matrix is stored by a tensor map: the GPU refuses the instruction, where a load
// would be filled with zeros. By its source: stores by tensor maps are not modelled.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0
//@ map      tmC = C[16,32]
//! size 32x64x16
//! exit 3
//! says not modelled: inline PTX
//! code exit 1
//! code says illegal instruction: a store by a tensor map at the coordinate -4 of dimension 1, which is negative
//! code says LINE
typedef struct __align__(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

__global__ void gemm(int M, int N, int K, const float *A, const float *B, const __grid_constant__ CUtensorMap tmC)
{
    __shared__ __align__(128) float Cs[16][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    const unsigned from = (unsigned)__cvta_generic_to_shared(Cs);
    for (int first = -4; first < 32; first += 16) {
        for (int i = ty; i < 16; i += 4) {
            float sum = 0;
            for (int k = 0; k < K && first + i >= 0; k++)
                sum += A[(size_t)(row0 + first + i) * K + k] * B[(size_t)k * N + col0 + tx];
            Cs[i][tx] = sum;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (ty == 0 && tx == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&tmC), "r"(from), "r"(col0), "r"(row0 + first) : "memory"); // HERE
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
        __syncthreads();
    }
}

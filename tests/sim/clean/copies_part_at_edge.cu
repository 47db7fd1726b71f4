// copies_part_at_edge.cu: asynchronous copies of four numbers of which one to three are in the matrix: the others become zeros
// and are not read, at the end of an array either. A is stored by columns, so that rows of 33 and 31 numbers, padded to 40, are
// copied so. Other rows are copied number by number.
// SPDX-License-Identifier: MIT
//! run 33x31x32
//@ trans    tn
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include <cuda_pipeline.h>

// Four neighbours of a row, of which `count` are in the matrix.
static __device__ void copy_four(float *to, const float *from, int count, bool at_once)
{
    const int inside = max(0, min(4, count));
    if (at_once)
        __pipeline_memcpy_async(to, from, 16, 16 - 4 * inside);
    else
        for (int i = 0; i < 4; i++)
            __pipeline_memcpy_async(to + i, i < inside ? from + i : from, 4, i < inside ? 0 : 4);
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int k = k0 + ty, a = blockIdx.y * 16 + tx * 4, b = blockIdx.x * 16 + (tx - 4) * 4;
        const bool reads_a = k < K && a < M, reads_b = k < K && b < N;
        if (tx < 4)
            copy_four(&As[ty][tx * 4], reads_a ? A + (size_t)k * lda + a : A, reads_a ? M - a : 0, lda % 4 == 0);
        else if (tx < 8)
            copy_four(&Bs[ty][tx * 4 - 16], reads_b ? B + (size_t)k * ldb + b : B, reads_b ? N - b : 0, ldb % 4 == 0);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += As[i][ty] * Bs[i][tx];
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

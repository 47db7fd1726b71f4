// barrier_object.cu: two tiles in turn, filled by all threads and guarded by a cuda::barrier, with no __syncthreads() in the
// loop. SPDX-License-Identifier: MIT
//@ arch     >= sm_80
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void accumulate(float &sum, const float *a, const float *b)
{
    for (int i = 0; i < 16; i++)
        sum += a[i] * b[i * 16];
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                     int ldc)
{
    __shared__ barrier full;
    __shared__ float a[2][16][16], b[2][16][16];
    const auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0)
        init(&full, block.size());
    block.sync();
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0, s = 0; k < K; k += 16, s ^= 1) {
        a[s][y][x] = row < M && k + x < K ? A[(size_t)row * lda + k + x] : 0;
        b[s][y][x] = col < N && k + y < K ? B[(size_t)(k + y) * ldb + col] : 0;
        full.wait(full.arrive());
        accumulate(sum, a[s][y], &b[s][0][x]);
    }
    if (row < M && col < N) {
        float *c = C + (size_t)row * ldc + col;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}

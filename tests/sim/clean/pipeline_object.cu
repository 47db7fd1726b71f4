// pipeline_object.cu: one warp copies tiles ahead and seven compute, through a cuda::pipeline of two stages.
// SPDX-License-Identifier: MIT
//@ arch     >= sm_80
//@ grid     cdiv(N,28), cdiv(M,8)
//@ block    256
#include <cooperative_groups.h>
#include <cuda/pipeline>

// Element `at` of a tile of `wide` columns: copied where it is in the matrix, otherwise 0.
template <class Pipe>
__device__ void fetch(Pipe &pipe, float *to, int wide, int at, const float *from, int ld, int high, int across)
{
    const int r = at / wide, c = at % wide;
    if (r < high && c < across)
        cuda::memcpy_async(to + at, from + (size_t)r * ld + c, sizeof(float), pipe);
    else
        to[at] = 0;
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                     int ldc)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float a[2][8 * 8], b[2][8 * 28];
    const int id = threadIdx.x, row = blockIdx.y * 8, col = blockIdx.x * 28, steps = (K + 7) / 8;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                    id < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (id < 32) {
        for (int s = 0; s < steps; s++) {
            pipe.producer_acquire();
            for (int i = id; i < 8 * 8; i += 32)
                fetch(pipe, a[s % 2], 8, i, A + (size_t)row * lda + s * 8, lda, M - row, K - s * 8);
            for (int i = id; i < 8 * 28; i += 32)
                fetch(pipe, b[s % 2], 28, i, B + (size_t)s * 8 * ldb + col, ldb, K - s * 8, N - col);
            pipe.producer_commit();
        }
        return;
    }
    const int y = (id - 32) / 28, x = (id - 32) % 28;
    float sum = 0;
    for (int s = 0; s < steps; s++) {
        pipe.consumer_wait();
        for (int k = 0; k < 8; k++)
            sum += a[s % 2][y * 8 + k] * b[s % 2][k * 28 + x];
        pipe.consumer_release();
    }
    if (row + y < M && col + x < N) {
        float *c = C + (size_t)(row + y) * ldc + col + x;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}

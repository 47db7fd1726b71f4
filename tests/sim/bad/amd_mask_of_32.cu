// amd_mask_of_32.cu: CUDA's mask of all lanes, which names half of a wavefront of 64.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,64), M
//@ block    64
//! device sim:mi210
//! exit 1
//! says wavefront with the mask 0xffffffff, which does not name it; of 64 lanes a mask has 64 bits
//! explains LINE
#include <hip/hip_runtime.h>
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y, col = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    if (!__any_sync(0xffffffff, row < M && col < N)) // HERE
        return;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

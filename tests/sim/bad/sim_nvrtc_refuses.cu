// sim_nvrtc_refuses.cu: a header that NVRTC lacks and g++ has: the simulator takes the file.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 0
//! explains skip: (NVRTC refuses it: [^;]*error: [^;]*deque|no CUDA compiler)
//! explains load A
//! code none NVRTC refuses the source
#include <deque>

static_assert(sizeof(std::deque<float>) > 0, "host code's");

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// sim_ptx_wgmma.cu: inline PTX: a warp group of tensor cores.
// SPDX-License-Identifier: MIT
//@ arch     sm_90a
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 3
//! says not modelled
//! says wgmma
//! says LINE
//! code exit 1
//! code says deadlock
//! code says LINE
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // HERE
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

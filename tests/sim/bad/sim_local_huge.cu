// sim_local_huge.cu: a local array of 1 GB a thread: more than a GPU thread may have (512 KB).
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 1
//! says local|stack
//! code exit 1
//! code says 1073741824 bytes of local memory
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float big[1 << 28];
    for (int i = row; i < (1 << 28); i += 4096)
        ((volatile float *)big)[i] = sum;
    sum = ((volatile float *)big)[row + 4096];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

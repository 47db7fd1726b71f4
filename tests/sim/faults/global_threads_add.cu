// global_threads_add.cu: four threads of a block add their parts to one element of C.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     N, cdiv(M,8)
//@ block    4, 8
//! size 17x5x40
//! run 64 race wrong
//! says which thread .* with no barrier between: add with atomicAdd
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x;
    float sum = 0;
    if (row >= M)
        return;
    for (int k = threadIdx.x; k < K; k += 4)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    if (FIXED)
        atomicAdd(c, sum);
    else
        *c += sum; // FAULT race C
}

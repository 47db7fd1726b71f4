// global_reads_too_soon.cu: slices add up by atomics, and the first of them reads the sum before the others are done.
// SPDX-License-Identifier: MIT
//@ work     P = f32[M*N] zero
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 2-FIXED
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += gridDim.z)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *p = &P[(size_t)row * N + col];
    atomicAdd(p, sum); // FAULT race P
    if (blockIdx.z > 0)
        return;
    sum = *p; // WITH race P
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

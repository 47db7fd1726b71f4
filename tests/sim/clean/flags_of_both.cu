// flags_of_both.cu: flags that only nvcc has, that only g++ has, and one that the kernel needs of all its compilers.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
// with flags -DTILE=16 -fno-exceptions -O3 -march=native --expt-relaxed-constexpr -use_fast_math -arch=sm_90 -Xcompiler -Wall
//! size 33x47x29
//! run 33x47x29
#ifndef TILE
#error the flags have not arrived
#endif
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

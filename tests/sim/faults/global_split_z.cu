// global_split_z.cu: slices of K, one a block, add to C without atomics.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 3
//@ block    16, 16
//! size 33x47x29
//! size 512
//! run 64 race wrong
//! says writes C\[[0-9]+\] \(row [0-9]+, column [0-9]+\), which thread \([0-9]+,[0-9]+\) of block \(0,0,[0-9]\) (writes|reads) in line [0-9]+, with nothing between them
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = blockIdx.z; k < K; k += 3)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (FIXED)
        atomicAdd(&C[(size_t)row * ldc + col], sum);
    else
        C[(size_t)row * ldc + col] += sum; // FAULT race C
}

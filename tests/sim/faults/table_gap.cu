// table_gap.cu: the kernel that runs once leaves the last entries of its table unwritten.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ work     order = s32[M]
//@ kernel   fill once
//@ grid     cdiv(M,32)
//@ block    32
//@ kernel   gemm
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void fill(int M, int *order)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i < (FIXED ? M : M - 3))
        order[i] = M - 1 - i;
}

__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, const int *order)
{
    const int at = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (at >= M || col >= N)
        return;
    int row = order[at]; // FAULT uninitialised order
    if (row < 0 || row >= M)
        row = 0;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum; // MAY race C
}

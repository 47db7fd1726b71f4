// promised_alignment.cu: __builtin_assume_aligned of rows of odd length: what is promised is not so.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! run 33x47x29 alignment crash
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    const float *a = &A[row * K];
    if (!FIXED || K % 4 == 0)
        a = (const float *)__builtin_assume_aligned(a, 16); // FAULT alignment A
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[k] * B[k * N + col];
    C[row * N + col] = sum;
}

// overflow_unsigned.cu: an unsigned index of a matrix with more than 2^32 elements begins at 0 again.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(M,16), cdiv(N,16)
//@ block    16, 16
//! size 4198400x16x1024
//! says no access of the [0-9]* blocks that were traced.*comes to an element of A from 2\^32 on
__global__ void gemm(unsigned M, unsigned N, unsigned K, const float *A, const float *B, float *C)
{
    const unsigned i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0;
    if (FIXED) {
        for (unsigned k = 0; k < K; k++)
            sum += A[(size_t)i * K + k] * B[k * N + j];
    } else {
        for (unsigned k = 0; k < K; k++)
            sum += A[i * K + k] * B[k * N + j]; // WARN overflow
    }
    C[i * N + j] = sum;
}

// overflow_unused.cu: an int overflows, and what comes of it is right: as an unsigned number, and where nothing is read any more.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(M,16), cdiv(N,16)
//@ block    16, 16
//! size 2099200x16x1024
//! exit 0
//! says no access of the blocks that were traced is out of bounds because of it here
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(unsigned)(i * K + k)] * B[k * N + j]; // WARN overflow
    C[i * N + j] = sum;
}

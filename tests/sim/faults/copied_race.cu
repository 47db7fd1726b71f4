// copied_race.cu: one thread of a row copies it by memcpy, whose length is known at run time only, and nobody waits.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//! size 33x47x29
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[8][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const int wide = min(32, K - k0);
        if (tx == 0 && row < M)
            memcpy(As[ty], &A[row * K + k0], wide * sizeof(float)); // WITH race As
        if (FIXED)
            __syncthreads();
        for (int k = 0; k < wide && row < M && col < N; k++)
            sum += As[ty][k] * B[(k0 + k) * N + col]; // FAULT race As
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

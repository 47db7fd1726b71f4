// copied_rows.cu: one thread of a row copies it by memcpy, whose length is known at run time only: what the others read was
// written.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//! size 33x47x29
//! size 64
//! run 33x47x29
__global__ void __launch_bounds__(32 * 8) gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[8][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const int wide = min(32, K - k0);
        if (tx == 0 && row < M)
            memcpy(As[ty], &A[row * K + k0], wide * sizeof(float));
        __syncthreads();
        for (int k = 0; k < wide && row < M && col < N; k++)
            sum += As[ty][k] * B[(k0 + k) * N + col];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

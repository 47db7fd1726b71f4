// race_beta.cu: a barrier is missing where beta is not 0, and only there.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//! size 33x47x29
//! run 33x47x29 race wrong
//! told with alpha 1.5 and beta 0.5
__global__ void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float old[8][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k = 0; k < K && row < M && col < N; k++)
        sum += A[row * K + k] * B[k * N + col];
    sum *= alpha;
    if (beta != 0) {
        old[ty][tx] = row < M && col < N ? C[row * N + col] : 0; // WITH race old
        if (FIXED)
            __syncthreads();
        sum += beta * old[ty][tx] + 0 * old[ty > 0 ? ty - 1 : ty][tx]; // FAULT race old
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

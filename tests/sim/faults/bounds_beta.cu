// bounds_beta.cu: the dynamic shared memory that only beta needs is not asked for.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//@ smem     FIXED*8*32*4
//! size 33x47x29
//! run 33x47x29 bounds wrong
__global__ void gemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    extern __shared__ float old[];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k = 0; k < K && row < M && col < N; k++)
        sum += A[row * K + k] * B[k * N + col];
    sum *= alpha;
    if (beta != 0) {
        old[ty * 32 + tx] = row < M && col < N ? C[row * N + col] : 0; // FAULT bounds old
        sum += beta * old[ty * 32 + tx]; // MAY bounds
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// 000_naive.cu: worklog 000, section 1: threadIdx.x walks down the rows. Slow and right.
// SPDX-License-Identifier: MIT
// with grid cdiv(M,32), cdiv(N,32)
// with block 32, 32
//! size 33x47x29
__global__ void gemmKernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; i++)
            sum += A[x * K + i] * B[i * N + y];
        C[x * N + y] = sum;
    }
}

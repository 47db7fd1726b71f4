// 000_swapped.cu: worklog 000, section 1.1: x and y exchanged, so that a warp walks along a row of C.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,32), cdiv(M,32)
// with block 32, 32
//! size 33x47x29
__global__ void gemmKernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    const uint y = blockIdx.x * blockDim.x + threadIdx.x;
    const uint x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; i++)
            sum += A[x * K + i] * B[i * N + y];
        C[x * N + y] = sum;
    }
}

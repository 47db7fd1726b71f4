// 92_planted.cu: a rung of the GPU that is added by the test of "one file". SPDX-License-Identifier: MIT
//@ title    Planted
//@ after    01_naive
//@ idea     none
//@ type     f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16

__global__ void planted(int M, int N, int K, const float *A, const float *B, float *C)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

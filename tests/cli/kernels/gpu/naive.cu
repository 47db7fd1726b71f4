// naive.cu: a thread for each element of C, and no shared memory. SPDX-License-Identifier: MIT
//@ type     f32
//@ param    BS 32
//@ grid     cdiv(N,BS), cdiv(M,BS)
//@ block    BS, BS
__global__ void naive(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * BS + threadIdx.y, col = blockIdx.x * BS + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

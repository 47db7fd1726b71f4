// walk_naive.cu: one element of C a thread, x the row: a warp reads a column of A. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32,32
__global__ void naive(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x >= M || y >= N)
        return;
    float sum = 0;
    for (int i = 0; i < K; i++)
        sum += A[x * K + i] * B[i * N + y];
    C[x * N + y] = sum;
}

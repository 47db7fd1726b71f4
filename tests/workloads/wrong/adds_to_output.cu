// y = A x, which is added to what y holds before: nobody has written that. SPDX-License-Identifier: MIT
//@ size N = 64, M = 32
//@ array in A f32[N,M], in x f32[M], out y f32[N]
//@ flop 2*N*M
//@ grid cdiv(N,32)
//@ block 32
//! verdict faults
__global__ void gemv(int N, int M, const float *A, const float *x, float *y)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; row < N && j < M; j++)
        y[row] += A[row * M + j] * x[j]; // FAULT uninitialised y
}

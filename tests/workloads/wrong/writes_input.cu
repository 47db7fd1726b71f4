// A softmax that keeps the exponentials where its input is. SPDX-License-Identifier: MIT
//@ size N = 64, M = 48
//@ array in x f32[N,M], out y f32[N,M]
//@ flop 4*N*M
//@ grid cdiv(N,32)
//@ block 32
//! verdict faults
//! says declare it `inout`
__global__ void softmax(float *x, float *y, int N, int M)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= N)
        return;
    float sum = 0;
    for (int j = 0; j < M; j++) {
        x[row * M + j] = expf(x[row * M + j]); // FAULT input-changed x
        sum += x[row * M + j];
    }
    for (int j = 0; j < M; j++)
        y[row * M + j] = x[row * M + j] / sum;
}

// row_sums.cu: the sum of each row, a kernel that is no GEMM. SPDX-License-Identifier: MIT
//@ title Row sums
//@ type f32
//@ size N = 100, M = 60
//@ array in x f32[N,M], out y f32[N]
//@ flop N*(M-1)
//@ bytes 4*(N*M + N)
//@ grid cdiv(N,128)
//@ block 128
//! verdict advice
//! fact flops 5900
//! fact bytes 24400
//! size N=33,M=45
__global__ void rows(int N, int M, const float *x, float *y)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int j = 0; row < N && j < M; j++)
        sum += x[row * M + j];
    if (row < N)
        y[row] = sum;
}

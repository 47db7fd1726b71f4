// A softmax of each row, a thread a row. SPDX-License-Identifier: MIT
//@ size N = 64, M = 48
//@ array in x f32[N,M], out y f32[N,M]
//@ flop 5*N*M
//@ grid cdiv(N,32)
//@ block 32
//! verdict advice
//! says read 32 rows of x, 4 bytes of each
//! fact flops 15360
//! fact bytes 24576
//! size N=37,M=5
// 2 warps read each of 48 columns three times: the 32 rows are 192 bytes apart, so that each has a sector of its own.
__global__ void softmax(const float *x, float *y, int N, int M)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= N)
        return;
    float most = x[row * M], sum = 0; // COUNT load global requests 2 sectors 64 sectors_ideal 8
    for (int j = 1; j < M; j++)
        most = fmaxf(most, x[row * M + j]); // COUNT load global requests 94 sectors 3008
    for (int j = 0; j < M; j++)
        sum += expf(x[row * M + j] - most); // COUNT load global requests 96 sectors 3072
    for (int j = 0; j < M; j++)
        y[row * M + j] = expf(x[row * M + j] - most) / sum; // COUNT store global requests 96 sectors 3072
}

// GEMV: y = A x, a warp for each row, its lanes' parts added by shuffles. SPDX-License-Identifier: MIT
//@ size N = 64, M = 128
//@ array in A f64[N,M], in x f64[M], out y f64[N]
//@ flop 2*N*M
//@ grid cdiv(N,4)
//@ block 32, 4
//! verdict clean
//! fact flops 16384
//! fact bytes 67072
//! size N=33,M=45
// 64 warps make 4 steps each. 32 doubles are 8 sectors.
__global__ void gemv(int N, int M, const double *A, const double *x, double *y)
{
    int row = blockIdx.x * 4 + threadIdx.y;
    double sum = 0;
    for (int j = threadIdx.x; row < N && j < M; j += 32) {
        double a = A[row * M + j]; // COUNT load global requests 256 sectors 2048 sectors_ideal 2048
        sum += a * x[j]; // COUNT load global requests 256 sectors 2048 sectors_ideal 2048
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (row < N && threadIdx.x == 0)
        y[row] = sum; // COUNT store global requests 64 sectors 64
}

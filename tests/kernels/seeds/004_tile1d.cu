// 004_tile1d.cu: worklog 004, kernel 3. Its faults: threads return before __syncthreads() at the edges, K / SGEMM_TS drops the
// tail of K, and the grid is a floor.
// SPDX-License-Identifier: MIT
// with grid max(M/32,1), max(N/128,1)
// with block 32, 32
//! size 16x16x32
//! run 160 unwritten wrong
//! run 32x128x40 wrong-element wrong
#define SGEMM_TS 32
#define SGEMM_LS 4

__global__ void matmul_kernel(float *A, float *B, float *C, int M, int N, int K)
{
    int _m = threadIdx.y;
    int _n = threadIdx.x;
    int m = blockDim.x * blockIdx.x + _m;
    int n = SGEMM_LS * (blockDim.y * blockIdx.y + _n);
    __shared__ float _A[SGEMM_TS * SGEMM_TS];
    __shared__ float _B[SGEMM_TS * (SGEMM_TS * SGEMM_LS)];
    if (m >= M || n >= N)
        return;
    float acc[SGEMM_LS] = {0.0f};
    for (int t = 0; t < K / SGEMM_TS; t++) {
        int t_n = SGEMM_TS * t + _n;
        _A[_m * SGEMM_TS + _n] = A[m * K + t_n];
        int t_m = SGEMM_TS * t + _m;
        for (int l = 0; l < SGEMM_LS; l++)
            _B[_m * (SGEMM_TS * SGEMM_LS) + (_n * SGEMM_LS + l)] = B[t_m * N + n + l];
        __syncthreads(); // WARN barrier
        for (int k = 0; k < SGEMM_TS; k++) {
            float _a = _A[_m * SGEMM_TS + k]; // MAY uninitialised _A
            for (int l = 0; l < SGEMM_LS; l++)
                acc[l] += _a * _B[k * (SGEMM_TS * SGEMM_LS) + (_n * SGEMM_LS + l)]; // MAY uninitialised _B
        }
        __syncthreads(); // WITH barrier
    }
    for (int l = 0; l < SGEMM_LS; l++)
        C[m * N + (n + l)] = acc[l];
}

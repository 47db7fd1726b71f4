// double_immediates.cu: instructions of double with numbers in them: addition, product, multiply-add, comparison, minimum.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    32, 8
//! size 64
//! run 64
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    double sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++) {
        const double a = A[row * K + k], b = B[k * N + col];
        const double moved = (a + 5) * 0.25, lower = fmin(moved, 1.25), upper = fmax(moved, 1.25);
        const double whole = moved > 1.25 ? upper + lower - 1.25 : lower + upper - 1.25;
        sum += fma(whole, 4.0, -5.0) * b;
    }
    C[row * N + col] = (float)sum;
}

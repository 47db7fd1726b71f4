// sim_size_refused.cu: its `require` excludes the size, so that it is not launched; what its machine code shows is told.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,8)
//@ block    8, 8
//@ require  N % 4 == 0 "each thread loads four neighbours"
//! size 33
//! exit 3
//! says (each thread loads four neighbours|N % 4 == 0)
//! explains not launched for this problem
//! runs refused
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 8 + threadIdx.y, col = (blockIdx.x * 8 + threadIdx.x) * 4;
    float sum[4] = {0}, b[4] = {0};
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++) {
#pragma unroll
        for (int v = 0; v < 1; v++)
            *reinterpret_cast<int4 *>(&b[4 * v]) =
                *reinterpret_cast<const int4 *>(&B[(size_t)k * N + col + 4 * v]);
        for (int j = 0; j < 4; j++)
            sum[j] += A[row * K + k] * b[j];
    }
    for (int j = 0; j < 4; j++)
        C[row * N + col + j] = sum[j];
}

// global_neighbour.cu: a block reads what its neighbour writes in the same launch.
// SPDX-License-Identifier: MIT
//@ work     P = f32[M*N]
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, float *P)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    P[(size_t)row * N + col] = sum; // FAULT race P; MAY unused P
    const float before = P[(size_t)row * N + (col % 16 || !col ? col : col - 1)]; // WITH race P; MAY uninitialised P
    sum += 0 * before;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// overflow_guard.cu: M * N overflows, and no thread is inside.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 47104x47104x8
//! says unwritten.*C is never written
//! exit 1
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    const bool inside = FIXED ? (size_t)i * N + j < (size_t)M * N && i < M && j < N
                               : i < M && j < N && i * 16 + j % 16 < M * N; // WARN overflow
    if (!inside)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[i * K + k] * B[k * N + j];
    C[(size_t)i * N + j] = sum;
}

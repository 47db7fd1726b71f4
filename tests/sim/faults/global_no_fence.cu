// global_no_fence.cu: the last block adds up what the others have left, which no fence keeps before their count.
// SPDX-License-Identifier: MIT
//@ work     P = f32[4*M*N]
//@ work     counts = s32[cdiv(M,16)*cdiv(N,16)] zero
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 4
//@ block    16, 16
//! size 33x47x29
//! size 300
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, float *P, int *counts)
{
    __shared__ int last;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const size_t at = (size_t)row * N + col, step = (size_t)M * N;
    const bool inside = row < M && col < N;
    float sum = 0;
    for (int k = blockIdx.z; k < K && inside; k += 4)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (inside)
        P[blockIdx.z * step + at] = sum; // FAULT race P
    if (FIXED)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        last = atomicAdd(&counts[blockIdx.y * gridDim.x + blockIdx.x], 1) == 3;
    __syncthreads();
    if (!last || !inside)
        return;
    sum = 0;
    for (int z = 0; z < 4; z++)
        sum += P[z * step + at]; // WITH race P; MAY uninitialised P
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// warps_readers.cu: two warps read an element, and the first of them writes it when its own lanes have met.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    64
//! size 5x7x40
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ volatile float first, parts[64];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 64)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[lane] = sum;
    if (lane == 0)
        first = 0;
    __syncthreads();
    const float before = first; // WITH race first
    if (FIXED)
        __syncthreads();
    if (lane < 32) {
        __nanosleep(20);
        __syncwarp();
        if (lane == 0)
            first = before + 1; // FAULT race first
    }
    __syncthreads();
    if (lane != 0)
        return;
    sum = 0;
    for (int i = 0; i < 64; i++)
        sum += first * parts[i];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

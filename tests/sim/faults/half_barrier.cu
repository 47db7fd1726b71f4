// half_barrier.cu: a tree over the block with a barrier in all steps but the last.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    64
//! size 5x7x90
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float parts[64];
    const int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = t; k < K; k += 64)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[t] = sum;
    __syncthreads();
    for (int half = 32; half > 1; half /= 2) {
        if (t < half)
            parts[t] += parts[t + half]; // FAULT race parts
        if (FIXED || half > 2)
            __syncthreads();
    }
    if (t != 0)
        return;
    sum = parts[0] + parts[1]; // WITH race parts
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

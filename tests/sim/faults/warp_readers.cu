// warp_readers.cu: all lanes read an element, the first of them too, which then writes it.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    32
//! size 5x7x40
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ volatile float parts[32];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 32)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[lane] = sum;
    __syncwarp();
    for (int i = 1; i < 32; i++) {
        const float first = parts[0]; // WITH race parts
        if (FIXED)
            __syncwarp();
        if (lane == 0)
            parts[0] = first + parts[i]; // FAULT race parts
        __syncwarp();
    }
    sum = parts[0];
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

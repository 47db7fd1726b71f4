// written_after_read.cu: the last thing that is done to As is to overwrite what other warps may still read.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 16x16x16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k]; // WITH race As
            sum += k0 + k < K && col < N ? a * B[(size_t)(k0 + k) * ldb + col] : 0;
        }
        if (FIXED)
            __syncthreads();
        if (ty == 15) // the last warp, when the first has read
            As[0][tx] = 0; // FAULT race As
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// wide_unwritten_shared.cu: the last of the four words that a lane reads at once is one that nobody has written.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    32
//! size 5x40x150
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float row_of_a[16 + 128]; // the first 16 are for nothing but the alignment of what follows
    const int tx = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 128) {
        for (int i = tx; i < 128; i += 32)
            if (FIXED || i != 51)
                row_of_a[16 + i] = k0 + i < K ? A[(size_t)row * lda + k0 + i] : 0;
        __syncthreads();
        const float4 four = *(const float4 *)&row_of_a[16 + 4 * tx]; // FAULT uninitialised row_of_a
        for (int k = 0; k < 128; k++) {
            const float mine = k % 4 == 0 ? four.x : k % 4 == 1 ? four.y : k % 4 == 2 ? four.z : four.w;
            const float a = __shfl_sync(0xffffffffu, mine, k / 4);
            if (k0 + k < K && col < N)
                sum += a * B[(size_t)(k0 + k) * ldb + col];
        }
        __syncthreads();
    }
    if (col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

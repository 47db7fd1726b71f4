// dynamic_short.cu: the launch asks for one tile of dynamic shared memory, and the kernel uses two.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ smem     (1+FIXED)*16*16*4
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    extern __shared__ float tiles[];
    float *As = tiles, *Bs = tiles + 16 * 16;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty * 16 + tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        Bs[ty * 16 + tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0; // FAULT bounds
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[ty * 16 + k];
            const float b = Bs[k * 16 + tx]; // FAULT bounds
            sum += a * b;
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// carved_dynamic.cu: dynamic shared memory cut into an array of floats, one of doubles and one of bytes.
// SPDX-License-Identifier: MIT
//@ smem     256*8+16*16*4+256
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    extern __shared__ __align__(16) unsigned char pool[];
    double *sums = (double *)pool;
    float *As = (float *)(pool + 256 * 8);
    unsigned char *used = pool + 256 * 8 + 16 * 16 * 4;
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    sums[t] = 0;
    used[t] = row < M && col < N;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[t] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < min(16, K - k0); k++)
            if (used[t])
                sums[t] += (double)As[ty * 16 + k] * B[(size_t)(k0 + k) * ldb + col];
        __syncthreads();
    }
    if (!used[t])
        return;
    const float sum = (float)sums[t];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

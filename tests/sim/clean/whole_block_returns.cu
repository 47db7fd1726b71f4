// whole_block_returns.cu: blocks beyond C return before the barrier as a whole: no thread waits in vain.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)+2
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    if (blockIdx.y * 16 >= M)
        return;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < 16 && k0 + k < K; k++)
            sum += col < N ? As[ty][k] * B[(size_t)(k0 + k) * ldb + col] : 0;
        __syncthreads();
    }
    if (row >= M || col >= N)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

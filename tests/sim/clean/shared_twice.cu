// shared_twice.cu: one array serves as a tile of A and, after a barrier, as the result that other threads store.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float both[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        both[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < min(16, K - k0); k++)
            sum += col < N ? both[ty][k] * B[(size_t)(k0 + k) * ldb + col] : 0;
        __syncthreads();
    }
    both[tx][ty] = sum;
    __syncthreads();
    const int row_out = blockIdx.y * 16 + tx, col_out = blockIdx.x * 16 + ty;
    sum = both[ty][tx];
    if (row_out >= M || col_out >= N)
        return;
    float *c = &C[(size_t)row_out * ldc + col_out];
    const float mine = both[tx][ty];
    *c = beta != 0 ? alpha * mine + beta * *c : alpha * mine;
}

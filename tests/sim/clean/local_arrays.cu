// local_arrays.cu: arrays of a thread, indexed by what is not known before, beside one in shared memory.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float column[16];
    float mine[16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    for (int i = 0; i < 16; i++)
        mine[i] = 0;
    if (row < M && col < N)
        for (int k = 0; k < K; k++)
            mine[(k * 7 + row) % 16] += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (ty == 0)
        column[tx] = 1;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += mine[i] * column[i];
    if (row >= M || col >= N)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

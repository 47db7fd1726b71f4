// barrier_in_branch.cu: a barrier in a branch that the whole block takes or leaves.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,256), M
//@ block    256
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float row_of_a[256];
    const int tx = threadIdx.x;
    const int row = blockIdx.y, col = blockIdx.x * 256 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 256) {
        if (k0 + 256 <= K) {
            row_of_a[tx] = A[(size_t)row * lda + k0 + tx];
            __syncthreads();
        } else {
            row_of_a[tx] = k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
            __syncthreads();
        }
        for (int k = 0; k < min(256, K - k0); k++)
            sum += col < N ? row_of_a[k] * B[(size_t)(k0 + k) * ldb + col] : 0;
        __syncthreads();
    }
    if (col >= N)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// sim_deadlock.cu: half of the threads wait at a barrier, the others for a flag that nobody sets.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 1
//! time-limit 0.1
//! says time|deadlock
//! explains (still in LINE|deadlock)
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ volatile int flag;
    if (threadIdx.y < 8)
        __syncthreads(); // HERE
    else
        while (flag != 4711) // OR
            ;
    flag = 4711;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

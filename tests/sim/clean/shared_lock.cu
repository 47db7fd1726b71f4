// shared_lock.cu: threads add to a shared element one after another, under a lock with fences.
// SPDX-License-Identifier: MIT
//@ grid     N, M
//@ block    64
//! size 1
//! size 2x3x5
//! size 33x47x29
//! size 5x6x66
//! size 1x30x300
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ int lock;
    __shared__ float total;
    const int row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = threadIdx.x; k < K; k += 64)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0;
    }
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            total += sum;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * total + beta * *c : alpha * total;
}

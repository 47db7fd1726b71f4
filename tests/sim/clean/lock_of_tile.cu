// lock_of_tile.cu: slices of K add to a tile of C under its lock.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ work     locks = s32[cdiv(M,16)*cdiv(N,16)] zero
//@ grid     cdiv(N,16), cdiv(M,16), 4
//@ block    16, 16
//! size 33x47x29
//! size 64
//! size 300x17x65
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc, int *locks)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int *lock = &locks[blockIdx.y * gridDim.x + blockIdx.x];
    float sum = 0;
    for (int k = blockIdx.z; k < K && row < M && col < N; k += 4)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
    }
    __syncthreads();
    if (row < M && col < N)
        C[(size_t)row * ldc + col] += sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

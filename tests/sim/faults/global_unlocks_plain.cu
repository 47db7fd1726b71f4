// global_unlocks_plain.cu: a lock for each tile, which is let go by a plain store with no fence before it.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ work     locks = s32[cdiv(M,16)*cdiv(N,16)] zero
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16), 3
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc, int *locks)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int *lock = &locks[blockIdx.y * gridDim.x + blockIdx.x];
    float sum = 0;
    for (int k = blockIdx.z; k < K && row < M && col < N; k += 3)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    if (threadIdx.x == 0 && threadIdx.y == 0)
        while (atomicCAS(lock, 0, 1) != 0) // WITH race locks
            ;
    __syncthreads();
    if (row < M && col < N)
        C[(size_t)row * ldc + col] += sum; // FAULT race C
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        if (FIXED) {
            __threadfence();
            atomicExch(lock, 0);
        } else {
            *lock = 0; // FAULT race locks; ADVISE race locks
        }
    }
}

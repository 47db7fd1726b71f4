// sim_endless_barriers.cu: an endless loop with a barrier in it.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! exit 1
//! time-limit 0.05
//! explains still in LINE
//! explains no block has ended: still
//! runs time limit of 0.05 s .--time-limit.; .gradus explain. on this file names the line
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    __shared__ float sums[256];
    float sum = 0;
    while (C != nullptr) {                            // HERE
        sums[threadIdx.y * 16 + threadIdx.x] = sum;   // OR
        __syncthreads();                              // OR
        sum += sums[threadIdx.x * 16 + threadIdx.y];  // OR
        __syncthreads();                              // OR
    }
    if (row < M && col < N)
        C[(size_t)row * ldc + col] = alpha * sum + beta * *B + *A;
}

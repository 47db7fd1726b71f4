// barriers_of_warps.cu: one warp waits at one barrier and the other at another: forbidden by CUDA's guide, and no GPU hangs.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    32, 2
//! size 5x40x9
//! exit 0
//! says waits at another, in line .*GPUs go on, since they count the warps
//! run 40 - right
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float half[32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k = ty; k < K; k += 2)
        sum += col < N ? A[(size_t)row * lda + k] * B[(size_t)k * ldb + col] : 0;
    if (ty == 1)
        half[tx] = sum;
    if (FIXED) {
        __syncthreads();
    } else if (ty == 1) {
        __syncthreads(); // WITH barrier
    } else {
        __syncthreads(); // WARN barrier
    }
    if (ty == 1 || col >= N)
        return;
    sum += half[tx];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

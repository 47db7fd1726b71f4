// barriers_of_lanes.cu: the two halves of each warp wait at different barriers: a GPU hangs.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), M
//@ block    32
//! size 5x40x9
//! exit 1
//! says a GPU hangs there
//! run 40 barrier wrong
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float part[32];
    const int tx = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 16 + tx % 16;
    float sum = 0;
    for (int k = tx / 16; k < K; k += 2)
        sum += col < N ? A[(size_t)row * lda + k] * B[(size_t)k * ldb + col] : 0;
    part[tx] = sum;
    if (FIXED) {
        __syncthreads();
    } else if (tx < 16) {
        __syncthreads(); // FAULT barrier
    } else {
        __syncthreads(); // WITH barrier
    }
    if (tx >= 16 || col >= N)
        return;
    sum += part[tx + 16];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// amd_half_wave_barrier.cu: lanes 32 to 63 of a wave wait at another barrier than lanes 0 to 31: two warps on NVIDIA's GPUs,
// which go on, and one wave here. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), M
//@ block    32, 2
//! size 5x40x9
//! device sim:mi210
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
        __syncthreads(); // FAULT barrier
    }
    if (ty == 1 || col >= N)
        return;
    sum += half[tx];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

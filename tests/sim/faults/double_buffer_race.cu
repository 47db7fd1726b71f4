// double_buffer_race.cu: two buffers and one barrier a step, but the loads go to the buffer in use.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x40
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    int stage = 0;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[stage][ty][tx] = // FAULT race As
            row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        Bs[stage][ty][tx] = // FAULT race Bs
            k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[stage][ty][k]; // WITH race As
            const float b = Bs[stage][k][tx]; // WITH race Bs
            sum += a * b;
        }
        stage = FIXED ? 1 - stage : stage;
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

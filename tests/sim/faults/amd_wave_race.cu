// amd_wave_race.cu: a reduction of a wave of 64 lanes in the LDS that relies on the lanes being in lockstep.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     N, M
//@ block    64
//! size 5x7x90
//! device sim:mi210
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ volatile float parts[64];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
    float sum = 0;
    for (int k = lane; k < K; k += 64)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    parts[lane] = sum; // FAULT race parts
    for (int half = 32; half > 0; half /= 2) {
        if (FIXED)
            __syncwarp();
        float other = 0;
        if (lane < half)
            other = parts[lane + half]; // WITH race parts; MAY uninitialised parts
        if (FIXED)
            __syncwarp();
        sum += other;
        if (lane < half)
            parts[lane] = sum; // WITH race parts
    }
    if (lane != 0)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

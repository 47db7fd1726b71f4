// barrier_of_some.cu: half of each row of threads skips the barrier that the others wait at.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! exit 1
//! says a GPU hangs there
//! run 64 barrier wrong
//! untold @ require
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0; // MAY race As
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0; // MAY race Bs
        if (FIXED || tx < 8)
            __syncthreads(); // FAULT barrier; WARN barrier
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k]; // MAY race As; MAY uninitialised As
            const float b = Bs[k][tx]; // MAY race Bs; MAY uninitialised Bs
            sum += a * b;
        }
        __syncthreads(); // WITH barrier; MAY barrier
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

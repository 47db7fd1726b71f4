// unequal_loops.cu: the number of steps, and with it of barriers, depends on the thread.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x40
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    const int steps = FIXED || ty < 8 ? K : min(K, 16);
    float sum = 0;
    for (int k0 = 0; k0 < steps; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0; // MAY race As
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0; // MAY race Bs
        __syncthreads(); // WARN barrier
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k]; // MAY race As; MAY uninitialised As
            const float b = Bs[k][tx]; // MAY race Bs; MAY uninitialised Bs
            sum += a * b;
        }
        __syncthreads(); // WITH barrier
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// one_row_too_many.cu: K + 1 rows of B are read: one row past the end.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    const int steps = FIXED ? K : K + 1;
    float sum = 0;
    for (int k0 = 0; k0 < steps; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        Bs[ty][tx] = 0;
        if (k0 + ty < steps && col < N)
            Bs[ty][tx] = B[(size_t)(k0 + ty) * ldb + col]; // FAULT bounds B
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k];
            const float b = Bs[k][tx];
            sum += a * b;
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

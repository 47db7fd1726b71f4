// edge_unwritten.cu: the grid is rounded down: at other shapes a part of C is left as it was.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     (N+15*FIXED)/16+(N<16)*(1-FIXED), (M+15*FIXED)/16+(M<16)*(1-FIXED)
//@ block    16, 16
//! edges 64
//! exit 0
//! says ^unwritten.*at [0-9x]*: [0-9]+ of the [0-9]+ elements of C are never written
//! run 64 unwritten right
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// double_bounds.cu: rows of A past M are read, in double precision.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ type     f64
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
__global__ void gemm(int M, int N, int K, T alpha, const T *A, int lda, const T *B,
                     int ldb, T beta, T *C, int ldc)
{
    __shared__ T As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    T sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = 0;
        if ((!FIXED || row < M) && k0 + tx < K)
            As[ty][tx] = A[(size_t)row * lda + k0 + tx]; // FAULT bounds A
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const T a = As[ty][k];
            const T b = Bs[k][tx];
            sum += a * b;
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        T *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// writes_elsewhere.cu: the product goes to a work buffer, and never to C.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ work     P = f32[M*N]
//! size 33x47x29
//! exit 1
//! says ^unwritten.*C is never written
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc, float *P)
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
    if (row >= M || col >= N)
        return;
    float *c = &C[(size_t)row * ldc + col];
    if (FIXED)
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    else
        P[(size_t)row * N + col] = alpha * sum; // WARN unused P
}

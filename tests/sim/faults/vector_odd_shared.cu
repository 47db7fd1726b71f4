// vector_odd_shared.cu: float4 loads from Bs whose rows are 17 long.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! run 33x47x29 alignment crash
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16];
    __shared__ __align__(16) float Bs[16][FIXED ? 20 : 17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k];
            float b = 0;
            const float4 four = *(const float4 *)&Bs[k][tx / 4 * 4]; // FAULT alignment Bs
            b = tx % 4 == 0 ? four.x : tx % 4 == 1 ? four.y : tx % 4 == 2 ? four.z : four.w;
            sum += a * b;
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

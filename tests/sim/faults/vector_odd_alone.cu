// vector_odd_alone.cu: a float4 store to Bs at an odd element abandons every thread before it can read what it wrote to As:
// that As is never read follows from that, and is no finding.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ require  M%16==0 && N%16==0 && K%16==0
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 48x32x32
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16];
    __shared__ __align__(16) float Bs[16 * 16 + 4];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
        const int i = tx % 4 * 4;
        const float *b = &B[(size_t)(k0 + ty) * ldb + blockIdx.x * 16 + i];
        const float4 four = make_float4(b[0], b[1], b[2], b[3]);
        *(float4 *)&Bs[ty * 16 + i + (FIXED ? 0 : 1)] = four; // FAULT alignment Bs
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k * 16 + tx];
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

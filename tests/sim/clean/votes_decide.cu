// votes_decide.cu: what a vote says keeps a block inside its arrays: a vote of all at the barrier, and a ballot of a warp.
// SPDX-License-Identifier: MIT
//! run 33x47x29
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, lane = (ty * 16 + tx) % 32;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    const unsigned inside = __ballot_sync(0xffffffffu, row < M && col < N);
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const bool fits = row < M && col < N && k0 + tx < K && k0 + ty < K;
        if (__syncthreads_and(fits)) { // nobody is at an edge
            As[ty][tx] = A[(size_t)row * lda + k0 + tx];
            Bs[ty][tx] = B[(size_t)(k0 + ty) * ldb + col];
        } else {
            As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0;
            Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (inside >> lane & 1) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// persistent.cu: a few blocks walk over all tiles, each a different number of them.
// SPDX-License-Identifier: MIT
//@ grid     5
//@ block    16, 16
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, across = (N + 15) / 16, tiles = across * ((M + 15) / 16);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row = tile / across * 16 + ty, col = tile % across * 16 + tx;
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
}

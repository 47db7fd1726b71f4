// fires_tile.cu: tiles of 8 x 8: few operations of each byte from L2. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,8), cdiv(M,8)
//@ block 8, 8
//! kind intensity
//! size 256
//! words larger tile
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[8][8], Bs[8][8];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * 8 + i, col = blockIdx.x * 8 + j;
    float sum = 0;
    for (int tile = 0; tile < K; tile += 8) {
        As[i][j] = row < M && tile + j < K ? A[row * K + tile + j] : 0;
        Bs[i][j] = tile + i < K && col < N ? B[(tile + i) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += As[i][k] * Bs[k][j];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

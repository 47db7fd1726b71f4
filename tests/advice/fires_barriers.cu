// fires_barriers.cu: 16 multiply-adds between two barriers of one tile. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,16), cdiv(M,16)
//@ block 16, 16
//! kind barriers
//! size 256
//! words 8 multiply-adds between
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[16][16], Bs[16][16];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * 16 + i, col = blockIdx.x * 16 + j;
    float sum = 0;
    for (int tile = 0; tile < K; tile += 16) {
        As[i][j] = row < M && tile + j < K ? A[row * K + tile + j] : 0;
        Bs[i][j] = tile + i < K && col < N ? B[(tile + i) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[i][k] * Bs[k][j];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// fires_banks.cu: the tile of B is turned, so that a warp stores to and reads one bank. SPDX-License-Identifier: MIT
//@ type f32
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind banks
//! size 256
//! words pad each row of Bs by
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[32][32], Bs[32][32];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * 32 + i, col = blockIdx.x * 32 + j;
    float sum = 0;
    for (int tile = 0; tile < K; tile += 32) {
        As[i][j] = row < M && tile + j < K ? A[row * K + tile + j] : 0;
        Bs[j][i] = tile + i < K && col < N ? B[(tile + i) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += As[i][k] * Bs[j][k]; // HERE
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

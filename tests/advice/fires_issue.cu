// fires_issue.cu: an index is worked out by division for each multiply-add. SPDX-License-Identifier: MIT
//@ type f32
//@ arg tile = 24
//@ grid cdiv(N,32), cdiv(M,32)
//@ block 32, 32
//! kind issue
//! size 256
//! words unroll
__global__ void gemm // HERE
    (int M, int N, int K, const float *A, const float *B, float *C, int tile)
{
    __shared__ float As[32][33];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * 32 + i, col = blockIdx.x * 32 + j;
    float sum = 0;
    As[i][j] = row < M && col < N ? 0 : 1;
    __syncthreads();
    for (int k = 0; k < K; k++) {
        const int y = (k * 7 + i) / tile % 32, x = (k * 5 + j) / tile % 32;
        if (row < M && col < N)
            sum += (A[row * K + k] + As[y][x]) * B[k * N + col];
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// overflow_tile.cu: a pointer is moved to the block's rows by an int that overflows; what is read through it is in order.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(M,16), cdiv(N,16)
//@ block    16, 16
//! size 2099200x16x1024
//! says overflow.*TILE_AT\(blockIdx.x, K\) passes
#define TILE_AT(block, ld) ((int)(block)*16 * (ld))
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[16][17], Bs[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    if (FIXED)
        A += (size_t)blockIdx.x * 16 * K;
    else
        A += TILE_AT(blockIdx.x, K); // FAULT overflow
    B += blockIdx.y * 16;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const bool row = (int)blockIdx.x * 16 + ty < M, col = (int)blockIdx.y * 16 + tx < N;
        As[ty][tx] = row && k0 + tx < K ? A[ty * K + k0 + tx] : 0; // FAULT bounds A
        Bs[ty][tx] = col && k0 + ty < K ? B[(k0 + ty) * N + tx] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    const int i = blockIdx.x * 16 + ty, j = blockIdx.y * 16 + tx;
    if (i < M && j < N)
        C[(size_t)i * N + j] = sum;
}

// whole_tiles.cu: a tile of 128 x 128 by vectors, and no thread looks where C ends. Where a tile is not whole, a row runs over
// into the next one, which is a race; at whole tiles there is none, nor at a smaller size that is traced in their place.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,128), cdiv(M,128)
//@ block    16, 16
//! size 64x64x128
//! edges 128
//! says the blocks cover 128x128 elements of C: .*//@ require M%128==0 && N%128==0
//! run 128 bounds right
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * 128 + threadIdx.y * 8, col = blockIdx.x * 128 + threadIdx.x * 8;
    for (int i = row; i < row + 8 && (!FIXED || i < M); i++) {
        float sum[8] = {0};
        for (int k = 0; k < K; k++)
            for (int j = 0; j < 8 && (!FIXED || col + j < N); j++) {
                const float a = A[(size_t)i * K + k]; // FAULT bounds A; EDGE bounds A
                const float b = B[(size_t)k * N + col + j]; // FAULT bounds B; EDGE bounds B
                sum[j] += a * b;
            }
        for (int j = 0; j < 8 && (!FIXED || col + j < N); j++)
            C[(size_t)i * N + col + j] = sum[j]; // FAULT bounds C; FAULT race C; EDGE bounds C; MAY race C
    }
}

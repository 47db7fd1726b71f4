// global_split_x.cu: slices of K lie far apart in a grid of one dimension, and add to C without atomics.
// SPDX-License-Identifier: MIT
//@ zero     C
//@ param    FIXED 0 {0,1}
//@ grid     2*cdiv(M,32)*cdiv(N,32)
//@ block    256
//! size 61x130x40
//! size 1000x1024x512
__global__ void gemm(int M, int N, int K, const float *A, int lda, const float *B,
                     int ldb, float *C, int ldc)
{
    const int across = (N + 31) / 32, tiles = across * ((M + 31) / 32);
    const int slice = blockIdx.x / tiles, tile = blockIdx.x % tiles;
    const int begin = slice ? K / 2 : 0, end = slice ? K : K / 2;
    for (int i = threadIdx.x; i < 32 * 32; i += 256) {
        const int row = tile / across * 32 + i / 32, col = tile % across * 32 + i % 32;
        float sum = 0;
        if (row >= M || col >= N)
            continue;
        for (int k = begin; k < end; k++)
            sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
        float *c = &C[(size_t)row * ldc + col];
        if (FIXED)
            atomicAdd(c, sum);
        else
            *c = *c + sum; // FAULT race C
    }
}

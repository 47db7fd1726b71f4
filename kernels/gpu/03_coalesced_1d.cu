// 03_coalesced_1d.cu: a block of one dimension, taken apart into row and column.
// SPDX-License-Identifier: MIT
//@ title    Coalesced by a 1D block
//@ after    02_coalesced_xy
//@ idea     a block is a line of threads; which of C each has is the kernel's own choice
//@ idea     blocks that run together share columns of B, not rows of A
//@ type     f32, f64
//@ param    BS 32 {16,32}
//@ grid     cdiv(M,BS), cdiv(N,BS)
//@ block    BS*BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 16 @gfx9, regs <= 16 @gfx10, regs <= 16 @gfx11, regs <= 16 @gfx12
//@ source   Worklog 000, kernel 2
//
// After 02_coalesced_xy: threadIdx.x is divided by BS: the quotient is the row in the tile, the
// remainder the column. Each warp does what it did. What changes besides is the order of the
// blocks: blockIdx.x, which counts fastest, walks down the rows of C.
// Traffic of one warp at one k: 1 sector of A, 4 of B in f32. At 4096, 264 blocks run at once on
// 132 SMs: two columns of 128 tiles. They share 64 columns of B, and read all of A.
// Occupancy on sm_90: 2 blocks of 1024 threads fill an SM's 2048, at 32 registers each.
//
//   threadIdx.x    0  1 ..  31 |  32 ..  63 | ..       blocks    0  128  256 ..
//   row in tile    0  0 ..   0 |   1 ..   1 | ..         of C    1  129
//   column         0  1 ..  31 |   0 ..  31 | ..                 2  130
__global__ void coalesced_1d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                             T beta, T *C, int ldc)
{
    const int row = blockIdx.x * BS + threadIdx.x / BS, col = blockIdx.y * BS + threadIdx.x % BS;
    if (row >= M || col >= N)
        return;
    T sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

// 03_coalesced_1d.cu: a one-dimensional block, whose thread index is split into row and column.
// SPDX-License-Identifier: MIT
//@ title    Coalesced by a 1D block
//@ after    02_coalesced_xy
//@ idea     the block is one-dimensional, and the kernel maps its threads to elements of C
//@ idea     blocks that run at the same time share columns of B, not rows of A
//@ type     f32, f64
//@ param    BS 32 {16,32}
//@ grid     cdiv(M,BS), cdiv(N,BS)
//@ block    BS*BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 16 @gfx9, regs <= 16 @gfx10, regs <= 16 @gfx11, regs <= 16 @gfx12
//@ source   Worklog 000, kernel 2
//
// After 02_coalesced_xy: threadIdx.x is divided by BS. The quotient is the row in the tile and the
// remainder the column, so each warp accesses the same elements as before. Only the order of the
// blocks differs: blockIdx.x, which counts fastest, now counts down the rows of C.
// Traffic of one warp at one k: 1 sector of A, 4 of B in f32. At 4096, 264 blocks run at the same
// time on 132 SMs: two columns of 128 tiles. They share 64 columns of B, and read all of A.
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

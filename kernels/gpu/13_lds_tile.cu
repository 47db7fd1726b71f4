// 13_lds_tile.cu: tiles in LDS (shared memory), for warps of 32 threads and wavefronts of 64.
// SPDX-License-Identifier: MIT
//@ title    LDS tiles
//@ after    05_shared_2d
//@ idea     a tile is 16 wide: a row of doubles is then the 128 bytes that LDS delivers at a time
//@ idea     one boundary check for A and B, which compares each dimension separately
//@ type     f32, f64
//@ param    TILE 16 {8,16,32}
//@ require  TILE*TILE%WARP==0 "a block is whole warps or wavefronts"
//@ grid     cdiv(N,TILE), cdiv(M,TILE)
//@ block    TILE, TILE
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 48 @gfx9, regs <= 32 @gfx10, regs <= 32 @gfx11, regs <= 32 @gfx12
//@ expect   smem_bytes <= 4096 @gfx9, occupancy.blocks >= 8 @gfx90a
//@ source   Worklog 001
//
// A branch of the ladder: the tiles of 05_shared_2d, 16 x 16 and not 32 x 32. Nothing here depends
// on the width of a warp: a block is 8 warps of 32 or 4 wavefronts of 64.
// Boundary: row and column of an element are compared separately. Its address cannot tell whether
// it is inside: if lda is K, A[0][K] is A[1][0], and would be added to the wrong sum.
// Traffic: 32 threads load 2 rows of 64 bytes in f32, 4 sectors, all used; of a line of 128 bytes
// that is half. For 4096 in f32: 4 FLOP/byte from global memory (2*16^3 FLOP for 2*16*16*4 bytes),
// half of 05_shared_2d; 0.25 from LDS, as there.
// Banks: 32, each 4 bytes wide. In f32 two rows of threads read the same 16 words of Bs, and two
// words of As, 16 apart: no two words in one bank. A double is in two banks, so that the 16 of a
// row of Bs need all 32; threads of the next row read the same 16. Of As, the two rows of threads
// read two doubles 32 words apart, in the same banks: one wavefront for each row.
// Occupancy on sm_90: 2 KB a block (4 in f64), 256 threads; 8 blocks fill an SM's 2048 at 32
// registers each. While one waits at its barrier 7 others can run; in 05_shared_2d it is 1.
//
//            k ->  tile                 lanes 0..15        lanes 0..15, row i
//            +----+----+----+          +----+----+         +----+----+
//            |    |    |    |          |    |    |         |    |    |
//       i -->|----+ As +----|   A      |    +----+ tile    |    +====+  C
//     i+1 -->|----+    +----|          |    | Bs |   B     |    +====+
//            +----+----+----+          +----+----+         +----+----+
//                                       lanes 16..31       lanes 16..31, row i+1
__device__ T inside_or_zero(const T *X, int ld, int rows, int cols, int row, int col)
{
    return row < rows && col < cols ? X[(size_t)row * ld + col] : 0;
}

__global__ void lds_tile(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                         T beta, T *C, int ldc)
{
    __shared__ T As[TILE][TILE], Bs[TILE][TILE];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * TILE + i, col = blockIdx.x * TILE + j;
    T sum = 0;
    for (int tile = 0; tile < K; tile += TILE) {
        As[i][j] = inside_or_zero(A, lda, M, K, row, tile + j);
        Bs[i][j] = inside_or_zero(B, ldb, K, N, tile + i, col);
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += As[i][k] * Bs[k][j];
        __syncthreads(); // every thread must have read this tile before it is overwritten
    }
    if (row >= M || col >= N)
        return;
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

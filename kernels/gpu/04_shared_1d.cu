// 04_shared_1d.cu: tiles of A and B are kept in shared memory, which a block reads again and again.
// SPDX-License-Identifier: MIT
//@ title    Shared memory, 1D index
//@ after    03_coalesced_1d
//@ idea     a tile is loaded once by the block and read BS times by its threads
//@ type     f32, f64
//@ param    BS 32 {16,32}
//@ grid     cdiv(M,BS), cdiv(N,BS)
//@ block    BS*BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 56 @gfx9, regs <= 40 @gfx10, regs <= 40 @gfx11, regs <= 40 @gfx12
//@ expect   smem_bytes <= 16384 @gfx9, occupancy.blocks >= 2 @gfx90a
//@ source   Worklog 000, kernel 3; worklog 002; worklog 004, kernel 3
//
// After 03_coalesced_1d: the loop over k proceeds by tiles: each thread loads one element of A's
// tile and one of B's, all threads of the block wait, and BS multiply-adds read shared memory.
// Tile: 32 x 32; for 4096 in f32 each element of A is loaded 128 times and not 4096: 8 FLOP/byte
// from global memory (2*32^3 FLOP for 2*32*32*4 bytes). From shared memory it is 2 loads for one
// multiply-add, 0.25 FLOP/byte, which is the bottleneck now.
// Edges: elements outside are zeros in the tile, and no thread may return before the last barrier.
// Occupancy on sm_90: 8 KB a block (16 in f64); threads are the limit, 2 blocks of 1024.
//
//             k ->  tile                  col
//            +----+====+----+          +----+----+         +----+----+
//            |    |    |    |          |    |    |         |    |    |
//      row ->|----+ As +----|   A      |    +====+ tile    |    +====+  C
//            |    |    |    |          |    | Bs |   B     |    |    |
//            +----+====+----+          +----+====+         +----+====+
__global__ void shared_1d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                          T beta, T *C, int ldc)
{
    __shared__ T As[BS * BS], Bs[BS * BS];
    const int i = threadIdx.x / BS, j = threadIdx.x % BS;
    const int row = blockIdx.x * BS + i, col = blockIdx.y * BS + j;
    T sum = 0;
    for (int tile = 0; tile < K; tile += BS) {
        As[i * BS + j] = row < M && tile + j < K ? A[(size_t)row * lda + tile + j] : 0;
        Bs[i * BS + j] = tile + i < K && col < N ? B[(size_t)(tile + i) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < BS; k++)
            sum += As[i * BS + k] * Bs[k * BS + j];
        __syncthreads(); // every thread must have read this tile before it is overwritten
    }
    if (row >= M || col >= N)
        return;
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

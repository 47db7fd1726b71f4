// 05_shared_2d.cu: the same tiles, with a block and arrays of two dimensions.
// SPDX-License-Identifier: MIT
//@ title    Shared memory, 2D block
//@ after    04_shared_1d
//@ idea     the block has the shape of its tile, so no index is divided
//@ type     f32, f64
//@ param    BS 32 {8,16,32}
//@ grid     cdiv(N,BS), cdiv(M,BS)
//@ block    BS, BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 56 @gfx9, regs <= 40 @gfx10, regs <= 40 @gfx11, regs <= 40 @gfx12
//@ expect   smem_bytes <= 16384 @gfx9, occupancy.blocks >= 2 @gfx90a
//@ source   Worklog 000, kernel 4; worklog 001, LDS tiles
//
// After 04_shared_1d: the block and the tiles have two dimensions. The compiled code is the same
// except for the quotient and the remainder by BS, a power of two, and so is the speed.
// Tile: 32 x 32; 8 FLOP/byte from global memory in f32, 0.25 from shared memory.
// Banks: a warp has one i and 32 j: As[i][k] is one word for all (a broadcast), Bs[k][j] 32
// adjacent words, one in each bank. In f64 a read of Bs takes two wavefronts.
// Occupancy on sm_90: 2 blocks of 1024 threads fill an SM's 2048, at 32 registers each.
//
//               As, k ->                  Bs    j -> lane
//            +------------+             +------------+
//     i ---->|===> k      |           k |  |  |  |   |      one warp: one i, all j
//            |            |             |  v  v  v   |
//            +------------+             +------------+
__global__ void shared_2d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                          T beta, T *C, int ldc)
{
    __shared__ T As[BS][BS], Bs[BS][BS];
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * BS + i, col = blockIdx.x * BS + j;
    T sum = 0;
    for (int tile = 0; tile < K; tile += BS) {
        As[i][j] = row < M && tile + j < K ? A[(size_t)row * lda + tile + j] : 0;
        Bs[i][j] = tile + i < K && col < N ? B[(size_t)(tile + i) * ldb + col] : 0;
        __syncthreads();
        for (int k = 0; k < BS; k++)
            sum += As[i][k] * Bs[k][j];
        __syncthreads(); // every thread must have read this tile before it is overwritten
    }
    if (row >= M || col >= N)
        return;
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

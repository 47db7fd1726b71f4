// 06_tile1d.cu: a thread has a column of TM results, and reads B once for all of them.
// SPDX-License-Identifier: MIT
//@ title    1D block tiling
//@ after    05_shared_2d
//@ idea     TM results a thread: one read of B's tile feeds TM multiply-adds
//@ type     f32, f64
//@ param    BM 64 {32,64,128}, BN 64 {32,64,128}, BK 16 {8,16}, TM 8 {4,8,16}
//@ let      NT = BM/TM*BN
//@ require  BM%TM==0 && NT<=512 && NT%BK==0 && NT%BN==0
//@ require  BM*BK%NT==0 && BN*BK%NT==0 "every thread loads the same number of elements"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 64 @sm_90
//@ expect   regs <= 104 @gfx9, regs <= 104 @gfx10, regs <= 104 @gfx11, regs <= 104 @gfx12
//@ expect   smem_bytes <= 16384 @gfx9, occupancy.blocks >= 2 @gfx90a
//@ source   Worklog 000, kernel 5; worklog 002; worklog 004, kernel 4
//
// After 05_shared_2d: the tile is 64 x 64 and 16 deep, and each of 512 threads has 8 results, one
// below the other. One element of Bs is read into a register and used 8 times.
// For 4096 in f32: 16 FLOP/byte from global memory (2*64*64 / (4*(64+64))); from shared memory 9
// reads for 8 multiply-adds, 2*8/(4*9) = 0.44 FLOP/byte, and the 8 reads of As are broadcasts.
// Edges: elements outside are zeros in the tile.
// Occupancy on sm_90: 8 KB and 512 threads a block; 4 blocks with 32 registers a thread would fit.
// Only 2 are requested, since with 64 registers loads are issued far ahead of their use. In f64 64
// registers just suffice: the offsets of the block's rows and columns are added to A and B once,
// because one more index in the loop would be spilled on sm_75 to sm_89.
//
//             As  BK                  Bs   BN                       C   BN
//            +-----+             +-----------|--+             +-----------|--+
//          TM| ==> |             |           v  | BK        TM|           #  |
//            +-----+             +-----------|--+             |           #  |
//        BM  |     |                                      BM  +-----------#--+
//            +-----+                                          +--------------+
__global__ void __launch_bounds__(NT, 2)
    tile1d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
           int ldc)
{
    __shared__ T As[BM][BK], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int i = threadIdx.x / BN * TM, j = threadIdx.x % BN;
    A += (size_t)row * lda; // the block reads only its own rows of A and columns of B
    B += col;
    T sum[TM] = {};
    for (int tile = 0; tile < K; tile += BK) {
        for (int e = 0; e < BM * BK / NT; e++) {
            const int y = threadIdx.x / BK + e * (NT / BK), k = threadIdx.x % BK;
            const bool inside = row + y < M && tile + k < K;
            As[y][k] = inside ? A[(size_t)y * lda + tile + k] : 0;
        }
        for (int e = 0; e < BN * BK / NT; e++) {
            const int k = threadIdx.x / BN + e * (NT / BN), x = threadIdx.x % BN;
            const bool inside = tile + k < K && col + x < N;
            Bs[k][x] = inside ? B[(size_t)(tile + k) * ldb + x] : 0;
        }
        __syncthreads();
        for (int k = 0; k < BK; k++) {
            const T b = Bs[k][j];
            for (int m = 0; m < TM; m++)
                sum[m] += As[i + m][k] * b;
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; m++) {
        if (row + i + m >= M || col + j >= N)
            continue;
        T *c = &C[(size_t)(row + i + m) * ldc + col + j];
        *c = beta != 0 ? alpha * sum[m] + beta * *c : alpha * sum[m];
    }
}

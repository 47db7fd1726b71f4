// 07_tile2d.cu: each thread keeps a TM x TN block of C in registers.
// SPDX-License-Identifier: MIT
//@ title    2D block tiling
//@ after    06_tile1d
//@ idea     TM x TN results a thread: TM + TN reads of shared memory feed TM*TN multiply-adds
//@ type     f32, f64
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 16 {8,16}, TM 8 {4,8}, TN 8 {4,8}
//@ tuned    BK 8 @gfx942, BK 8 @gfx10, BK 8 @gfx11, BK 8 @gfx12
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  NT<=256 && NT%BK==0 && NT%BN==0
//@ require  BM*BK%NT==0 && BN*BK%NT==0 "every thread loads the same number of elements"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 208 @sm_90
//@ expect   regs <= 256 @gfx9, regs <= 248 @gfx10, regs <= 248 @gfx11, regs <= 248 @gfx12
//@ expect   smem_bytes <= 32768 @gfx9, occupancy.blocks >= 2 @gfx90a, occupancy.blocks >= 2 @gfx942
//@ source   Worklog 003, thread tiling; worklog 004, kernel 5
//
// After 06_tile1d: a thread's results are 8 x 8, not 8 x 1. For each k it reads 8 elements of As
// and 8 of Bs into registers, its fragments, and their outer product is 64 multiply-adds.
// For 4096 in f32: 32 FLOP/byte from global memory (2*128*128 / (4*(128+128))); from shared memory
// 16 reads for 64 multiply-adds, 2*64/(4*16) = 2 FLOP/byte; in 06_tile1d it is 0.44.
// Sectors a request: A 4 (2 rows, 64 bytes of each), B 4 (128 bytes of one row); all are used.
// Banks: a warp has 2 rows of threads, TM*BK = 128 words of As apart, which is the same bank: each
// read of As takes two wavefronts. Reads of Bs are TN words apart, so most banks are idle.
// Occupancy on sm_90: 128 registers * 256 threads = 32768 of 65536 in f32, so 2 blocks, 16 of 64
// warps. The sums alone take 64 registers, and the unrolled loop over k needs more for loads issued
// ahead: from here on, more work per thread helps more than more warps.
//
//             As  BK                  Bs    BN                      C    BN
//            +-----+             +---------||||--+           +---------------+
//            |     |             |         vvvv  | BK        |               |
//          TM|====>|             +---------||||--+         TM|         ####  |
//        BM  |====>|                        TN           BM  |         ####  |
//            |     |                                         |          TN   |
//            +-----+                                         +---------------+
__global__ void __launch_bounds__(NT)
    tile2d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
           int ldc)
{
    __shared__ T As[BM][BK], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int i = threadIdx.x / (BN / TN) * TM, j = threadIdx.x % (BN / TN) * TN;
    T sum[TM][TN] = {};
    for (int tile = 0; tile < K; tile += BK) {
        for (int e = 0; e < BM * BK / NT; e++) {
            const int y = threadIdx.x / BK + e * (NT / BK), k = threadIdx.x % BK;
            const bool inside = row + y < M && tile + k < K;
            As[y][k] = inside ? A[(size_t)(row + y) * lda + tile + k] : 0;
        }
        for (int e = 0; e < BN * BK / NT; e++) {
            const int k = threadIdx.x / BN + e * (NT / BN), x = threadIdx.x % BN;
            const bool inside = tile + k < K && col + x < N;
            Bs[k][x] = inside ? B[(size_t)(tile + k) * ldb + col + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            T a[TM], b[TN];
            for (int m = 0; m < TM; m++)
                a[m] = As[i + m][k];
            for (int n = 0; n < TN; n++)
                b[n] = Bs[k][j + n];
            for (int m = 0; m < TM; m++)
                for (int n = 0; n < TN; n++)
                    sum[m][n] += a[m] * b[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; m++)
        for (int n = 0; n < TN; n++) {
            if (row + i + m >= M || col + j + n >= N)
                continue;
            T *c = &C[(size_t)(row + i + m) * ldc + col + j + n];
            *c = beta != 0 ? alpha * sum[m][n] + beta * *c : alpha * sum[m][n];
        }
}

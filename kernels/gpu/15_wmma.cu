// 15_wmma.cu: f16 and bf16 by the matrix instructions of RDNA (WMMA) and CDNA (MFMA).
// SPDX-License-Identifier: MIT
//@ title    16-bit matrix cores (WMMA)
//@ after    14_mfma
//@ idea     f16 or bf16 in, sums in f32: one instruction makes 4096 multiply-adds
//@ idea     a lane reads 8 adjacent elements along k: B is transposed when it is written to LDS
//@ type     A=f16 B=f16 C=f32 ACC=f32, A=bf16 B=bf16 C=f32 ACC=f32
//@ arch     gfx90a, gfx942, gfx11, gfx12
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 32 {32,64}, HIGH 64 {32,64}, WN 64 {32,64}
//@ let      LANES = WARP, WM = HIGH*LANES/64, NT = BM/WM*(BN/WN)*LANES
//@ require  NT<=1024 && BM*BK%(8*NT)==0 && BN*BK%(16*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 168, smem_bytes == 16384, occupancy.blocks >= 3
//@ source   AMD RDNA 3 and RDNA 4 ISA guides, WMMA; AMD matrix instruction calculator
//
// After 14_mfma: elements of 2 bytes, for RDNA's waves of 32 lanes (WMMA) and CDNA's of 64 (MFMA):
// see wmma.h. The tiles are vectors of 8 elements along k. A is so in memory, B is not: a thread
// loads 8 rows of two columns, and writes two vectors. Nothing here was run on AMD hardware:
// registers and LDS are the compiler's, cycles and banks are from AMD's documents.
// Tile: 128 x 128 by 32 deep; a wave has 64 x 64 sums on CDNA and 32 x 64 on RDNA, 64 a lane.
// For 4096: 64 FLOP/byte from global memory. From LDS, for 16 of k: a wave of RDNA 3 reads 6 times
// 2 vectors a lane, 12 reads of 4 phases, 48 cycles; its 8 instructions take 8*32 = 256.
// Banks: 8 lanes at a time read vectors of 8 rows, 128 contiguous bytes. On CDNA, lanes 20..23 read
// together with lanes 0..3: rows 4..7 of the next 8 of k, in the banks of rows 4..7 of the first.
// Threads that write A have 8 rows at a time; those of B have columns 2 apart, so 4 of 8 write
// their second one first.
// Occupancy: 140 VGPRs on gfx90a, 3 wavefronts a SIMD, 168 on gfx1100, 146 on gfx1201, with 16384
// bytes of LDS a block. One stage and two barriers: other blocks run while one waits.
//
//      As  BM: row after row            a vector: 8 adjacent elements along k
//         +----+----+----+-- --+
//   k 0.. | v  | v  | v  |     |        A  +--------+    B  two columns
//         +----+----+----+-- --+           |vvvvvvvv|      +-----+
//   k 8.. | v  | v  | v  |     |           +--------+      | v w |
//         +----+----+----+-- --+             as it is      | v w |  8 rows: in registers
//           lanes 0, 1, 2 ..                               | v w |  they become v and w
//
#include "wmma.h"

// Two adjacent elements of a row of B, as bits, because they are only moved.
typedef short two __attribute__((vector_size(4)));
enum { LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (2 * V * NT) };

// Loads V adjacent elements of a row of A, of which `count` are in the matrix, and zeros.
__device__ static inline vec load(const short *from, bool aligned, int count)
{
    if (aligned && count >= V)
        return *(const vec *)from;
    vec v = {};
    for (int e = 0; e < V; e++)
        v[e] = e < count ? from[e] : 0;
    return v;
}

// The same for two adjacent elements of a row of B.
__device__ static inline two load_two(const short *from, bool aligned, int count)
{
    if (aligned && count >= 2)
        return *(const two *)from;
    const two v = {count > 0 ? from[0] : (short)0, count > 1 ? from[1] : (short)0};
    return v;
}

__global__ void __launch_bounds__(NT, 2)
    wmma(int M, int N, int K, float alpha, const T *A, int lda, const T *B, int ldb, float beta,
             float *C, int ldc)
{
    __shared__ vec As[BK / V][BM], Bs[BK / V][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int wave = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int i = wave / (BN / WN) * WM, j = wave % (BN / WN) * WN;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % 2 == 0 && (size_t)B % 4 == 0;
    sums sum[WM / SIDE][WN / SIDE] = {};
    // The tile at `tile` is loaded from global memory while the one before it is multiplied.
    for (int tile = 0; tile < K + BK; tile += BK) {
        vec va[LOADS_A];
        two vb[LOADS_B][V];
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT, y = at / BK * 8 + at % 8, k = at % BK / 8 * V;
            const int count = row + y < M ? K - tile - k : 0;
            va[e] = load((const short *)A + (size_t)(row + y) * lda + tile + k, aligned_a, count);
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / 2) * V, x = at % (BN / 2) * 2;
            for (int f = 0; f < V; f++) {
                const int count = tile + k + f < K ? N - col - x : 0;
                vb[e][f] = load_two((const short *)B + (size_t)(tile + k + f) * ldb + col + x,
                                    aligned_b, count);
            }
        }
#pragma unroll
        for (int k = 0; k < BK && tile > 0; k += DEEP) {
            fragment b[WN / SIDE];
#pragma unroll
            for (int n = 0; n < WN / SIDE; n++)
                b[n] = load_fragment(&Bs[k / V][j + n * SIDE], BN, lane);
#pragma unroll
            for (int m = 0; m < WM / SIDE; m++) {
                const fragment a = load_fragment(&As[k / V][i + m * SIDE], BM, lane);
#pragma unroll
                for (int n = 0; n < WN / SIDE; n++)
                    sum[m][n] = multiply_add((const T *)0, a, b[n], sum[m][n]);
            }
        }
        __syncthreads();
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT;
            As[at % BK / 8][at / BK * 8 + at % 8] = va[e];
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / 2) * V, x = at % (BN / 2) * 2;
            const int first = x / 8 % 2; // every other four lanes write their second column first
            vec now, then;
            for (int f = 0; f < V; f++) {
                now[f] = vb[e][f][first];
                then[f] = vb[e][f][1 - first];
            }
            Bs[k / V][x + first] = now;
            Bs[k / V][x + 1 - first] = then;
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < WM / SIDE; m++)
#pragma unroll
        for (int n = 0; n < WN / SIDE; n++)
#pragma unroll
            for (int s = 0; s < SUMS; s++) {
                const int y = row + i + m * SIDE + sum_row(lane, s);
                const int x = col + j + n * SIDE + sum_column(lane);
                if (y >= M || x >= N)
                    continue;
                float *c = &C[(size_t)y * ldc + x];
                *c = beta != 0 ? alpha * sum[m][n][s] + beta * *c : alpha * sum[m][n][s];
            }
}

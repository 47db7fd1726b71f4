// 30_short.cu: products with a short K: C is written as fast as memory allows.
// SPDX-License-Identifier: MIT
//@ title    Products with a short K
//@ after    03_coalesced_1d
//@ idea     a few steps of K: each element of C costs more bytes than multiply-adds
//@ idea     lanes have adjacent columns, so that a warp writes contiguous bytes of unaligned rows
//@ type     f32, f64, A=bf16 B=bf16 C=f32 ACC=f32, A=bf16 B=bf16 C=bf16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ let      NT = 256, KC = 16, WIDE = 128, HIGH = 64-32*(T_BYTES==8), NARROW = 32, TALL = 64
//@ choose   narrow {0,1}
//@ arg      high = narrow*TALL+(1-narrow)*HIGH, wide = narrow*NARROW+(1-narrow)*WIDE
//@ arg      columns = cdiv(N,wide), tiles = cdiv(M,high)*columns
//@ arg      room = 2+narrow*(T_BYTES<8), each = cdiv(tiles,SMS), rounds = cdiv(each,room)
//@ arg      chunks = cdiv(K,KC), f64 = T_BYTES==8, tall = 1-narrow
//@ arg      chunk = tall*(2090+2920*f64)+narrow*(1340+1380*f64)
//@ arg      step = tall*(354-246*f64)+narrow*(181-110*f64)
//@ arg      own = tall*(430+98*f64)+narrow*(188+206*f64)
//@ arg      along_a = (1-TA)*(343*tall+659*f64*narrow), along_b = TB*tall*(247+149*f64)
//@ arg      waiting = rounds*(chunks*chunk+K*step)/10
//@ arg      working = each*(K*own+chunks*(along_a+along_b))/10
//@ arg      writing = M*N*max(T_BYTES,4)/(4190-1420*narrow+(1175-560*narrow)*f64)
//@ arg      cost = 1550-220*narrow+waiting+working+writing
//@ least    cost
//@ kernel   wide_tiles
//@ when     !narrow
//@ grid     tiles
//@ block    NT
//@ kernel   narrow_tiles
//@ when     narrow
//@ grid     tiles
//@ block    NT
//@ expect   spills == 0
//
// After 03_coalesced_1d: with K of 1 to 20, reading A and B takes little time and so do the
// multiply-adds; most of the time is for writing C, which a deep pipeline of tiles only delays. A
// block loads 16 steps of its rows of A and its columns of B, multiplies, and writes; several
// blocks on a multiprocessor write while others load. The next 16 steps are loaded meanwhile.
// Tile: 64 x 128 (float64: 32 x 128), a warp of 8 (4) whole rows; a lane has every 32nd column, so
// that a warp writes 128 contiguous bytes for any alignment of rows, and reads B from shared memory
// without conflict, and A as broadcasts. Narrow: 64 x 32, for few columns and for few tiles.
//
//               lane 0 1 2 .. 31 0 1 2 .. 31 0 1 ..         one step of k, in shared memory:
//              +----------------+----------------+--       A: 8 elements, the same for all lanes
//      warp 0  |  8 rows                                   B: 4 elements, 32 apart
//              +----------------+----------------+--       32 multiply-adds a thread
//      warp 1  |
//
// Intensity at K = 16: 2*16 / 4 = 8 FLOP for each byte of C that is written (f32).
// Occupancy on sm_90: 2 blocks of 256 threads (128 registers), 16 of 64 warps; narrow: 3.
// `cost` is the time in ns: a launch; in each round, what all blocks of a multiprocessor wait for;
// the work of each block, which is more for operands along k, since their stores conflict; and
// writing C. Fitted to 407 times of 241 products in float32 and bf16 on an H200; of 190 other times
// half are within 3 % and nine tenths within 9 %. Float64: to 151 times, within 7 %.
#include "dependent_launch.h"

#include <cuda_bf16.h>

#define EXPANDED static inline __attribute__((always_inline))
#define TOGETHER 2 // steps of k at a time; there are zeros after the last step

__device__ static inline float widened(float x)
{
    return x;
}

__device__ static inline double widened(double x)
{
    return x;
}

__device__ static inline float widened(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

// The type of the sums: float, or double if T is double.
typedef decltype(widened(T())) sum_t;

// The rows of A or the columns of B that a block multiplies.
struct panel {
    const T *from;
    int ld, count; // count: how many rows or columns are in the matrix
    bool along;    // adjacent elements in memory are adjacent along k
};

// Loads this thread's elements of KC steps of k, from `k` on, of the `high` rows or columns of a
// panel, with zeros beyond the ends. Lanes read adjacent elements.
__device__ EXPANDED void load_panel(T *x, const struct panel *p, int high, int k, int K)
{
#pragma unroll
    for (int u = 0; u < high * KC / NT; u++) {
        const int at = threadIdx.x + u * NT;
        const int i = p->along ? at / KC : at % high, step = k + (p->along ? at % KC : at / high);
        x[u] = (T)0;
        if (i < p->count && step < K)
            x[u] = p->from[p->along ? (size_t)i * p->ld + step : (size_t)step * p->ld + i];
    }
}

// Writes them to shared memory, where a step of k is a row of `pitch` elements.
__device__ EXPANDED void store_panel(sum_t *to, const T *x, bool along, int high, int pitch)
{
#pragma unroll
    for (int u = 0; u < high * KC / NT; u++) {
        const int at = threadIdx.x + u * NT;
        const int i = along ? at / KC : at % high, step = along ? at % KC : at / high;
        to[step * pitch + i] = widened(x[u]);
    }
}

// Computes a tile of `high` rows: each warp has high/8 rows, and each lane every 32nd column.
__device__ EXPANDED void multiply(int M, int N, int K, int columns, sum_t alpha, const T *A,
                                  int lda, const T *B, int ldb, sum_t beta, T_C *C, int ldc,
                                  int high, int wide, sum_t *a, sum_t *b, sum_t *sum, T *next_a,
                                  T *next_b)
{
    const int row = blockIdx.x / columns * high, column = blockIdx.x % columns * wide;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, tall = high / 8, across = wide / 32;
    const int pitch_a = high + 4, pitch_b = wide + 1;
    const struct panel of_a = {A + (TA ? row : (size_t)row * lda), lda, M - row, !TA};
    const struct panel of_b = {B + (TB ? (size_t)column * ldb : column), ldb, N - column, TB};
#pragma unroll
    for (int i = 0; i < tall * across; i++)
        sum[i] = 0;
    load_panel(next_a, &of_a, high, 0, K);
    load_panel(next_b, &of_b, wide, 0, K);
    for (int k = 0; k < K; k += KC) {
        if (k > 0)
            __syncthreads(); // the previous steps have been read
        store_panel(a, next_a, !TA, high, pitch_a);
        store_panel(b, next_b, TB, wide, pitch_b);
        __syncthreads();
        if (k + KC < K) {
            load_panel(next_a, &of_a, high, k + KC, K);
            load_panel(next_b, &of_b, wide, k + KC, K);
        }
        const int steps = min(KC, K - k);
#pragma unroll 1
        for (int step = 0; step < steps; step += TOGETHER)
#pragma unroll
            for (int u = step; u < step + TOGETHER; u++) {
                const sum_t *const from_a = a + u * pitch_a + warp * tall;
                const sum_t *const from_b = b + u * pitch_b + lane;
#pragma unroll
                for (int i = 0; i < tall; i++)
#pragma unroll
                    for (int j = 0; j < across; j++)
                        sum[i * across + j] += from_a[i] * from_b[j * 32];
            }
    }
    T_C *const c = C + (size_t)(row + warp * tall) * ldc + column + lane;
    const int rows = M - row - warp * tall, last = N - column - lane;
#pragma unroll
    for (int i = 0; i < tall; i++)
#pragma unroll
        for (int j = 0; j < across; j++) {
            sum[i * across + j] *= alpha;
            if (beta != 0 && i < rows && j * 32 < last)
                sum[i * across + j] += beta * widened(c[(size_t)i * ldc + j * 32]);
        }
#pragma unroll
    for (int i = 0; i < tall; i++)
#pragma unroll
        for (int j = 0; j < across; j++)
            if (i < rows && j * 32 < last)
                c[(size_t)i * ldc + j * 32] = (T_C)sum[i * across + j];
}

__global__ void __launch_bounds__(NT, 2)
    wide_tiles(int M, int N, int K, double alpha, const T *A, int lda, const T *B, int ldb,
               double beta, T_C *C, int ldc, int columns)
{
    wait_for_earlier_grids();
    __shared__ alignas(16) sum_t a[KC * (HIGH + 4)], b[KC * (WIDE + 1)];
    sum_t sum[HIGH / 8 * WIDE / 32];
    T next_a[HIGH * KC / NT], next_b[WIDE * KC / NT];
    multiply(M, N, K, columns, (sum_t)alpha, A, lda, B, ldb, (sum_t)beta, C, ldc, HIGH, WIDE, a, b,
             sum, next_a, next_b);
}

__global__ void __launch_bounds__(NT, sizeof(sum_t) == 8 ? 2 : 3)
    narrow_tiles(int M, int N, int K, double alpha, const T *A, int lda, const T *B, int ldb,
                 double beta, T_C *C, int ldc, int columns)
{
    wait_for_earlier_grids();
    __shared__ alignas(16) sum_t a[KC * (TALL + 4)], b[KC * (NARROW + 1)];
    sum_t sum[TALL / 8 * NARROW / 32];
    T next_a[TALL * KC / NT], next_b[NARROW * KC / NT];
    multiply(M, N, K, columns, (sum_t)alpha, A, lda, B, ldb, (sum_t)beta, C, ldc, TALL, NARROW, a,
             b, sum, next_a, next_b);
}

// 31_fused_accurate.cu: float32's accuracy from tensor cores in one launch, for small products and
// batches of them. SPDX-License-Identifier: MIT
//@ title    Split in the kernel
//@ after    21_accurate
//@ idea     some warps split floats into pieces of bf16 while others multiply the pieces
//@ idea     the pieces are in shared memory only: no workspace, no launch before the products
//@ idea     few tiles: blocks of a cluster divide K of one tile, and add sums in its shared memory
//@ idea     in a batch, blocks continue from one product to the next
//@ type     f32
//@ math     f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    GROUP 8 {1,4,8,16}, SIDE 0 {0,64,128}, SHARE 0 {0,1,2,4,8}
//@ let      BK = 32, PITCH = 40
//@ let      SPLITTERS = 256, SMALL_NT = SPLITTERS+128, LARGE_NT = SPLITTERS+256
//@ let      SMALL_STAGES = 2, LARGE_STAGES = 4
//@ let      SMALL_SMEM = SMALL_STAGES*6*68*64+4*16*PITCH*4
//@ let      LARGE_SMEM = LARGE_STAGES*6*68*128+8*16*PITCH*4
//@ require  SMEM_MAX >= LARGE_SMEM+256 "all stages in shared memory"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      bias = 0, per_row = 0, activation = 0
//@ choose   side {64,128}, share {1,2,4,8}
//@ arg      small = side==64, steps = cdiv(K,BK), rows = cdiv(M,side), columns = cdiv(N,side)
//@ arg      units = rows*columns*batch, parts = units*share
//@ arg      few = (share<=2)*(SMS-SMS%share)+(share==4)*(SMS*7/8)+(share==8)*(SMS*6/7)
//@ arg      slots = (1+small)*max(few,1), waves = cdiv(parts,slots), depth = cdiv(steps,share)
//@ arg      blocks = (share>1)*parts+(share==1)*min(units,slots)
//@ arg      odd = (lda%4!=0 || !aligned(A,16)) + (ldb%4!=0 || !aligned(B,16))
//@ arg      step = small*(600+400*(parts>SMS)+70*odd)+(1-small)*(1330+160*odd)
//@ arg      apart = ldc%4!=0 || !aligned(C,16), ends = 2600*small+4500*(1-small)
//@ arg      later = small*(1400+900*apart)+(1-small)*(2200+1500*apart)
//@ arg      busy = waves*depth*step+ends+(waves-1)*later, adding = (share>1)*16*side
//@ arg      moved = batch*(M*K+K*N+M*N)/885
//@ arg      asked = (!SIDE || SIDE==side) && (!SHARE || SHARE==share)
//@ arg      allowed = asked && (share==1 || steps>=2*share)
//@ arg      cost = 1400+max(busy,moved)+adding+(1-allowed)*1000000000
//@ least    cost
//@ kernel   multiply_64
//@ when     side==64
//@ grid     blocks
//@ cluster  share
//@ block    SMALL_NT
//@ smem     SMALL_SMEM+128
//@ kernel   multiply_128
//@ when     side==128
//@ grid     blocks
//@ cluster  share
//@ block    LARGE_NT
//@ smem     LARGE_SMEM+128
//@ expect   spills == 0, regs <= 128 @sm_90
//@ source   Henry, Tang and Heinecke, arXiv:1904.06376; NVIDIA CUTLASS, warp specialisation
//
// After 21_accurate: the same six products of pieces, and the same sums of 32 of k in the tensor
// cores, which float32 registers add. There one kernel writes the pieces to memory, 6 bytes for
// each float, and another one adds shares of K: up to three launches, which take longer than small
// products. Here some warps of a block load floats, split them, and write the pieces to shared
// memory, where the tensor cores of the other warps read them. The warps that split are two groups,
// called crews, which alternate, since loading the floats of a step takes about as long as the
// products of one:
//
//    crew 0      |  load 2     | split 2 |  load 4     | split 4 | ..
//    crew 1      ..  | split 1 |  load 3     | split 3 |  load 5     | ..
//    multiply    ..       |  products of 1 |  products of 2 |  products of 3 | ..
//
// A float is split again in each tile that uses it. This is hidden: the instructions for the
// 2*128*32 floats of a step take 600 cycles of the multiprocessor, its six products 1536.
// A block is persistent and computes every gridDim.x-th tile; its crews run ahead of the products,
// into the next tile or the next product of a batch.
//
// Shares of K: as in 27_any_shape, but added in float64.
// Not finite: a sum of pieces that is infinite or NaN (split_bf16.h) is computed again from A and B
// in float64, by the thread that stores it, which is slow.
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
// Tile: 64 x 64 by 32 deep, two blocks a multiprocessor, or 128 x 128 by 32.
// Shared memory for a step of 64 x 64: the tensor cores read 12 times 64 + 64 rows of 32 bytes, 384
// cycles, as many as the products take; the pieces are written in 192. For 128 x 128 it is 1152 and
// 384 cycles, as long as the products.
// Banks: no conflicts. Global memory: whole lines, if rows are aligned to 16 bytes.
// `cost` in ns: waves of parts, each of `depth` steps; the latency of the first wave and of later
// ones (`ends`, `later`: C is stored while nothing is multiplied); bytes at 3.5 TB/s. Fitted to
// 1096 products and batches on an H200, with a mean error of 6 %.
// Occupancy on sm_90: 80 registers * 384 threads and 62592 bytes: 2 blocks; or 128 * 512: 1.
// Tried on an H200: eight floats along k a lane, so that a load accesses 16 bytes of each of 32
// rows (2048 nt takes 1.5 times as long); scalar loads of operands across k, whose pieces were
// transposed in shared memory (1.1); one crew that loads the floats of the next step before it
// splits those of this one: no gain, since the fence before wgmma waits for the loads (2048: 1.1
// times); three and four stages of the small tile, no difference.
#include "cluster.h"
#include "cp_async.h"
#include "dependent_launch.h"
#include "epilogue.h"
#include "mbarrier.h"
#include "of_batch.h"
#include "shares.h"
#include "split_bf16.h"
#include "store_rows.h"
#include "wgmma.h"

// A function that is always inlined, so that the side of the tile is a constant in it.
#define EXPANDED static inline __attribute__((always_inline))

// The products, and how they are divided.
struct product {
    int M, N, K, steps, rows, columns, units, share;
    float alpha, beta;
    const float *A, *B;
    T_C *C;
    int lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    int arrays;
    struct epilogue epilogue;
};

// Some or all of the steps of a tile of one product of a batch.
struct unit {
    int row, column, begin, end; // row, column: its first element; begin, end: in steps
    int product;
};

// Tiles go down GROUP rows of tiles, then one column to the right: blocks that run at the same time
// form an almost square patch, and read fewer rows and columns.
__device__ EXPANDED struct unit unit_of(const struct product *p, int side, int n)
{
    const int tiles = p->rows * p->columns, part = p->share > 1 ? cluster_rank() : 0;
    struct unit u;
    u.product = quotient(n, tiles);
    const int tile = n - u.product * tiles, first = quotient(tile, GROUP * p->columns) * GROUP;
    const int place = tile - first * p->columns, height = min(GROUP, p->rows - first);
    const int column = quotient(place, height);
    u.row = (first + place - column * height) * side;
    u.column = column * side;
    u.begin = first_step(p->steps, part, p->share);
    u.end = first_step(p->steps, part + 1, p->share);
    return u;
}

// A tile of an operand has lines that are contiguous in memory: rows of A or columns of B of BK
// along k or, if the operand is stored across k, BK lines of adjacent rows or columns. In shared
// memory, 8 lines by 8 elements are 128 contiguous bytes, as wgmma reads them without a swizzle.
// The next 8 lines follow, and the next 8 elements of a line are NEXT bytes further, in different
// banks.
#define LINES(side, along) ((along) ? (side) : BK)
#define WIDE(side, along) ((along) ? BK : (side))
#define NEXT(side, along) (LINES(side, along) * 16 + ((along) ? 32 : 16))
#define PIECE(side) (68 * (side)) // bytes of one of the three pieces of an operand
#define STAGE(side) (6 * PIECE(side))

// The warps that split floats are two crews, each of which splits every second step.
#define CREW (SPLITTERS / 2)
#define FLOATS(side) (BK * (side) / CREW) // floats of an operand that a thread has in a step
#define BETWEEN(side, along) (CREW * 4 / WIDE(side, along)) // lines from one four to the next

// Where a thread reads an operand: four adjacent elements of a line, then four BETWEEN lines
// further, and so on. Of the tile's rows (or columns of B), `rows` are in the matrix.
struct source {
    const float *first;
    int ld, rows, k;
    bool aligned;
};

__device__ EXPANDED int2 place_of(int side, bool along)
{
    const int thread = threadIdx.x % CREW, wide = WIDE(side, along) / 4;
    return make_int2(thread / wide, thread % wide * 4);
}

__device__ EXPANDED struct source source_of(const float *from, int ld, int rows, int side,
                                            bool along, int row, int k)
{
    const int2 at = place_of(side, along);
    struct source s;
    s.first = along ? from + (size_t)(row + at.x) * ld + k + at.y
                    : from + (size_t)(k + at.x) * ld + row + at.y;
    s.ld = ld;
    s.rows = rows - row;
    s.k = k;
    s.aligned = ld % 4 == 0 && (size_t)from % 16 == 0;
    return s;
}

// Loads a thread's floats of a step, of which `high` lines and `wide` elements are in the matrix,
// counted from its first one. The others become zero.
__device__ EXPANDED void load_fours(float *x, const struct source *s, int side, bool along,
                                    int high, int wide)
{
    if (s->aligned && wide >= 4) {
#pragma unroll
        for (int i = 0; i < FLOATS(side); i += 4) {
            const int line = i / 4 * BETWEEN(side, along);
            float4 four = make_float4(0, 0, 0, 0);
            if (line < high)
                four = __ldg((const float4 *)(s->first + (size_t)line * s->ld));
            *(float4 *)(x + i) = four;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < FLOATS(side); i++) {
        const int line = i / 4 * BETWEEN(side, along), next = i % 4;
        x[i] = 0;
        if (line < high && next < wide)
            x[i] = __ldg(s->first + (size_t)line * s->ld + next);
    }
}

// Loads a thread's floats of a step, and advances to the next step of the crew.
__device__ EXPANDED void load_step(float *x, struct source *s, int K, int side, bool along)
{
    if (s->rows >= side && s->k + BK <= K) {
        load_fours(x, s, side, along, BK + side, BK + side);
    } else {
        const int2 at = place_of(side, along);
        load_fours(x, s, side, along, (along ? s->rows : K - s->k) - at.x,
                   (along ? K - s->k : s->rows) - at.y);
    }
    s->k += 2 * BK;
    s->first += along ? 2 * BK : (size_t)(2 * BK) * s->ld;
}

// Splits a thread's floats and stores their pieces.
__device__ EXPANDED void store_pieces(char *tile, int side, bool along, const float *x)
{
    const int2 at = place_of(side, along);
    char *const to = tile + at.y / 8 * NEXT(side, along) + at.y % 8 * 2;
#pragma unroll
    for (int i = 0; i < FLOATS(side); i += 4) {
        unsigned low[3], high[3];
        split_two(SPLIT_SCALE * x[i], SPLIT_SCALE * x[i + 1], low);
        split_two(SPLIT_SCALE * x[i + 2], SPLIT_SCALE * x[i + 3], high);
#pragma unroll
        for (int p = 0; p < 3; p++)
            *(uint2 *)(to + p * PIECE(side) + (at.x + i / 4 * BETWEEN(side, along)) * 16) =
                make_uint2(low[p], high[p]);
    }
}

// The state of a thread that splits: what it loads next, `step` of a unit of `length` steps, and
// which stage it fills.
struct splitter {
    struct source a, b;
    int step, length, next, stage; // next: the next unit
    unsigned parity;
};

// Issues the loads of the crew's next step. Returns false if there is none.
__device__ EXPANDED bool load_next(const struct product *p, int side, struct splitter *s,
                                   float *a, float *b)
{
    if (s->step >= s->length) {
        struct unit u;
        do {
            if (s->next >= p->units || p->steps == 0)
                return false;
            s->step -= s->length;
            u = unit_of(p, side, s->next);
            s->length = u.end - u.begin;
            s->next += over(gridDim.x, p->share);
        } while (s->step >= s->length);
        const int k = (u.begin + s->step) * BK;
        s->a = source_of(of_batch(p->A, p->stride_a, p->arrays, u.product), p->lda, p->M, side,
                         !TA, u.row, k);
        s->b = source_of(of_batch(p->B, p->stride_b, p->arrays, u.product), p->ldb, p->N, side,
                         TB, u.column, k);
    }
    load_step(a, &s->a, p->K, side, !TA);
    load_step(b, &s->b, p->K, side, TB);
    s->step += 2;
    return true;
}

// The work of the warps that split floats.
__device__ EXPANDED void split_units(const struct product *p, int side, int stages, char *tiles,
                                     unsigned full, unsigned empty)
{
    const int crew = threadIdx.x / CREW;
    float a[32], b[32]; // FLOATS(side) of them are used, and are registers
    struct splitter s;
    s.step = s.stage = crew;
    s.length = 0;
    s.next = over(blockIdx.x, p->share);
    s.parity = 0;
    while (load_next(p, side, &s, a, b)) {
        char *const to = tiles + s.stage * STAGE(side);
        mbarrier_wait(empty + s.stage * 8, s.parity ^ 1);
        store_pieces(to, side, !TA, a);
        store_pieces(to + 3 * PIECE(side), side, TB, b);
        wgmma_sees_writes();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            mbarrier_arrive(full + s.stage * 8);
        s.stage += 2;
        if (s.stage >= stages) {
            s.stage -= stages;
            s.parity ^= 1;
        }
    }
}

// The descriptor of 16 of k of an operand's tile.
__device__ EXPANDED unsigned long long part_of(unsigned tile, int side, bool along, int k)
{
    const int next = NEXT(side, along);
    return along ? wgmma_descriptor_plain(tile + k / 8 * next, next)
                 : wgmma_descriptor_plain_across(tile + k / 8 * 128, next);
}

// Multiplies 64 rows of A by a tile's columns of B over BK of k, the small products first.
__device__ EXPANDED void multiply_pieces(float *part, int side, unsigned tile_a, unsigned tile_b)
{
#pragma unroll
    for (int p = 0; p < 6; p++) {
        const int of_a = p == 0 ? 2 : p == 2 || p == 3, of_b = p == 1 ? 2 : p == 2 || p == 4;
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            const unsigned long long a = part_of(tile_a + of_a * PIECE(side), side, !TA, k);
            const unsigned long long b = part_of(tile_b + of_b * PIECE(side), side, TB, k);
            if (side == 128)
                wgmma_64x128x16((const __nv_bfloat16 *)0, part, a, b, p + k > 0, TA, !TB);
            else
                wgmma_64x64x16((const __nv_bfloat16 *)0, part, a, b, p + k > 0, TA, !TB);
        }
    }
}

__device__ static inline bool is_finite(float x)
{
    return x - x == 0;
}

// Computes an element of A*B in float64.
__device__ static inline float element_of(const struct product *p, int product, int row, int column)
{
    const float *a = of_batch(p->A, p->stride_a, p->arrays, product);
    const float *b = of_batch(p->B, p->stride_b, p->arrays, product);
    double sum = 0;
    for (int k = 0; k < p->K; k++)
        sum = fma((double)a[TA ? (size_t)k * p->lda + row : (size_t)row * p->lda + k],
                  (double)b[TB ? (size_t)column * p->ldb + k : (size_t)k * p->ldb + column], sum);
    return (float)sum;
}

// Stores a warp's sums to C through its rows in `mine`. Those that are not finite are recomputed.
__device__ EXPANDED void store_sums(const struct product *p, int side, const struct unit *u,
                                    int row, float *sum, float *mine)
{
    const int lane = threadIdx.x % 32;
    T_C *const C = of_batch(p->C, p->stride_c, p->arrays, u->product);
    const bool aligned = p->ldc % 4 == 0 && (size_t)C % 16 == 0;
    float zero = 0;
#pragma unroll
    for (int i = 0; i < side / 2; i++) {
        zero = fmaf(0, sum[i], zero);
        sum[i] *= SPLIT_UNSCALE;
    }
    const bool finite = __all_sync(0xffffffff, zero == 0), finishing = finishes(&p->epilogue);
    const struct epilogue here = epilogue_at(&p->epilogue, row, u->column);
    if (finishing && finite)
        finish_sums(&here, side, sum, p->alpha);
#pragma unroll
    for (int x = 0; x < side; x += 32) {
        const int column = u->column + x;
        put_sums(mine, PITCH, sum + x / 2);
        __syncwarp();
        for (int i = 0; i < 16 && !finite; i++)
            if (!is_finite(mine[i * PITCH + lane]) && row + i < p->M && column + lane < p->N)
                mine[i * PITCH + lane] = element_of(p, u->product, row + i, column + lane);
#pragma unroll 1
        for (int i = 0; i < 16 && finishing && !finite; i++) {
            float *const c = mine + i * PITCH + lane;
            *c = p->alpha * *c + bias_of_row(&here, i) + bias_of_column(&here, x + lane);
            *c = here.activation == RELU ? relu(*c) : *c;
        }
        __syncwarp();
        if (is_gelu(&here))
            gelu_rows(&here, mine, PITCH);
        __syncwarp();
        store_rows(C + (size_t)row * p->ldc + column, p->ldc, p->M - row, p->N - column, aligned,
                   mine, PITCH, finishing ? 1 : p->alpha, p->beta);
        __syncwarp();
    }
}

// Adds the parts of a tile, which the blocks of the cluster have in shared memory in place of the
// stages: each block adds and stores some of the rows, always in the order of the blocks.
__device__ EXPANDED void add_shares(const struct product *p, int side, const struct unit *u,
                                    int thread, unsigned tile)
{
    T_C *const first = of_batch(p->C, p->stride_c, p->arrays, u->product);
    const bool aligned = p->ldc % 4 == 0 && (size_t)first % 16 == 0;
    const int pitch = side + 8, rows = side / p->share;
    for (int i = thread; i < rows * side / 4; i += 2 * side) {
        const int y = cluster_rank() * rows + i / (side / 4), x = i % (side / 4) * 4;
        const int row = u->row + y, column = u->column + x;
        if (row >= p->M || column >= p->N)
            continue;
        double sum[4] = {};
        for (int s = 0; s < p->share; s++) {
            const float4 four = cluster_load(tile + (y * pitch + x) * 4, s);
            sum[0] += four.x, sum[1] += four.y, sum[2] += four.z, sum[3] += four.w;
        }
        float each[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            each[e] = is_finite(sum[e] * SPLIT_UNSCALE) || column + e >= p->N
                          ? (float)(sum[e] * SPLIT_UNSCALE)
                          : element_of(p, u->product, row, column + e);
        float4 four = make_float4(each[0], each[1], each[2], each[3]);
        const bool finishing = finishes(&p->epilogue);
        if (finishing)
            four = finish_four(&p->epilogue, row, column, four, p->alpha);
        store_up_to_four(first + (size_t)row * p->ldc + column, p->N - column, aligned, four,
                         finishing ? 1 : p->alpha, p->beta);
    }
}

// The work of the warps that multiply: each warpgroup has 64 rows. `part`: sums of tensor cores.
__device__ EXPANDED void multiply_units(const struct product *p, int side, int stages, char *tiles,
                                        unsigned full, unsigned empty, float *sum, float *part)
{
    const int thread = threadIdx.x - SPLITTERS, warp = thread / 32, lane = thread % 32;
    const unsigned base = shared_address(tiles);
    const int rows_of_64 = TA ? 8 * NEXT(side, false) : 64 * 16; // from 64 rows to the next 64
    float *const staging = (float *)(tiles + stages * STAGE(side));
    int stage = 0;
    unsigned parity = 0;
    const int clusters = over(gridDim.x, p->share);
    for (int n = over(blockIdx.x, p->share); n < p->units; n += clusters) {
        const struct unit u = unit_of(p, side, n);
#pragma unroll
        for (int i = 0; i < side / 2; i++)
            sum[i] = 0;
        for (int step = u.begin; step < u.end; step++) {
            const unsigned tile = base + stage * STAGE(side);
            mbarrier_wait(full + stage * 8, parity);
            wgmma_fence();
            multiply_pieces(part, side, tile + warp / 4 * rows_of_64, tile + 3 * PIECE(side));
            wgmma_commit();
            wgmma_wait(0);
            wgmma_done(part, side / 2);
            if (lane == 0)
                mbarrier_arrive(empty + stage * 8);
#pragma unroll
            for (int i = 0; i < side / 2; i++)
                sum[i] += part[i];
            stage = stage == stages - 1 ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        if (p->share == 1) {
            store_sums(p, side, &u, u.row + warp * 16, sum, staging + warp * 16 * PITCH);
            continue;
        }
        // All warps have read all of this block's stages, and no other unit follows.
        warps_sync(1, 2 * side);
        float *const mine = (float *)tiles + warp * 16 * (side + 8);
#pragma unroll
        for (int x = 0; x < side; x += 32)
            put_sums(mine + x, side + 8, sum + x / 2);
        cluster_sync();
        add_shares(p, side, &u, thread, base);
    }
}

// `sum` and `part` are registers of the caller, side/2 of each. The mbarriers are `stages` for full
// stages, and as many for empty ones.
__device__ EXPANDED void multiply(const struct product *p, int side, int stages, char *shared,
                                  unsigned long long *barriers, float *sum, float *part)
{
    char *const tiles = shared + (128 - shared_address(shared) % 128) % 128;
    const unsigned full = shared_address(barriers), empty = full + stages * 8;
    if (threadIdx.x < 32 && elected()) {
#pragma unroll
        for (int s = 0; s < stages; s++) {
            mbarrier_init(full + s * 8, CREW / 32);
            mbarrier_init(empty + s * 8, side / 16);
        }
        mbarrier_init_done();
    }
    __syncthreads();
    wait_for_earlier_grids();
    if (threadIdx.x < SPLITTERS) {
        if (side == 128)
            warpgroup_keeps_registers(104);
        else
            warpgroup_keeps_registers(72);
        split_units(p, side, stages, tiles, full, empty);
        if (p->share > 1)
            cluster_sync();
    } else {
        if (side == 128)
            warpgroup_takes_registers(152);
        else
            warpgroup_takes_registers(96);
        multiply_units(p, side, stages, tiles, full, empty, sum, part);
    }
    if (p->share > 1)
        cluster_sync_relaxed(); // a block must not end while others read its shared memory
}

__global__ void __launch_bounds__(SMALL_NT, 2)
    multiply_64(int M, int N, int K, int steps, int rows, int columns, int units, int share,
                float alpha, const float *A, int lda, const float *B, int ldb, float beta, T_C *C,
                int ldc, long long stride_a, long long stride_b, long long stride_c, int arrays,
                long long bias, int per_row, int activation)
{
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * SMALL_STAGES];
    float sum[32], part[32];
    const struct product p = {M,   N,        K,        steps,    rows, columns, units,
                              share, alpha,  beta,     A,        B,    C,       lda,
                              ldb, ldc,      stride_a, stride_b, stride_c, arrays,
                              epilogue_of(bias, per_row, activation, M, N)};
    multiply(&p, 64, SMALL_STAGES, (char *)shared, barriers, sum, part);
}

__global__ void __launch_bounds__(LARGE_NT, 1)
    multiply_128(int M, int N, int K, int steps, int rows, int columns, int units, int share,
                 float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                 T_C *C, int ldc, long long stride_a, long long stride_b, long long stride_c,
                 int arrays, long long bias, int per_row, int activation)
{
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * LARGE_STAGES];
    float sum[64], part[64];
    const struct product p = {M,   N,        K,        steps,    rows, columns, units,
                              share, alpha,  beta,     A,        B,    C,       lda,
                              ldb, ldc,      stride_a, stride_b, stride_c, arrays,
                              epilogue_of(bias, per_row, activation, M, N)};
    multiply(&p, 128, LARGE_STAGES, (char *)shared, barriers, sum, part);
}

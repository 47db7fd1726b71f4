// any_shape.h: tiles of 128 x `wide` for products of any shape: shares of K, pairs of blocks, and C
// or C transposed (sm_90a). SPDX-License-Identifier: MIT
//
// What 33_tf32_any_shape.cu and 34_fp8_any_shape.cu have in common; 27_any_shape.cu describes the
// same for 16-bit types. An operand with rows X, of which a tile has 128, is multiplied by one with
// rows Y, of which it has `wide`. A row of a tile is 128 bytes of k, a step:
//
//                    k                            Y, `wide`
//               +---------+                  +---------------+
//        X, 128 | step 0  | step 1 ..      X |  C, or, if    |
//               +---------+                  |  `turned`, C  |
//        Y      | step 0  | step 1 ..        |  transposed   |
//               +---------+                  +---------------+
//
// A block is a warpgroup whose first thread requests copies, and two that multiply 64 rows of X
// each. The blocks of a cluster have either tiles one below the other, whose Y is copied once for
// both (`pair`), or a tile of which each multiplies a part of the steps (`share`).
//
// The file that includes this one defines T, T_C, BK (128 bytes of k), NT, GROUP, PLACES, STAGES_64
// to STAGES_256, and
//
//    ALONG_X         the map of X is of a matrix that is stored along k; otherwise a tile of X has
//                    boxes of BK steps of k by 32 floats of X
//    ALWAYS_TURNED   by maps, C is transposed, and the copy engine stores it
//    multiply_unit   multiplies the steps of a unit
//
// Stores: if the sums are all of a tile of C, and the rows of C are aligned to 16 bytes, C is
// written by the copy engine during the next tile's products (copy_out.h). Otherwise a block has
// one tile only. It writes its sums to the shared memory of its stages, as rows of C, where blocks
// that share K read those of one another, and stores them in whole rows, to C or, with `splits`, to
// P, whose matrices add_splits adds.
#ifndef ANY_SHAPE_H
#define ANY_SHAPE_H

#include "cluster.h"
#include "copy_out.h"
#include "cp_async.h"
#include "dependent_launch.h"
#include "epilogue.h"
#include "mbarrier.h"
#include "shares.h"
#include "store_rows.h"
#include "wgmma.h"

// A function that is always inlined, so that the width of the tile is a constant in it.
#define EXPANDED static inline __attribute__((always_inline))

// A box: 64 rows of X or Y by a step.
enum { BOX_BYTES = 64 * 128, BOX = BOX_BYTES / sizeof(T) };

// The number of stages for tiles of this width.
#define STAGES_OF(wide)                                                                            \
    ((wide) == 64    ? STAGES_64                                                                   \
     : (wide) == 128 ? STAGES_128                                                                  \
     : (wide) == 192 ? STAGES_192                                                                  \
                     : STAGES_256)

// The product, and the source of its tiles: tensor maps, or packed boxes. The steps of BK along K
// are divided into share*splits parts.
struct product {
    const CUtensorMap *map_x, *map_y;
    const T *PX, *PY; // null: by the map
    int M, N, steps, rows, columns, share, splits;
    float alpha, beta;
    T_C *C;
    float *P;
    int ldc, ldp;
    const CUtensorMap *map_c; // null: each block has one tile, and stores it itself
    bool turned;              // rows of X are columns of C
    int size, rank;           // of the cluster, and this block's rank in it
    int pair, down;           // pair: tiles of the cluster, one below the other; down: this block's
    int x_rows;               // of a tile of X that are copied: all 128 if X has as many
    struct epilogue epilogue;
    const float *scale_a, *scale_b; // factors of A and B; null: 1
};

// alpha times the factors, which an earlier kernel may compute: after wait_for_earlier_grids.
__device__ static inline float scaled_alpha(float alpha, const float *scale_a, const float *scale_b)
{
    if (scale_a)
        alpha *= *scale_a;
    return scale_b ? alpha * *scale_b : alpha;
}

// A part of a tile's steps, or all of them: from `begin` to before `end`. `row` and `column` are in
// tiles.
struct unit {
    int row, column, split, begin, end;
};

// The cluster's n-th unit, and this block's part of it. Units go down GROUP rows of tiles, then one
// column to the right: blocks that run at the same time form an almost square patch, and read fewer
// rows and columns.
__device__ static inline struct unit unit_of(const struct product *p, int n)
{
    const int rows = over(p->rows, p->pair), high = over(GROUP, p->pair), tiles = rows * p->columns;
    const int split = quotient(n, tiles), tile = n - split * tiles;
    const int first = quotient(tile, high * p->columns) * high, place = tile - first * p->columns;
    const int height = min(high, rows - first), column = quotient(place, height);
    const int parts = p->share * p->splits;
    const int part = split * p->share + (p->share > 1 ? p->rank : 0);
    struct unit u;
    u.row = (first + place - column * height) * p->pair + p->down;
    u.column = column;
    u.split = split;
    u.begin = first_step(p->steps, part, parts);
    u.end = first_step(p->steps, part + 1, parts);
    return u;
}

// One thread issues the copies of the tile of X and of its block's boxes of that of Y, which all
// blocks of the cluster receive; the mbarrier counts the bytes of both whole tiles.
__device__ EXPANDED void fill_stage(const struct product *p, int wide, unsigned stage,
                                    unsigned barrier, const struct unit *u, int step)
{
    const unsigned stage_y = stage + 128 * 128, all = (1 << p->pair) - 1;
    const int x = u->row * 128, y = u->column * wide, k = step * BK;
    mbarrier_expect(barrier, 128 * (p->x_rows + wide));
    if (p->PX)
        bulk_load(stage, p->PX + ((size_t)u->row * p->steps + step) * (2 * BOX), 2 * BOX_BYTES,
                  barrier);
    else if (ALONG_X)
        tma_load(stage, p->map_x, x, k, barrier);
    else
        for (int i = 0; i < 4; i++)
            tma_load(stage + i * 4096, p->map_x, k, x + i * 32, barrier);
    for (int j = p->down; j < wide / 64; j += p->pair) {
        const unsigned to = stage_y + j * BOX_BYTES;
        const T *const packed =
            p->PY + ((size_t)u->column * p->steps + step) * (wide / 64 * BOX) + j * BOX;
        if (p->PY && p->pair == 1)
            bulk_load(to, packed, BOX_BYTES, barrier);
        else if (p->PY)
            bulk_load_shared(to, packed, BOX_BYTES, barrier, all);
        else if (p->pair == 1)
            tma_load(to, p->map_y, y + j * 64, k, barrier);
        else
            tma_load_shared(to, p->map_y, y + j * 64, k, barrier, all);
    }
}

// Arrives at the mbarriers of all blocks that fill the stage, because a warp has read it.
__device__ static inline void leave_stage(const struct product *p, unsigned barrier)
{
    const int lane = threadIdx.x % 32;
    if (p->pair == 1 && lane == 0)
        mbarrier_arrive(barrier);
    else if (p->pair > 1 && lane < p->pair)
        mbarrier_arrive_at(barrier, lane);
}

// Adds beta times a warp's part of C, of which `rows` by `columns` are in the matrix, to alpha
// times its sums.
__device__ EXPANDED void add_c(const T_C *C, int ldc, int rows, int columns, bool turned, int wide,
                               float *sum, float alpha, float beta)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < wide / 2; i++) {
        const int x = lane / 4 + i / 2 % 2 * 8, y = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const int row = turned ? y : x, column = turned ? x : y;
        const float old =
            row < rows && column < columns ? load_one(C + (size_t)row * ldc + column) : 0;
        sum[i] = alpha * sum[i] + beta * old;
    }
}

// Stores a warp's sums, all of K for 16 rows of X from row x on and `wide` rows of Y from y on, by
// the copy engine. `staging` is that of all warps.
__device__ EXPANDED void store_sums(const struct product *p, int x, int y, int wide, float *sum,
                                    char *staging)
{
    const bool turned = ALWAYS_TURNED && p->turned; // otherwise blocks have one tile only
    const int row = turned ? y : x, column = turned ? x : y, warp = threadIdx.x / 32 - 4;
    const bool finishing = finishes(&p->epilogue);
    const float alpha = finishing ? 1 : p->alpha;
    if (finishing) {
        struct epilogue here = epilogue_at(&p->epilogue, row, column);
        if (turned) { // rows of the sums are columns of C
            here.per_row = !here.per_row;
            here.rows = p->N - column, here.columns = p->M - row;
        }
        finish_sums(&here, wide, sum, p->alpha);
        if (is_gelu(&here))
            gelu_sums(&here, wide / 2, 16, sum);
    }
    if (p->beta != 0)
        add_c(p->C + (size_t)row * p->ldc + column, p->ldc, p->M - row, p->N - column, turned, wide,
              sum, alpha, p->beta);
    else
        scale_sums(wide / 2, sum, alpha);
    if (turned)
        copy_out_turned<2 * PLACES>(p->map_c, p->C, p->M - row, p->N - column, row, column, wide,
                                    sum, staging + warp / 2 * (4096 * PLACES));
    else
        copy_out<PLACES>(p->map_c, p->C, p->M - row, p->N - column, row, column, wide, sum,
                         staging + warp * (2048 * PLACES));
}

// A tile of C in shared memory: its size, and the distance of its rows.
struct tile {
    int rows, columns, pitch;
};

// With this distance, the lanes of a warp write different banks.
__device__ EXPANDED struct tile tile_of(bool turned, int wide)
{
    const struct tile t = {turned ? wide : 128, turned ? 128 : wide, turned ? 128 + 4 : wide + 8};
    return t;
}

// Writes a warp's sums to shared memory, as a part of a tile of C. `x` is its first row of X in the
// tile.
__device__ EXPANDED void put_tile(float *to, const struct tile *t, bool turned, int x, int wide,
                                  const float *sum)
{
    const int lane = threadIdx.x % 32;
    if (!turned) {
#pragma unroll
        for (int c = 0; c < wide; c += 32)
            put_sums(to + x * t->pitch + c, t->pitch, sum + c / 2);
        return;
    }
#pragma unroll
    for (int i = 0; i < wide / 2; i++) {
        const int row = i / 4 * 8 + lane % 4 * 2 + i % 2, column = x + lane / 4 + i / 2 % 2 * 8;
        to[row * t->pitch + column] = sum[i];
    }
}

// Stores a tile that no other block has a part of one element after another: adjacent lanes store
// adjacent elements, because rows of C may begin anywhere. `mine` is the tile, in shared memory.
__device__ EXPANDED void store_elements(const struct product *p, const struct tile *t,
                                        const float *mine, int top, int left)
{
    enum { TOGETHER = 16 }; // a tile has a multiple of 16*256 elements
    for (int i = threadIdx.x - 128; i < t->rows * t->columns; i += TOGETHER * 256) {
        float sum[TOGETHER]; // all loads are issued before the first store waits for one
#pragma unroll
        for (int e = 0; e < TOGETHER; e++) {
            const int at = i + e * 256, y = at / t->columns, x = at % t->columns;
            sum[e] = mine[y * t->pitch + x];
        }
#pragma unroll
        for (int e = 0; e < TOGETHER; e++) {
            const int at = i + e * 256, row = top + at / t->columns;
            const int column = left + at % t->columns;
            T_C *const to = p->C + (size_t)row * p->ldc + column;
            if (row < p->M && column < p->N)
                *to = scaled(sum[e], p->alpha, p->beta, to);
        }
    }
}

// Adds the parts of a tile, which the blocks of the cluster have in shared memory in place of the
// stages: each block adds and stores some of the rows, always in the order of the blocks. A block
// that shares with no other stores all of its own tile.
__device__ EXPANDED void add_shares(const struct product *p, const struct unit *u,
                                    const struct tile *t, const float *mine)
{
    const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
    const bool finishing = p->splits == 1 && finishes(&p->epilogue);
    const int rows = over(t->rows, p->share), first = p->share > 1 ? p->rank * rows : 0;
    const int top = (p->turned ? u->column : u->row) * t->rows;
    const int left = (p->turned ? u->row : u->column) * t->columns;
    if (p->share * p->splits == 1 && !finishing) {
        store_elements(p, t, mine, top, left);
        return;
    }
    for (int i = threadIdx.x - 128; i < rows * t->columns / 4; i += 256) {
        const int y = first + i / (t->columns / 4), x = i % (t->columns / 4) * 4;
        const int row = top + y, column = left + x;
        if (row >= p->M || column >= p->N)
            continue;
        const float *const at = mine + y * t->pitch + x;
        float4 sum = make_float4(0, 0, 0, 0);
        if (p->share == 1)
            sum = *(const float4 *)at;
        else
            for (int s = 0; s < p->share; s++) {
                const float4 four = cluster_load(shared_address(at), s);
                sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
            }
        if (finishing)
            sum = finish_four(&p->epilogue, row, column, sum, p->alpha);
        if (p->splits == 1)
            store_up_to_four(p->C + (size_t)row * p->ldc + column, p->N - column, aligned, sum,
                             finishing ? 1 : p->alpha, p->beta);
        else
            *(float4 *)(p->P + ((size_t)u->split * p->M + row) * p->ldp + column) = sum;
    }
}

// The data of a block's warps: where its stages and mbarriers are, and its units.
struct places {
    int wide;
    unsigned base, full, empty; // the stages, and their mbarriers
    int stages, bytes;          // of a stage
    int first, clusters, units; // a cluster's units: first, first + clusters, ..
};

// One thread fills the stages of all units, of which `u` is the first.
__device__ EXPANDED void produce(const struct product *p, const struct places *at, struct unit u)
{
    // Producer and consumers go through the same steps of the same units; `parity` changes when the
    // stages repeat.
    int stage = 0;
    unsigned parity = 0;
    for (int n = at->first; n < at->units; n += at->clusters, u = unit_of(p, n))
        for (int step = u.begin; step < u.end; step++) {
            mbarrier_wait(at->empty + stage * 8, parity ^ 1);
            fill_stage(p, at->wide, at->base + stage * at->bytes, at->full + stage * 8, &u, step);
            stage = stage == at->stages - 1 ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    // A block must not end before the other blocks have arrived at its mbarriers.
    for (int i = 0; i < at->stages; i++) {
        mbarrier_wait(at->empty + stage * 8, parity ^ 1);
        stage = stage == at->stages - 1 ? 0 : stage + 1;
        parity ^= stage == 0;
    }
}

// A warpgroup's position in the steps of its units.
struct position {
    int stage, before; // the stage of the next step, and that of the previous one
    unsigned parity;
};

__device__ EXPANDED void advance(const struct places *at, struct position *here)
{
    here->before = here->stage;
    here->stage = here->stage == at->stages - 1 ? 0 : here->stage + 1;
    here->parity ^= here->stage == 0;
}

// Multiplies the steps of a unit. The products of the last step may still be running, and its stage
// is here->before.
__device__ EXPANDED void multiply_unit(const struct product *p, const struct places *at,
                                       struct position *here, float *sum, const struct unit *u,
                                       char *stage_0);

// Two warpgroups multiply and store all units. Each has half of a tile's 128 rows of X. `sum` are
// registers of the caller.
__device__ EXPANDED void consume(const struct product *p, const struct places *at, char *stage_0,
                                 float *sum)
{
    const int wide = at->wide, x = threadIdx.x / 32 * 16 - 64;
    struct position here = {0, 0, 0};
    struct unit u = unit_of(p, at->first);
    for (int n = at->first; n < at->units; n += at->clusters) {
        multiply_unit(p, at, &here, sum, &u, stage_0);
        // Divisions take hundreds of cycles: during the last step.
        const struct unit next = unit_of(p, n + at->clusters);
        wgmma_wait(0);
        if (u.begin < u.end) {
            leave_stage(p, at->empty + here.before * 8);
        } else { // K is 0, or there are more parts than steps
            asm volatile("" ::: "memory"); // a branch instead of selections for each tile
#pragma unroll
            for (int i = 0; i < wide / 2; i++)
                sum[i] = 0;
        }
        if (p->map_c) {
            store_sums(p, u.row * 128 + x, u.column * wide, wide, sum,
                       stage_0 + at->stages * at->bytes);
        } else {
            // Both warpgroups have read all of this block's stages.
            const struct tile t = tile_of(p->turned, wide);
            warps_sync(1, 256);
            put_tile((float *)stage_0, &t, p->turned, x, wide, sum);
            if (p->share > 1)
                cluster_sync();
            else
                warps_sync(1, 256);
            add_shares(p, &u, &t, (const float *)stage_0);
            break; // no other unit follows
        }
        u = next;
    }
    bulk_wait_read<0>(); // the copies to C have read this block's shared memory
}

// `sum` is wide/2 registers of the caller.
__device__ EXPANDED void multiply(struct product *p, int wide, float *sum)
{
    p->size = cluster_size();
    p->rank = cluster_rank();
    p->pair = over(p->size, p->share);
    p->down = p->share > 1 ? 0 : p->rank;
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * STAGES_64];
    const int stages = STAGES_OF(wide), bytes = 128 * (128 + wide);
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    const unsigned full = shared_address(barriers), empty = full + stages * 8;
    const struct places at = {wide, base, full, empty, stages, bytes,
                              over(blockIdx.x, p->size), over(gridDim.x, p->size),
                              over(p->rows, p->pair) * p->columns * p->splits};
    char *const stage_0 = (char *)(shared + (base - shared_address(shared)) / 16);
    const int warp = threadIdx.x / 32;
    if (warp == 1 && elected()) {
        if (!p->PX)
            tma_prefetch(p->map_x);
        if (!p->PY)
            tma_prefetch(p->map_y);
#pragma unroll
        for (int i = 0; i < stages; i++) {
            mbarrier_init(full + i * 8, 1);
            mbarrier_init(empty + i * 8, 8 * p->pair);
        }
        mbarrier_init_done();
    }
    if (p->pair > 1)
        cluster_sync_relaxed();
    else
        __syncthreads();
    wait_for_earlier_grids();
    if (warp >= 4) {
        warpgroup_takes_registers(224);
        p->alpha = scaled_alpha(p->alpha, p->scale_a, p->scale_b);
        consume(p, &at, stage_0, sum);
    } else {
        warpgroup_keeps_registers(56);
        if (warp == 0 && elected())
            produce(p, &at, unit_of(p, at.first));
        __syncwarp();
        if (p->share > 1)
            cluster_sync();
    }
    if (p->share > 1)
        cluster_sync_relaxed(); // a block must not end while others read its shared memory
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order, so the result is reproducible.
__device__ static inline void add_parts(int M, int N, float alpha, float beta, T_C *C, int ldc,
                                        const float *P, int ldp, int splits,
                                        struct epilogue epilogue)
{
    const bool finishing = finishes(&epilogue);
    const bool aligned = ldc % 4 == 0 && (size_t)C % (4 * sizeof(T_C)) == 0;
    const int count = M * (ldp / 4);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 16
        for (int s = 0; s < splits; s++) {
            const float4 four = ((const float4 *)P)[(size_t)s * count + i];
            sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
        }
        const int row = i / (ldp / 4), column = i % (ldp / 4) * 4;
        if (finishing)
            sum = finish_four(&epilogue, row, column, sum, alpha);
        store_up_to_four(C + (size_t)row * ldc + column, N - column, aligned, sum,
                         finishing ? 1 : alpha, beta);
    }
}

#endif

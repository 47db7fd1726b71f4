// 33_tf32_any_shape.cu: tf32 in tiles for the shape, with an operand in registers.
// SPDX-License-Identifier: MIT
//@ title    TF32 by the shape
//@ after    27_any_shape
//@ idea     wgmma reads one operand from registers, which can load it from any layout: no packing
//@ idea     the product whose second operand is along k is computed: C, or C transposed
//@ idea     a cost model chooses the width of tiles, pairs of blocks and shares of K
//@ type     f32
//@ math     tf32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    GROUP 8 {2,4,8,16}
//@ param    WIDTH 0 {0,64,128,192,256}, SHARE 0 {0,1,2,4,8}, PAIR 0 {0,1,2}, SPLITS 0 {0,1,32}
//@ let      BK = 32, V = 4, NT = 384, PACK_NT = 256, PLACES = 2, STAGING = 8*2048*PLACES
//@ let      STAGES_64 = 8, STAGES_128 = 6, STAGES_192 = 4, STAGES_256 = 4
//@ require  SMEM_MAX >= STAGES_256*(128+256)*128+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK)
//@ arg      bias = 0, per_row = 0, activation = 0
//@ arg      whole = aligned(A,16) && aligned(B,16) && lda%V==0 && ldb%V==0
//@ arg      mapped = K>0 && whole, apart = TA*(1-TB)
//@ arg      narrow = TB && M<=64 && M<N, flat = TA && 2*M<=N
//@ arg      turned = mapped*((TA+TB==0) || (TA+TB==1 && (narrow || flat)))
//@ arg      stored = K>0 && N%V==0 && ldc%V==0 && aligned(C,16)
//@ choose   wide {64,128,192,256}, share {1,2,4,8}, splits {1,32}, pair {1,2}
//@ arg      high = turned*N+(1-turned)*M, broad = turned*M+(1-turned)*N
//@ arg      size = pair*share, rows = cdiv(high,128*pair)*pair, columns = cdiv(broad,wide)
//@ arg      few = (size<=2)*(SMS-SMS%size)+(size==4)*(SMS*7/8)+(size>=8)*(SMS*6/7)
//@ arg      slots = max(few,1)
//@ arg      parts = rows*columns*share*splits, waves = cdiv(parts,slots)
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      stage = (128+wide)*128, read = stage-(pair-1)*wide*64
//@ arg      shared = read*min(parts,slots)/8100
//@ arg      multiplying = max(wide*21/10+50, 265)
//@ arg      step = max(max(stage/90, multiplying), shared)
//@ arg      moved = (broad*(1+(rows>1))+high*(1+(columns>1)))*K/1450
//@ arg      once = stored && share*splits==1 && (TA==TB || !turned)
//@ arg      adding = (size>1)*400+waves*(1-once)*(650+24*wide)+(splits>1)*2800
//@ arg      packing = (1-mapped)*(3200+(M+N)*K/500)+mapped*apart*(2800+broad*K/500)
//@ arg      fits = (size==1 || pair==1 || share==1) && steps>=2*share*splits
//@ arg      allowed = fits || share*splits==1
//@ arg      wanted = (!WIDTH || WIDTH==wide) && (!SHARE || SHARE==share)
//@ arg      asked = wanted && (!PAIR || PAIR==pair) && (!SPLITS || SPLITS==splits)
//@ arg      busy = max(waves*depth*step, moved)+waves*once*15*wide
//@ arg      cost = 1700+busy+adding+packing+(!(allowed && asked))*1000000000
//@ least    cost
//@ arg      ldp = cdiv(N,4)*4, units = rows*columns/pair*splits
//@ arg      blocks = (1-once)*units*size+once*min(units,SMS/pair)*pair
//@ arg      boxes_x = (1-mapped)*rows*2, boxes_y = (1-mapped*(1-apart))*columns*wide/64
//@ arg      box_a = TA*32+(1-TA)*(64+64*TB*(1-turned)), box_b = 32+TB*(32+64*turned)
//@ work     PX = T[boxes_x*64*steps*BK]
//@ work     PY = T[boxes_y*64*steps*BK]
//@ work     P = f32[(splits>1)*splits*M*ldp]
//@ map      map_a = A[box_a,BK] swizzle128 optional, map_b = B[box_b,BK] swizzle128 optional
//@ map      map_c = C[16,32] swizzle128 optional by_address
//@ kernel   pack
//@ when     boxes_x+boxes_y>0 && K>0
//@ grid     steps, boxes_x+boxes_y
//@ block    PACK_NT
//@ kernel   mapped_256
//@ when     mapped && wide==256
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*128+1024+STAGING
//@ kernel   mapped_192
//@ when     mapped && wide==192
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*128+1024+STAGING
//@ kernel   mapped_128
//@ when     mapped && wide==128
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*128+1024+STAGING
//@ kernel   mapped_64
//@ when     mapped && wide==64
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*128+1024+STAGING
//@ kernel   packed_256
//@ when     !mapped && wide==256
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*128+1024+STAGING
//@ kernel   packed_192
//@ when     !mapped && wide==192
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*128+1024+STAGING
//@ kernel   packed_128
//@ when     !mapped && wide==128
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*128+1024+STAGING
//@ kernel   packed_64
//@ when     !mapped && wide==64
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*128+1024+STAGING
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*ldp,1024), 8*SMS)
//@ block    256
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper: tf32, A in registers
//
// After 27_any_shape: the same division into tiles and shares of K, for floats that are rounded to
// tf32. wgmma requires that an operand of 32 bits in shared memory is contiguous along k, as A is
// in `nn` and both are in `nt`. 25_tf32 transposes the others in memory first, which takes a tenth
// of the time at 4096, and longer than all of a small product. But wgmma can also read its first
// operand from registers, and a thread can load these from a tile in any layout. So the operand
// with rows X, of which a block has 128, may be stored in either way, and only the other one, Y,
// of which it has `wide` rows, must be along k:
//
//           X                     Y                     sums
//     nn    B, registers          A                     C transposed (`turned`)
//     tt    A, registers          B                     C
//     nt    A, shared memory      B                     C             \ or the other way round,
//     tn    A, registers          B, packed             C             / and C transposed
//
// Where C may be transposed or not, it is if A has so few rows that most of a tile would be empty,
// or if A is packed in less time than B.
// An operand whose rows are not aligned to 16 bytes has no tensor map; then both are packed, along
// k, as for `nt`.
// Registers: a thread loads the 16 numbers of a step while the tensor cores multiply the previous
// one. A lane with an odd k loads k + 4 first: the lanes of a warp then read different banks.
// Stores: if the sums are all of a tile of C, and the rows of C are aligned to 16 bytes, C is
// written by the copy engine during the next tile's products (copy_out.h); sums of C transposed are
// turned on the way, two warps for 128 bytes of a row. Otherwise a block has one tile only. It
// writes its sums to the shared memory of its stages, as rows of C, where blocks that share K read
// those of one another, and stores them in whole rows, to C or, with `splits`, to P.
// Rounding: by the copy engine, since the maps are of tf32 (`math tf32`), or where it is packed.
// Tile: 128 x 64, 128, 192 or 256 by 32 deep; 2 warpgroups of 64 rows.
// Bounds for 8 of k and a warpgroup at 128 x 256: 128 cycles of the tensor cores, which read 256
// rows of 32 bytes of Y, 64 cycles of shared memory; 16 loads of X by its warps, 16 cycles.
// `cost` in ns is that of 27_any_shape, whose steps have as many bytes and take as long, with rates
// fitted to 700 times of 58 products on an H200, and `moved`, the time of the bytes that L2 gives.
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
// Occupancy on sm_90: 384 threads of 168 registers at the start, up to 230400 bytes: 1 block.
//
//     X stored across k, 32 x 32: 8 lanes (x) by 4 (k) load 4 times for 8 of k
//
//           x  0 .. 7   8 .. 15            register 0: k 0 .. 3, x 0 .. 7    1: x 8 .. 15
//     k 0 ..3 |  0   |   1   |             register 2: k 4 .. 7, x 0 .. 7    3: x 8 .. 15
//       4 ..7 |  2   |   3   |
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

// The elements of a packed box, 64 rows of X or Y by BK.
#define BOX (64 * BK)

// By maps: is C transposed (by `turned`, where both ways are possible), and are X and Y stored
// along k?
#define TURNED(turned) (TA != TB ? turned : !TA)
#define ALONG_X (!TA && TB)
#define ALONG_Y (!TA || TB)

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
    struct epilogue epilogue;
};

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
    mbarrier_expect(barrier, 128 * (128 + wide));
    if (p->PX)
        bulk_load(stage, p->PX + ((size_t)u->row * p->steps + step) * (128 * BK), 128 * 128,
                  barrier);
    else if (ALONG_X)
        tma_load(stage, p->map_x, x, k, barrier);
    else
        for (int i = 0; i < 4; i++)
            tma_load(stage + i * 4096, p->map_x, k, x + i * 32, barrier);
    for (int j = p->down; j < wide / 64; j += p->pair) {
        const unsigned to = stage_y + j * 4 * BOX;
        const T *const packed =
            p->PY + ((size_t)u->column * p->steps + step) * (wide * BK) + j * BOX;
        if (p->PY && p->pair == 1)
            bulk_load(to, packed, 4 * BOX, barrier);
        else if (p->PY)
            bulk_load_shared(to, packed, 4 * BOX, barrier, all);
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

// Multiplies 8 of k: 64 rows of X by the tile's width, with X in shared memory, ..
__device__ EXPANDED void multiply_8(int wide, float *sum, unsigned long long x,
                                    unsigned long long y, bool adds)
{
    if (wide == 256)
        wgmma_64x256x8(sum, x, y, adds);
    else if (wide == 192)
        wgmma_64x192x8(sum, x, y, adds);
    else if (wide == 128)
        wgmma_64x128x8(sum, x, y, adds);
    else
        wgmma_64x64x8(sum, x, y, adds);
}

// .. or in registers.
__device__ EXPANDED void multiply_8_of(int wide, float *sum, const unsigned *x,
                                       unsigned long long y, bool adds)
{
    if (wide == 256)
        wgmma_registers_x256x8(sum, x, y, adds);
    else if (wide == 192)
        wgmma_registers_x192x8(sum, x, y, adds);
    else if (wide == 128)
        wgmma_registers_x128x8(sum, x, y, adds);
    else
        wgmma_registers_x64x8(sum, x, y, adds);
}

// The numbers of 16 rows of X and a step of k that a lane has for wgmma, from a tile stored across
// k: rows of 128 bytes are steps of k, with 32 of x. `from` is where this lane's first k of the
// step is, and `piece` which piece of 16 bytes it would be without the swizzle.
__device__ EXPANDED void load_registers(unsigned *x, const char *from, int k, int piece)
{
#pragma unroll
    for (int i = 0; i < BK / 8; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int first = k % 2 * 4, second = 4 - first; // k, k + 4; or k + 4 and then k
            const int low = ((piece + 2 * h) ^ (k + first)) * 16 + first * 128;
            const int high = ((piece + 2 * h) ^ (k + second)) * 16 + second * 128;
            const unsigned one = *(const unsigned *)(from + i * 1024 + low);
            const unsigned two = *(const unsigned *)(from + i * 1024 + high);
            x[i * 4 + h] = first ? two : one;
            x[i * 4 + h + 2] = first ? one : two;
        }
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
        const float old = row < rows && column < columns ? C[(size_t)row * ldc + column] : 0;
        sum[i] = alpha * sum[i] + beta * old;
    }
}

// Stores a warp's sums, all of K for 16 rows of X from row x on and `wide` rows of Y from y on, by
// the copy engine. `staging` is that of all warps.
__device__ EXPANDED void store_sums(const struct product *p, int x, int y, int wide, float *sum,
                                    char *staging)
{
    const bool turned = TA == TB && p->turned; // where it is chosen, blocks have one tile only
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

// Adds the parts of rows of a tile, and stores them one element after another: adjacent lanes store
// adjacent elements, because rows of C begin anywhere.
__device__ EXPANDED void add_elements(const struct product *p, const struct tile *t, unsigned from,
                                      int first, int rows, int top, int left)
{
#pragma unroll 2
    for (int i = threadIdx.x - 128; i < rows * t->columns; i += 256) {
        const int y = first + i / t->columns, x = i % t->columns;
        float sum = 0;
        for (int s = 0; s < p->share; s++)
            sum += cluster_load_one(from + (y * t->pitch + x) * 4, p->share > 1 ? s : p->rank);
        T_C *const to = p->C + (size_t)(top + y) * p->ldc + left + x;
        if (top + y < p->M && left + x < p->N)
            *to = scaled(sum, p->alpha, p->beta, to);
    }
}

// Adds the parts of a tile, which the blocks of the cluster have in shared memory in place of the
// stages: each block adds and stores some of the rows, always in the order of the blocks. A block
// that shares with no other stores all of its own tile.
__device__ EXPANDED void add_shares(const struct product *p, const struct unit *u,
                                    const struct tile *t, unsigned from)
{
    const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
    const bool finishing = p->splits == 1 && finishes(&p->epilogue);
    const int rows = over(t->rows, p->share), first = p->share > 1 ? p->rank * rows : 0;
    const int top = (p->turned ? u->column : u->row) * t->rows;
    const int left = (p->turned ? u->row : u->column) * t->columns;
    if (!aligned && p->splits == 1 && !finishing) {
        add_elements(p, t, from, first, rows, top, left);
        return;
    }
    for (int i = threadIdx.x - 128; i < rows * t->columns / 4; i += 256) {
        const int y = first + i / (t->columns / 4), x = i % (t->columns / 4) * 4;
        const int row = top + y, column = left + x;
        if (row >= p->M || column >= p->N)
            continue;
        float4 sum = make_float4(0, 0, 0, 0);
        for (int s = 0; s < p->share; s++) {
            const int of = p->share > 1 ? s : p->rank;
            const float4 four = cluster_load(from + (y * t->pitch + x) * 4, of);
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

// A step with X in registers, `now`. While the tensor cores multiply, the numbers of the next step,
// if there is one, are loaded to `later`, which the previous step's products have read.
__device__ EXPANDED void step_of_registers(const struct product *p, const struct places *at,
                                           struct position *here, float *sum, unsigned *now,
                                           unsigned *later, int step, const struct unit *u,
                                           const char *stage_0, int offset, int k, int piece)
{
    const unsigned tile_y = at->base + here->stage * at->bytes + 128 * 128;
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < BK / 8; i++)
        multiply_8_of(at->wide, sum, now + i * 4, wgmma_descriptor(tile_y + i * 32, 0),
                      step > u->begin || i > 0);
    wgmma_commit();
    wgmma_wait(1); // the previous step's products are complete
    if (step > u->begin)
        leave_stage(p, at->empty + here->before * 8);
    advance(at, here);
    if (step + 1 < u->end) {
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        load_registers(later, stage_0 + here->stage * at->bytes + offset, k, piece);
    }
}

// Multiplies the steps of a unit with X in registers.
__device__ EXPANDED void multiply_registers(const struct product *p, const struct places *at,
                                            struct position *here, float *sum, const struct unit *u,
                                            const char *stage_0)
{
    // A box of the tile has 32 of x, and a warp 16 of them.
    const int warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32, k = lane % 4;
    const int offset = warp / 2 * 4096 + k * 128 + lane / 4 % 4 * 4;
    const int piece = warp % 2 * 4 + lane / 16;
    unsigned even[BK / 2], odd[BK / 2];
    if (u->begin < u->end) {
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        load_registers(even, stage_0 + here->stage * at->bytes + offset, k, piece);
    }
    for (int step = u->begin; step < u->end; step += 2) {
        step_of_registers(p, at, here, sum, even, odd, step, u, stage_0, offset, k, piece);
        if (step + 1 < u->end)
            step_of_registers(p, at, here, sum, odd, even, step + 1, u, stage_0, offset, k, piece);
    }
}

// The same with X in shared memory.
__device__ EXPANDED void multiply_shared(const struct product *p, const struct places *at,
                                         struct position *here, float *sum, const struct unit *u)
{
    const int group = threadIdx.x / 128 - 1;
    for (int step = u->begin; step < u->end; step++) {
        const unsigned tile_x = at->base + here->stage * at->bytes + group * (64 * 128);
        const unsigned tile_y = at->base + here->stage * at->bytes + 128 * 128;
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < BK / 8; i++)
            multiply_8(at->wide, sum, wgmma_descriptor(tile_x + i * 32, 0),
                       wgmma_descriptor(tile_y + i * 32, 0), step > u->begin || i > 0);
        wgmma_commit();
        wgmma_wait(1); // the previous step's products are complete
        if (step > u->begin)
            leave_stage(p, at->empty + here->before * 8);
        advance(at, here);
    }
}

// Two warpgroups multiply and store all units. Each has half of a tile's 128 rows of X. `sum` are
// registers of the caller.
__device__ EXPANDED void consume(const struct product *p, const struct places *at, char *stage_0,
                                 float *sum)
{
    const int wide = at->wide, x = threadIdx.x / 32 * 16 - 64;
    struct position here = {0, 0, 0};
    struct unit u = unit_of(p, at->first);
    for (int n = at->first; n < at->units; n += at->clusters) {
        if (ALONG_X || p->PX)
            multiply_shared(p, at, &here, sum, &u);
        else
            multiply_registers(p, at, &here, sum, &u, stage_0);
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
            add_shares(p, &u, &t, at->base);
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

// The kernels for each width: with X, and Y unless it is stored across k, by tensor maps; ..
__global__ void __launch_bounds__(NT, 1)
    mapped_256(int M, int N, int steps, int rows, int columns, int share, int splits, int turned,
               int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
               long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[128];
    const bool is_turned = TURNED(turned);
    struct product p = {is_turned ? &map_b : &map_a, is_turned ? &map_a : &map_b, 0,
                        ALONG_Y ? 0 : PY, M, N, steps, rows, columns, share, splits, alpha, beta,
                        C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = is_turned;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 256, sum);
}

__global__ void __launch_bounds__(NT, 1)
    mapped_192(int M, int N, int steps, int rows, int columns, int share, int splits, int turned,
               int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
               long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[96];
    const bool is_turned = TURNED(turned);
    struct product p = {is_turned ? &map_b : &map_a, is_turned ? &map_a : &map_b, 0,
                        ALONG_Y ? 0 : PY, M, N, steps, rows, columns, share, splits, alpha, beta,
                        C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = is_turned;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 192, sum);
}

__global__ void __launch_bounds__(NT, 1)
    mapped_128(int M, int N, int steps, int rows, int columns, int share, int splits, int turned,
               int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
               long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[64];
    const bool is_turned = TURNED(turned);
    struct product p = {is_turned ? &map_b : &map_a, is_turned ? &map_a : &map_b, 0,
                        ALONG_Y ? 0 : PY, M, N, steps, rows, columns, share, splits, alpha, beta,
                        C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = is_turned;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 128, sum);
}

__global__ void __launch_bounds__(NT, 1)
    mapped_64(int M, int N, int steps, int rows, int columns, int share, int splits, int turned,
              int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
              long long bias, int per_row, int activation,
              const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
              const __grid_constant__ CUtensorMap map_c)
{
    float sum[32];
    const bool is_turned = TURNED(turned);
    struct product p = {is_turned ? &map_b : &map_a, is_turned ? &map_a : &map_b, 0,
                        ALONG_Y ? 0 : PY, M, N, steps, rows, columns, share, splits, alpha, beta,
                        C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = is_turned;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 64, sum);
}

// .. and with both packed.
__global__ void __launch_bounds__(NT, 1)
    packed_256(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
               float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
               const T *PY, long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[128];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 256, sum);
}

__global__ void __launch_bounds__(NT, 1)
    packed_192(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
               float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
               const T *PY, long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[96];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 192, sum);
}

__global__ void __launch_bounds__(NT, 1)
    packed_128(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
               float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
               const T *PY, long long bias, int per_row, int activation,
               const __grid_constant__ CUtensorMap map_c)
{
    float sum[64];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 128, sum);
}

__global__ void __launch_bounds__(NT, 1)
    packed_64(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
              float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
              const T *PY, long long bias, int per_row, int activation,
              const __grid_constant__ CUtensorMap map_c)
{
    float sum[32];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, 64, sum);
}

// Packs a box of 64 rows by BK, rounded to tf32, in the layout of tma_load: rows of 128 bytes with
// swizzled pieces of 16 bytes. `rows` and `depth` of k are in the matrix; other elements become
// zero. 8 adjacent threads write pieces of 8 rows, or read 8 pieces of a row.
__device__ static inline void pack_box(T *to, bool along, const T *from, int ld, int rows,
                                       int depth)
{
    __shared__ uint4 box[64 * 8];
    for (int at = threadIdx.x; at < 64 * 8; at += PACK_NT) {
        const int row = along ? at / 8 : at % 64, piece = along ? at % 8 : at / 64;
        const T *first =
            along ? from + (size_t)row * ld + piece * V : from + (size_t)(piece * V) * ld + row;
        const int count = row < rows ? depth - piece * V : 0;
        unsigned word[V];
#pragma unroll
        for (int e = 0; e < V; e++)
            word[e] =
                e < count ? __float_as_uint(wgmma_tf32(first[along ? e : (size_t)e * ld])) : 0;
        box[row * 8 + (piece ^ row % 8)] = make_uint4(word[0], word[1], word[2], word[3]);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < 64 * 8; at += PACK_NT)
        ((uint4 *)to)[at] = box[at];
}

// The boxes of X, which is A, if both are packed, and then those of Y, which is B, or A if C is
// transposed. A tile of X has 2 boxes and one of Y wide/64, side by side for each step.
__global__ void __launch_bounds__(PACK_NT)
    pack(int M, int N, int K, const T *A, int lda, const T *B, int ldb, int steps, int boxes_x,
         int wide, int turned, T *PX, T *PY)
{
    wait_for_earlier_grids();
    const bool of_x = (int)blockIdx.y < boxes_x, of_a = of_x || turned;
    const int n = of_x ? blockIdx.y : blockIdx.y - boxes_x, each = of_x ? 2 : wide / 64;
    const int tile = n / each, step = blockIdx.x, row = n * 64, k = step * BK;
    T *const to =
        (of_x ? PX : PY) + (((size_t)tile * steps + step) * each + n - tile * each) * BOX;
    const bool along = of_a ? !TA : TB;
    const T *const from = of_a ? A : B;
    const int ld = of_a ? lda : ldb;
    pack_box(to, along, from + (along ? (size_t)row * ld + k : (size_t)k * ld + row), ld,
             (of_a ? M : N) - row, K - k);
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order, so the result is reproducible.
__global__ void __launch_bounds__(256)
    add_splits(int M, int N, float alpha, float beta, T_C *C, int ldc, const float *P, int ldp,
               int splits, long long bias, int per_row, int activation)
{
    wait_for_earlier_grids();
    const struct epilogue epilogue = epilogue_of(bias, per_row, activation, M, N);
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

// 27_any_shape.cu: the width of tiles is chosen for the shape, and a few tiles share K.
// SPDX-License-Identifier: MIT
//@ title    Tiles by the shape
//@ after    23_clusters
//@ idea     a cost model chooses the width of tiles, pairs of blocks and shares of K
//@ idea     few tiles: blocks of a cluster divide K of one tile, and add sums in its shared memory
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    GROUP 8 {2,4,8,16}
//@ param    TALL 0 {0,64,128}, WIDTH 0 {0,64,128,192,256}
//@ param    SHARE 0 {0,1,2,4,8}, PAIR 0 {0,1,2}, SPLITS 0 {0,1,32}
//@ let      BK = 64, V = 8, NT = 384, PACK_NT = 256
//@ let      PLACES = 2, STAGING = 8*2048*PLACES, PITCH = 40
//@ let      STAGES_LOW = 8, STAGES_64 = 8, STAGES_128 = 6, STAGES_192 = 4, STAGES_256 = 4
//@ require  SMEM_MAX >= STAGES_256*(128+256)*BK*2+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK)
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      bias = 0, per_row = 0, activation = 0
//@ choose   tile {0,1,2,3,4}, share {1,2,4,8}, splits {1,32}, pair {1,2}
//@ arg      low = tile==0, tall = 128-64*low, wide = 64*tile+128*low, size = pair*share
//@ arg      box = TA*64+(1-TA)*tall
//@ arg      rows = cdiv(M,tall*pair)*pair, columns = cdiv(N,wide)
//@ arg      few = (size<=2)*(SMS-SMS%size)+(size==4)*(SMS*7/8)+(size>=8)*(SMS*6/7)
//@ arg      slots = max(few,1)
//@ arg      parts = rows*columns*share*splits*batch, waves = cdiv(parts,slots)
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      whole = arrays || (aligned(A,16) && aligned(B,16))
//@ arg      mapped = K>0 && lda%V==0 && ldb%V==0 && whole
//@ arg      skew = mapped && (lda%64!=0 || ldb%64!=0)
//@ arg      stage = (tall+wide)*BK*2, read = stage-(pair-1)*wide*BK
//@ arg      shared = read*min(parts,slots)/(9100-1400*skew), area = tall*wide/128
//@ arg      multiplying = max(area*21/10+tall*3/8, 270-50*low)
//@ arg      step = max(max(stage/110, multiplying), max(shared, skew*read/80))
//@ arg      adding = (size>1)*400+waves*(share>1)*(330+25*area)+(splits>1)*6000
//@ arg      packing = (1-mapped)*(3200+(M+N)*K/1250+M*N/1100)
//@ arg      many = arrays || batch>1, apart = arrays || (stride_a%V==0 && stride_b%V==0)
//@ arg      batched = mapped && apart && splits==1 && share==1
//@ arg      fits = (size==1 || pair==1 || share==1) && steps>=2*share*splits
//@ arg      allowed = (fits || share*splits==1) && (!many || batched)
//@ arg      shaped = (!TALL || TALL==tall) && (!WIDTH || WIDTH==wide)
//@ arg      wanted = shaped && (!SHARE || SHARE==share)
//@ arg      asked = wanted && (!PAIR || PAIR==pair) && (!SPLITS || SPLITS==splits)
//@ arg      chunk = 128/C_BYTES, rows_of_16 = N*C_BYTES%16==0 && ldc*C_BYTES%16==0
//@ arg      whole_c = arrays || (aligned(C,16) && stride_c*C_BYTES%16==0)
//@ arg      stored = K>0 && rows_of_16 && whole_c && share==1
//@ arg      writing = (1-stored)*(17-5*many)+stored*((2-many)*3*C_BYTES/2+many)
//@ arg      storing = (share==1)*area*writing
//@ arg      moved = many*batch*(2*(M*K+K*N)+C_BYTES*M*N)/4870
//@ arg      products = waves*(depth*step*(100-32*many)/100+storing)
//@ arg      busy = max(products,moved)+min(products,moved)*56/100
//@ arg      ending = (share==1)*area*C_BYTES/2
//@ arg      cost = 1900+900*many+busy+adding+ending+packing+(!(allowed && asked))*1000000000
//@ least    cost
//@ arg      ldp = cdiv(N,4)*4, units = rows*columns/pair*splits*batch
//@ arg      blocks = (share>1)*units*share+(share==1)*min(units,SMS/pair)*pair
//@ work     PA = T[(1-mapped)*rows*steps*tall*BK]
//@ work     PB = T[(1-mapped)*columns*steps*wide*BK]
//@ work     P = f32[(splits>1)*splits*M*ldp]
//@ map      map_a = A[box,BK] swizzle128 by_address, map_b = B[64,BK] swizzle128 by_address
//@ map      map_c = C[16,chunk] swizzle128 optional by_address
//@ kernel   pack
//@ when     !mapped && K>0
//@ grid     steps, (rows*tall+columns*wide)/64
//@ block    PACK_NT
//@ kernel   mapped<128,256>
//@ when     mapped && tile==4
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*BK*2+1024+STAGING
//@ kernel   mapped<128,192>
//@ when     mapped && tile==3
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*BK*2+1024+STAGING
//@ kernel   mapped<128,128>
//@ when     mapped && tile==2
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*BK*2+1024+STAGING
//@ kernel   mapped<128,64>
//@ when     mapped && tile==1
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*BK*2+1024+STAGING
//@ kernel   mapped<64,128>
//@ when     mapped && low
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_LOW*(64+128)*BK*2+1024+STAGING
//@ kernel   packed<128,256>
//@ when     !mapped && tile==4
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*BK*2+1024+STAGING
//@ kernel   packed<128,192>
//@ when     !mapped && tile==3
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*BK*2+1024+STAGING
//@ kernel   packed<128,128>
//@ when     !mapped && tile==2
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*BK*2+1024+STAGING
//@ kernel   packed<128,64>
//@ when     !mapped && tile==1
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*BK*2+1024+STAGING
//@ kernel   packed<64,128>
//@ when     !mapped && low
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_LOW*(64+128)*BK*2+1024+STAGING
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*ldp,1024), 8*SMS)
//@ block    256
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper
//
// After 23_clusters: the division of a product is chosen for its shape, among the values of the
// line `choose`: tiles of 128 rows by 64, 128, 192 or 256 columns, or (`low`) of 64 by 128. `cost`
// estimates the time of the product in ns, from the lines above it:
//
//    waves     of as many parts as can run at a time (`slots`): a cluster of 4 or 8 blocks must fit
//              on a group of multiprocessors (GPC), which leaves some of them idle
//    step      64 of K: filling a stage, at the rate of a multiprocessor (110 bytes a ns, or 80 of
//              those that it requests itself if rows are not whole lines of 128 bytes) or, with
//              all of them, at that of L2 (9100 bytes a ns, less for such rows); or the products,
//              if they take longer
//    storing   of a tile to C; by the copy engine (`stored`) partly while the next is multiplied,
//              except for the last tile (`ending`)
//    adding    clusters start later, and shares have to be added
//    packing   rows that TMA cannot read: another launch
//
// The rates were fitted to 1600 times of 80 products on an H200, with random operands that were not
// in L2; of the divisions that it chooses, 1 in 10 takes more than 1.05 times as long as the
// fastest. The time of a launch, in a graph, and of packing were fitted to other products.
// Shares of K: the blocks of a cluster have the same tile. Each multiplies its share, writes its
// sums to its shared memory, where the stages were, and then adds some of the rows of all blocks,
// which it reads through distributed shared memory: no global memory is written, and no other
// launch follows. One tile or a few with a long K (64x64x65536) are also divided into 32 `splits`,
// whose sums go to global memory, and which add_splits adds.
// Between two tiles the tensor cores wait. What a tile of 128 x 256 took there on an H200, in
// cycles, and what shortened it: divisions that number the next tile (550; now during the first
// step), multiplications by an alpha of 1 and selections of zeros for a K of 0 (440; branches), and
// copies to C (1900 in bf16; a multiprocessor writes some 30 bytes a cycle). Before the first step:
// mbarriers (390, now 250), the barrier of the cluster (620, now 200, since no thread has anything
// to show the others); after the last, another such barrier (1650; now the producer waits until its
// stages are empty). Without effect or slower: a thread of another warp that requests the copies to
// C, with room for a whole tile and one stage less; copies of A to both blocks of a cluster.
// Packed operands: one launch packs A and B.
// Batches: the library sets the variables of the line `arg batch`. The units of all products are
// numbered consecutively, so that the next product's first steps are copied during the stores of
// this one. Matrices are a stride apart, or at addresses in arrays, and the tensor maps describe
// them `by_address` (tma.h), which takes no longer than a map of one matrix. Only the GPU knows
// whether the addresses in arrays are multiples of 16; if not, the threads of the producer warps
// copy the matrices, which takes three to six times as long.
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
// Occupancy on sm_90: 384 threads of 168 registers at the start, up to 230400 bytes: 1 block.
//
//     pair 2: two tiles, one B          share 4: one tile, K in four
//     +---------+                       block 0   1    2    3          block 0 adds rows 0 to 31
//     | block 0 |                      +----+----+----+----+           of all four, block 1 rows 32
//     +---------+  B read once    A    | K0 | K1 | K2 | K3 |           to 63, ..
//     | block 1 |                      +----+----+----+----+
//     +---------+
#include "cluster.h"
#include "copy_out.h"
#include "cp_async.h"
#include "dependent_launch.h"
#include "epilogue.h"
#include "mbarrier.h"
#include "of_batch.h"
#include "shares.h"
#include "store_rows.h"
#include "wgmma.h"

// A function that is always inlined, so that the width of the tile is a constant in it.
#define EXPANDED static inline __attribute__((always_inline))

// The elements of a box, 64 rows or columns by BK.
#define BOX (64 * BK)

// The number of stages for tiles of tall x wide.
#define STAGES_OF(tall, wide)                                                                      \
    ((tall) == 64    ? STAGES_LOW                                                                  \
     : (wide) == 64  ? STAGES_64                                                                   \
     : (wide) == 128 ? STAGES_128                                                                  \
     : (wide) == 192 ? STAGES_192                                                                  \
                     : STAGES_256)

// The data of a block: the product, and the source of its tiles: tensor maps, or packed tiles, one
// after another. The steps of BK along K are divided into share*splits parts.
struct product {
    const CUtensorMap *map_a, *map_b;
    const T *PA, *PB;
    int M, N, steps, rows, columns, share, splits;
    float alpha, beta;
    T_C *C;
    float *P;
    int ldc, ldp;
    int size, rank; // of the cluster, and this block's rank in it
    int pair, down; // pair: tiles of the cluster, one below the other; down: this block's
    const CUtensorMap *map_c; // null: rows of C are not aligned
    // A batch: the number of products, and where their matrices are (of_batch.h).
    const T *A, *B;
    int K, lda, ldb, batch, arrays;
    long long stride_a, stride_b, stride_c;
    struct epilogue epilogue;
};

// A part of a tile's steps, or all of them. `row` and `column` are in tiles; `index` is the product
// of a batch, or the split.
struct unit {
    int row, column, index;
};

// Steps from `begin` to before `end`.
struct range {
    int begin, end;
};

// The cluster's n-th unit, and this block's part of it. Units go down GROUP rows of tiles, then one
// column to the right: blocks that run at the same time form an almost square patch, and read fewer
// rows and columns.
__device__ static inline struct unit unit_of(const struct product *p, int n)
{
    const int rows = over(p->rows, p->pair), high = over(GROUP, p->pair), tiles = rows * p->columns;
    const int index = quotient(n, tiles), tile = n - index * tiles;
    const int first = quotient(tile, high * p->columns) * high, place = tile - first * p->columns;
    const int height = min(high, rows - first), column = quotient(place, height);
    struct unit u;
    u.row = (first + place - column * height) * p->pair + p->down;
    u.column = column;
    u.index = index;
    return u;
}

// This block's steps of a unit.
__device__ static inline struct range steps_of(const struct product *p, const struct unit *u)
{
    const int split = p->splits > 1 ? u->index : 0, parts = p->share * p->splits;
    const int part = split * p->share + (p->share > 1 ? p->rank : 0);
    struct range r;
    r.begin = first_step(p->steps, part, parts);
    r.end = first_step(p->steps, part + 1, parts);
    return r;
}

// The number of a unit's product in the batch.
__device__ static inline int product_of(const struct product *p, const struct unit *u)
{
    return p->splits > 1 ? 0 : u->index;
}

__device__ static inline int units_of(const struct product *p)
{
    return over(p->rows, p->pair) * p->columns * p->splits * p->batch;
}

// A box must begin inside the matrix. One that would begin after its `end` is not used, and the
// first box is copied in its place.
__device__ static inline int inside(int at, int end)
{
    return at < end ? at : 0;
}

// One thread issues the copies of the tile of A and of its block's boxes of that of B, which all
// blocks of the cluster receive; the mbarrier counts the bytes of both whole tiles. Fewer, larger
// boxes are better: three of 64 rows for a step of 128 columns took 0.05 us longer than two.
__device__ EXPANDED void fill_stage(const struct product *p, int tall, int wide, unsigned stage,
                                    unsigned barrier, const struct unit *u, int step, const T *A,
                                    const T *B)
{
    const unsigned stage_b = stage + 2 * tall * BK, all = (1 << p->pair) - 1;
    const int row = u->row * tall, column = u->column * wide, k = step * BK;
    mbarrier_expect(barrier, 2 * BK * (tall + wide));
    if (p->PA)
        bulk_load(stage, p->PA + ((size_t)u->row * p->steps + step) * (tall * BK), 2 * tall * BK,
                  barrier);
    else if (TA)
        for (int i = 0; i < tall; i += 64)
            tma_load_from(stage + i * 2 * BK, p->map_a, A, k, inside(row + i, p->M), barrier);
    else
        tma_load_from(stage, p->map_a, A, inside(row, p->M), k, barrier);
    for (int j = p->down; j < wide / 64; j += p->pair) {
        const unsigned to = stage_b + j * 2 * BOX;
        const int at = inside(column + j * 64, p->N), y = TB ? at : k, x = TB ? k : at;
        const T *packed = p->PB + ((size_t)u->column * p->steps + step) * (wide * BK) + j * BOX;
        if (p->PB && p->pair == 1)
            bulk_load(to, packed, 2 * BOX, barrier);
        else if (p->PB)
            bulk_load_shared(to, packed, 2 * BOX, barrier, all);
        else if (p->pair == 1)
            tma_load_from(to, p->map_b, B, y, x, barrier);
        else
            tma_load_from_shared(to, p->map_b, B, y, x, barrier, all);
    }
}

// Loads V adjacent elements of a row in memory, of which `count` are in the matrix; the others
// become zero.
__device__ static inline uint4 load_vector(const T *from, int count)
{
    unsigned word[V / 2] = {};
#pragma unroll
    for (int e = 0; e < V; e++)
        if (e < count)
            word[e / 2] |= (unsigned)((const unsigned short *)from)[e] << 16 * (e % 2);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// The same if all V are: as words and, at an odd position, 2 bytes before and after them.
__device__ static inline uint4 load_whole(const T *from)
{
    const unsigned *words = (const unsigned *)from;
    if ((size_t)from % 4 == 0)
        return make_uint4(words[0], words[1], words[2], words[3]);
    const unsigned short *halves = (const unsigned short *)from;
    words = (const unsigned *)(halves + 1);
    const unsigned a = words[0], b = words[1], c = words[2];
    return make_uint4(halves[0] | a << 16, a >> 16 | b << 16, b >> 16 | c << 16,
                      c >> 16 | (unsigned)halves[V - 1] << 16);
}

// Packs a tile of `side` rows of A or columns of B by BK in the layout of tma_load: boxes with rows
// of 128 bytes, in which the pieces of 16 bytes are swizzled.
template <int threads>
__device__ static inline void pack_tile(T *to, int side, bool along, const T *from, int ld,
                                        int rows, int columns)
{
    for (int at = threadIdx.x; at < side * BK / V; at += threads) {
        const int box = along ? 0 : at / (BK * 8), y = along ? at / 8 : at / 8 % BK;
        const int x = box * 64 + at % 8 * V;
        const T *vector = from + (size_t)y * ld + x;
        const int count = y < rows ? columns - x : 0;
        *(uint4 *)(to + (at / 8 * 8 + (at % 8 ^ y % 8)) * V) =
            count >= V ? load_whole(vector) : load_vector(vector, count);
    }
}

// Fills a stage without the copy engine, by all four producer warps: no tensor map describes
// matrices whose addresses are not multiples of 16. Each block of a cluster fills its whole stage.
__device__ EXPANDED void fill_by_threads(const struct product *p, int tall, int wide, T *stage,
                                         unsigned barrier, const struct unit *u, int step,
                                         const T *A, const T *B)
{
    const int row = u->row * tall, column = u->column * wide, k = step * BK;
    pack_tile<128>(stage, tall, !TA, A + (TA ? (size_t)k * p->lda + row : (size_t)row * p->lda + k),
                   p->lda, TA ? p->K - k : p->M - row, TA ? p->M - row : p->K - k);
    pack_tile<128>(stage + tall * BK, wide, TB,
                   B + (TB ? (size_t)column * p->ldb + k : (size_t)k * p->ldb + column), p->ldb,
                   TB ? p->N - column : p->K - k, TB ? p->K - k : p->N - column);
    bulk_sees_shared();
    warps_sync(2, 128);
    if (threadIdx.x == 0)
        mbarrier_arrive(barrier);
}

// Fills the stages of all units, from matrices whose addresses are in arrays: by the copy engine,
// for which one thread is enough, or by all threads of the producer warps. All of them begin such a
// unit together, so that none waits for a stage of an earlier one.
__device__ EXPANDED void produce_from_arrays(const struct product *p, int tall, int wide,
                                             float *stage_0, unsigned full, unsigned empty,
                                             int first, int clusters)
{
    const int stages = STAGES_OF(tall, wide), elements = BK * (tall + wide), units = units_of(p);
    int done = 0;
    for (int n = first; n < units; n += clusters) {
        const struct unit u = unit_of(p, n);
        const struct range steps = steps_of(p, &u);
        const T *const A = of_batch(p->A, 0, true, u.index);
        const T *const B = of_batch(p->B, 0, true, u.index);
        const bool mapped = ((size_t)A | (size_t)B) % 16 == 0;
        if (!mapped)
            warps_sync(2, 128);
        for (int step = steps.begin; step < steps.end; step++, done++) {
            const int stage = done % stages;
            T *const to = (T *)stage_0 + stage * elements;
            if (mapped && threadIdx.x >= 32)
                continue;
            mbarrier_wait(empty + stage * 8, done / stages % 2 ^ 1);
            if (!mapped)
                fill_by_threads(p, tall, wide, to, full + stage * 8, &u, step, A, B);
            else if (elected())
                fill_stage(p, tall, wide, shared_address(to), full + stage * 8, &u, step, A,
                           B);
        }
    }
    for (int i = 0; i < stages && threadIdx.x == 0; i++, done++)
        mbarrier_wait(empty + done % stages * 8, done / stages % 2 ^ 1); // see produce
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

// The descriptor of 16 of k of a tile: 32 bytes of each row, or 16 rows.
__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
}

// Stores a warp's sums, in rows from `row` on, through its rows in `staging`.
template <class Element>
__device__ EXPANDED void store_warp(Element *out, int ld, bool aligned, const struct product *p,
                                    int row, int column, int wide, const float *sum, float *mine,
                                    float alpha, float beta)
{
#pragma unroll
    for (int c = 0; c < wide; c += 32) {
        put_sums(mine, PITCH, sum + c / 2);
        __syncwarp();
        store_rows(out + (size_t)row * ld + column + c, ld, p->M - row, p->N - column - c, aligned,
                   mine, PITCH, alpha, beta);
        __syncwarp();
    }
}

// Stores a warp's sums, from (row, column) on, of a tile of which no other block has a part, to C
// or to the matrix of this split in P, which add_splits reads. For a C of floats, the code for both
// is the same.
__device__ EXPANDED void store_sums(const struct product *p, const struct unit *u, int row,
                                    int column, int wide, float *sum, float *staging)
{
    float *const mine = staging + (threadIdx.x / 32 - 4) * (STAGING / 32);
    float *const part = p->P + (size_t)u->index * p->M * p->ldp;
    T_C *const C = of_batch(p->C, p->stride_c, p->arrays, product_of(p, u));
    const bool whole = p->splits == 1, finishing = whole && finishes(&p->epilogue);
    const float alpha = whole && !finishing ? p->alpha : 1;
    if (finishing) {
        const struct epilogue here = epilogue_at(&p->epilogue, row, column);
        finish_sums(&here, wide, sum, p->alpha);
        if (is_gelu(&here))
            gelu_sums(&here, wide / 2, 16, sum);
    }
    const bool reads = whole && p->beta != 0;
    if (whole && p->map_c && (size_t)C % 16 == 0 && (!reads || p->N - column >= wide)) {
        if (reads)
            add_old(C + (size_t)row * p->ldc + column, p->ldc, p->M - row, wide, sum, alpha,
                    p->beta);
        else
            scale_sums(wide / 2, sum, alpha);
        copy_out<PLACES>(p->map_c, C, p->M - row, p->N - column, row, column, wide, sum,
                         (char *)mine);
        return;
    }
    bulk_wait_read<0>(); // copies of an earlier tile may read these bytes
    __syncwarp();
    if (whole || sizeof(T_C) == 4) {
        T_C *const out = whole ? C : (T_C *)part;
        const int ld = whole ? p->ldc : p->ldp;
        store_warp(out, ld, ld % 4 == 0 && (size_t)out % (4 * sizeof(T_C)) == 0, p, row, column,
                   wide, sum, mine, alpha, whole ? p->beta : 0);
    } else {
        store_warp(part, p->ldp, true, p, row, column, wide, sum, mine, 1, 0);
    }
}

// Adds the parts of a tile, which the blocks of the cluster have in shared memory in place of the
// stages: each block adds and stores some of the rows, always in the order of the blocks.
__device__ EXPANDED void add_shares(const struct product *p, const struct unit *u, int tall,
                                    int wide, unsigned tile)
{
    T_C *const first = of_batch(p->C, p->stride_c, p->arrays, product_of(p, u));
    const bool aligned = p->ldc % 4 == 0 && (size_t)first % (4 * sizeof(T_C)) == 0;
    const int pitch = wide + 8, rows = tall / p->share;
    for (int i = threadIdx.x - 128; i < rows * wide / 4; i += 256) {
        const int y = p->rank * rows + i / (wide / 4), x = i % (wide / 4) * 4;
        const int row = u->row * tall + y, column = u->column * wide + x;
        if (row >= p->M || column >= p->N)
            continue;
        float4 sum = make_float4(0, 0, 0, 0);
        for (int s = 0; s < p->share; s++) {
            const float4 four = cluster_load(tile + (y * pitch + x) * 4, s);
            sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
        }
        const bool finishing = p->splits == 1 && finishes(&p->epilogue);
        if (finishing)
            sum = finish_four(&p->epilogue, row, column, sum, p->alpha);
        if (p->splits == 1)
            store_up_to_four(first + (size_t)row * p->ldc + column, p->N - column, aligned, sum,
                             finishing ? 1 : p->alpha, p->beta);
        else
            *(float4 *)(p->P + ((size_t)u->index * p->M + row) * p->ldp + column) = sum;
    }
}

// Multiplies 16 of k of a step: 64 rows of a warpgroup by the tile's width.
__device__ EXPANDED void multiply_16(int wide, float *sum, unsigned long long a,
                                     unsigned long long b, bool adds)
{
    const T *const type = 0;
    if (wide == 256)
        wgmma_64x256x16(type, sum, a, b, adds, TA, !TB);
    else if (wide == 192)
        wgmma_64x192x16(type, sum, a, b, adds, TA, !TB);
    else if (wide == 128)
        wgmma_64x128x16(type, sum, a, b, adds, TA, !TB);
    else
        wgmma_64x64x16(type, sum, a, b, adds, TA, !TB);
}

// The data of a block's warps: its tiles' rows and columns, where its stages and mbarriers are, and
// its units.
struct places {
    int tall, wide;
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
    for (int n = at->first; n < at->units; n += at->clusters, u = unit_of(p, n)) {
        const struct range steps = steps_of(p, &u);
        const T *const A = p->A + product_of(p, &u) * p->stride_a;
        const T *const B = p->B + product_of(p, &u) * p->stride_b;
        for (int step = steps.begin; step < steps.end; step++) {
            mbarrier_wait(at->empty + stage * 8, parity ^ 1);
            fill_stage(p, at->tall, at->wide, at->base + stage * at->bytes, at->full + stage * 8,
                       &u, step, A, B);
            stage = stage == at->stages - 1 ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    }
    // A block must not end before the other blocks have arrived at its mbarriers.
    for (int i = 0; i < at->stages; i++) {
        mbarrier_wait(at->empty + stage * 8, parity ^ 1);
        stage = stage == at->stages - 1 ? 0 : stage + 1;
        parity ^= stage == 0;
    }
}

// While the tensor cores multiply the first step of a unit: the next unit, n, because its divisions
// take as long as half a step, and C, which beta multiplies, to L2.
__device__ EXPANDED void look_ahead(const struct product *p, const struct places *at, int n,
                                    int row, const struct unit *u, struct unit *next)
{
    if (n < at->units)
        *next = unit_of(p, n);
    if (p->beta == 0 || p->share * p->splits > 1)
        return;
    const T_C *const C = of_batch(p->C, p->stride_c, p->arrays, u->index);
    const int y = u->row * at->tall + row, x = u->column * at->wide;
    prefetch_old(C + (size_t)y * p->ldc + x, p->ldc, p->M - y, p->N - x, at->wide);
}

// The number of steps of the n-th unit.
__device__ static inline int count_of(const struct product *p, int n)
{
    const struct unit u = unit_of(p, p->splits > 1 ? n : 0);
    const struct range steps = steps_of(p, &u);
    return steps.end - steps.begin;
}

// Two warpgroups multiply and store all units. Each has half of a tile's 128 rows; or a tile has 64
// rows, and they multiply units by turns, so that one's stores take place during the other's
// products. A warpgroup must not wait for a stage before its turn: it would take an earlier phase
// of the mbarrier for its own. `sum` are registers of the caller.
__device__ EXPANDED void consume(const struct product *p, const struct places *at, float *stage_0,
                                 float *sum)
{
    const int tall = at->tall, wide = at->wide, warp = threadIdx.x / 32 - 4, group = warp / 4;
    const bool turns = tall == 64 && p->share == 1, idle = tall == 64 && p->share > 1 && group == 1;
    const int row = (tall == 64 ? warp % 4 : warp) * 16, stride = at->clusters * (turns ? 2 : 1);
    int stage = 0, n = at->first;
    unsigned parity = 0;
    if (turns && group == 1) {
        stage = count_of(p, n);
        n += at->clusters;
        warps_arrive(3, 256); // it is the first warpgroup's turn
    }
    struct unit u = unit_of(p, n), next = u;
    for (; n < at->units; n += stride, u = next) {
        parity ^= stage / at->stages % 2;
        stage %= at->stages;
        const struct range steps = steps_of(p, &u);
        const int end = idle ? steps.begin : steps.end;
        int before = 0;
        if (turns)
            warps_sync(3 + group, 256);
        for (int step = steps.begin; step < end; step++) {
            const unsigned tiles = at->base + stage * at->bytes;
            const unsigned tile_a = tiles + (tall == 64 ? 0 : group * 2 * BOX);
            const unsigned tile_b = tiles + 2 * tall * BK;
            mbarrier_wait(at->full + stage * 8, parity);
            wgmma_fence();
#pragma unroll
            for (int k = 0; k < BK; k += 16)
                multiply_16(wide, sum, part_of(tile_a, TA, k), part_of(tile_b, !TB, k),
                            step > steps.begin || k > 0);
            wgmma_commit();
            if (step == steps.begin)
                look_ahead(p, at, n + stride, row, &u, &next);
            // The products of the previous step are complete: this warp has read its stage.
            wgmma_wait(1);
            if (step > steps.begin)
                leave_stage(p, at->empty + before * 8);
            before = stage;
            stage = stage == at->stages - 1 ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        if (turns && n + at->clusters < at->units)
            warps_arrive(4 - group, 256); // now the other's
        wgmma_wait(0);
        if (steps.begin < end)
            leave_stage(p, at->empty + before * 8);
        if (steps.begin >= end) { // K is 0, or there are more parts than steps
            asm volatile("" ::: "memory"); // a branch instead of selections for each tile
#pragma unroll
            for (int i = 0; i < wide / 2; i++)
                sum[i] = 0;
            look_ahead(p, at, n + stride, row, &u, &next);
        }
        if (p->share == 1) {
            store_sums(p, &u, u.row * tall + row, u.column * wide, wide, sum,
                       stage_0 + at->stages * at->bytes / 4);
            if (turns)
                stage += count_of(p, n + at->clusters); // the other warpgroup's
            continue;
        }
        // Both warpgroups have read all of this block's stages, and no other unit follows.
        warps_sync(1, 256);
        float *const mine = stage_0 + row * (wide + 8);
#pragma unroll
        for (int c = 0; c < wide; c += 32)
            if (!idle)
                put_sums(mine + c, wide + 8, sum + c / 2);
        cluster_sync();
        add_shares(p, &u, tall, wide, at->base);
    }
}

// `sum` is wide/2 registers of the caller.
__device__ EXPANDED void multiply(struct product *p, int tall, int wide, float *sum)
{
    p->size = cluster_size();
    p->rank = cluster_rank();
    p->pair = over(p->size, p->share);
    p->down = p->share > 1 ? 0 : p->rank;
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * STAGES_LOW];
    const int stages = STAGES_OF(tall, wide), bytes = 2 * BK * (tall + wide);
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    const unsigned full = shared_address(barriers), empty = full + stages * 8;
    const struct places at = {tall, wide, base, full, empty, stages, bytes,
                              over(blockIdx.x, p->size), over(gridDim.x, p->size), units_of(p)};
    float *const stage_0 = (float *)(shared + (base - shared_address(shared)) / 16);
    const int warp = threadIdx.x / 32;
    if (warp == 1 && elected()) {
        if (p->map_a) {
            tma_prefetch(p->map_a);
            tma_prefetch(p->map_b);
        }
#pragma unroll
        for (int i = 0; i < stages; i++) {
            mbarrier_init(full + i * 8, 1);
            mbarrier_init(empty + i * 8, tall / 16 * p->pair);
        }
        mbarrier_init_done();
    }
    const struct unit u = unit_of(p, at.first);
    if (p->pair > 1)
        cluster_sync_relaxed();
    else
        __syncthreads();
    wait_for_earlier_grids();
    if (warp >= 4) {
        warpgroup_takes_registers(224);
        consume(p, &at, stage_0, sum);
        bulk_wait_read<0>(); // the copies to C have read this block's shared memory
    } else {
        warpgroup_keeps_registers(56);
        if (p->arrays)
            produce_from_arrays(p, tall, wide, stage_0, full, empty, at.first, at.clusters);
        else if (warp == 0 && elected())
            produce(p, &at, u);
        __syncwarp();
        if (p->share > 1)
            cluster_sync();
    }
    if (p->share > 1)
        cluster_sync_relaxed(); // a block must not end while others read its shared memory
}

// The kernels for each width, with tiles by tensor maps and with packed tiles.
template <int tall, int wide>
__global__ void __launch_bounds__(NT, 1)
    mapped(int M, int N, int steps, int rows, int columns, int share, int splits, float alpha,
           float beta, T_C *C, int ldc, float *P, int ldp, int stored, const T *A, const T *B,
           int K, int lda, int ldb, int batch, int arrays, long long stride_a,
           long long stride_b, long long stride_c, long long bias, int per_row, int activation,
           const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {&map_a, &map_b, 0,     0,    M, N, steps, rows, columns,
                        share,  splits, alpha, beta, C, P, ldc,   ldp};
    p.A = A, p.B = B, p.K = K, p.lda = lda, p.ldb = ldb, p.batch = batch, p.arrays = arrays;
    p.stride_a = stride_a, p.stride_b = stride_b, p.stride_c = stride_c;
    p.map_c = stored ? &map_c : 0;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, tall, wide, sum);
}

template <int tall, int wide>
__global__ void __launch_bounds__(NT, 1)
    packed(int M, int N, int steps, int rows, int columns, int share, int splits, float alpha,
           float beta, T_C *C, int ldc, float *P, int ldp, int stored, const T *PA, const T *PB,
           long long bias, int per_row, int activation,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {0,     0,      PA,    PB,   M, N, steps, rows, columns,
                        share, splits, alpha, beta, C, P, ldc,   ldp};
    p.batch = 1, p.arrays = 0;
    p.map_c = stored ? &map_c : 0;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, tall, wide, sum);
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

// Each block packs a box, first those of A: 64 rows by 64 of k or, of a matrix that is stored
// across k, 64 of k by 64 columns.
__global__ void __launch_bounds__(PACK_NT)
    pack(int M, int N, int K, const T *A, int lda, const T *B, int ldb, int steps, int rows,
         int tall, int wide, T *PA, T *PB)
{
    wait_for_earlier_grids();
    const int step = blockIdx.x, k = step * BK, row = blockIdx.y * 64, column = row - rows * tall;
    if (column < 0) {
        T *const tile = PA + ((size_t)(row / tall) * steps + step) * (tall * BK);
        pack_tile<PACK_NT>(tile + row % tall * BK, 64, !TA,
                           A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda,
                           TA ? K - k : M - row, TA ? M - row : K - k);
    } else {
        T *const tile = PB + ((size_t)(column / wide) * steps + step) * (wide * BK);
        pack_tile<PACK_NT>(tile + column % wide * BK, 64, TB,
                           B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                           TB ? N - column : K - k, TB ? K - k : N - column);
    }
}

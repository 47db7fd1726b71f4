// 12_best.cu: plain float32 at the speed of cuBLAS: block order, larger tiles, stream-K.
// SPDX-License-Identifier: MIT
//@ title    Best plain float32
//@ after    11_async
//@ idea     all four transposes: only the copies to shared memory differ
//@ idea     blocks that run at the same time share rows of A and columns of B in L2
//@ idea     stream-K: the tiles that would fill only part of a wave are cut into equal shares
//@ idea     six shapes of tiles; a cost model chooses one, and the number of parts of K
//@ type     f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128,256}, BN 256 {64,128,256}, BK 16 {8,16}, WS 64 {32,64}
//@ param    STAGES 3 {2,3,4}, GROUP 8 {1,4,8,16}
//@ let      NT = (BM/WS)*(BN/WS)*32, SMALL_NT = 128, PAD = 4, DEEP = BK-TB*(BK-8)
//@ require  BM%WS==0 && BN%WS==0 && NT%BM==0 && NT%BN==0 && NT<=1024
//@ require  BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "each thread copies whole vectors"
//@ require  BK%(NT/32)==0 && BM*BK%NT==0 && BN*8%NT==0 "each warp copies whole rows"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      many = arrays || batch > 1, deep = cdiv(max(K,1),BK)
//@ arg      unaligned = ldc%4!=0 || !aligned(C,16)
//@ choose   tile {0,1,2,3,4,5}, fill {0,1,2,3,4,6,8,12}
//@ arg      large = tile==0, middle = tile==1 || tile==2, small = tile>2
//@ arg      high = large*BM + (tile==1||tile==3)*64 + (tile==2||tile==4)*128 + (tile==5)*32
//@ arg      wide = large*BN + (tile==1||tile==5)*128 + (tile==2||tile==3)*64 + (tile==4)*32
//@ arg      tiles = cdiv(M,high)*cdiv(N,wide), most = max(deep*BK/64,1)
//@ arg      parts = (1-many)*clamp(fill*SMS/tiles,1,most) + many
//@ arg      depth = cdiv(deep,parts)*BK, splits = cdiv(deep*BK,depth)
//@ arg      rest = tiles%SMS, whole = tiles-rest, alone = large && !fill && !many
//@ arg      cut = alone && tiles>SMS && rest>0
//@ arg      share = max(cdiv(rest*deep,SMS), 64/BK), workers = cdiv(rest*deep,share)
//@ arg      each = cdiv(tiles*splits*batch,SMS), rounds = cdiv(each,large+3*middle+4*small)
//@ arg      full = cdiv(tiles*max(splits-1,1)*batch,SMS), last = deep*BK-(splits-1)*depth
//@ arg      one = 330*middle + 190*small
//@ arg      more = 2700*large + 590*middle + 330*small + 22*(tile==4)
//@ arg      along_a = (1-TA)*(12*middle+51*small), along_b = TB*(74*large+29*middle+49*small)
//@ arg      copied = (along_a+13*(lda%4!=0))*high + (along_b+13*(ldb%4!=0))*wide
//@ arg      begun = 5500*large + 1160*middle, own = 600*middle + 530*small
//@ arg      stored = unaligned*(splits==1)*(13000*large+350*middle+80*small)
//@ arg      walked = cut*(whole/SMS*deep+share)*BK + (1-cut)*(full*depth+(each-full)*last)
//@ arg      added = (splits>1)*(1700+splits*20+M*N*(splits+1)/970) + cut*8600
//@ arg      ends = rounds*begun + each*own + (each-cut)*stored
//@ arg      cost = ends + rounds*one*depth/16 + (100*more+copied)*walked/1600 + added
//@ least    cost + 850
//@ work     P = T[max((splits>1)*splits*M*cdiv(N,4)*4, cut*2*workers*BM*BN)]
//@ kernel   multiply_large
//@ when     large && !cut
//@ grid     tiles, splits, batch
//@ block    NT
//@ smem     STAGES*BK*(BM+BN+2*PAD)*4
//@ kernel   multiply_64x128
//@ when     tile==1
//@ grid     tiles, splits, batch
//@ block    SMALL_NT
//@ smem     STAGES*BK*(64+128+2*PAD)*4
//@ kernel   multiply_128x64
//@ when     tile==2
//@ grid     tiles, splits, batch
//@ block    SMALL_NT
//@ smem     STAGES*BK*(128+64+2*PAD)*4
//@ kernel   multiply_64x64
//@ when     tile==3
//@ grid     tiles, splits, batch
//@ block    SMALL_NT
//@ smem     STAGES*BK*(64+64+2*PAD)*4
//@ kernel   multiply_128x32
//@ when     tile==4
//@ grid     tiles, splits, batch
//@ block    SMALL_NT
//@ smem     STAGES*BK*(128+32+2*PAD)*4
//@ kernel   multiply_32x128
//@ when     tile==5
//@ grid     tiles, splits, batch
//@ block    SMALL_NT
//@ smem     STAGES*BK*(32+128+2*PAD)*4
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*N,256), 4096)
//@ block    256
//@ kernel   multiply_shares
//@ when     cut
//@ grid     whole+workers
//@ block    NT
//@ smem     STAGES*BK*(BM+BN+2*PAD)*4
//@ kernel   add_shares
//@ when     cut
//@ grid     BM*BN/1024, rest
//@ block    256
//@ expect   spills == 0
//@ source   Osama et al., Stream-K: work-centric parallel decomposition for GEMM (2023)
//
// After 11_async: a block has twice the columns and a stage twice the depth, blocks are ordered for
// L2, A and B may be stored transposed, and all multiprocessors work on the last tiles.
// Tile: 128 x 256 by 16 deep; 8 warps of 64 x 64; a thread's sums are 4 x 2 pieces of 4 x 4, so
// that each fragment is read 16 bytes at a time and a warp's reads of B are 128 bytes without
// conflict.
// Intensity at 4096: 2*128*256 / (4*(128+256)) = 42.7 FLOP/byte from L2; from shared memory 2*128 /
// (4*24) = 2.7, so 6 reads of 16 bytes for 128 multiply-adds.
// Occupancy on sm_90: 1 block of 256 threads (255 registers), 8 of 64 warps: latency is hidden by
// independent multiply-adds of a thread, not by other warps.
// Waves: 3072 has 24*12 = 288 tiles, 2.18 waves of 132 multiprocessors, and would take the time of
// 3. The 24 tiles after 2 full waves are 24*192 = 4608 steps of 16 along K: 35 for each of 132
// blocks. A share is less than a tile, so it is a part of at most two, and leaves two partial tiles
// in P; add_shares sums them in a fixed order. 4096: 512 tiles, 3.88 waves and not 4. A share
// is also written to P and read again, which takes as long as about 128 of K.
// Small tiles: 64 x 64, 128 x 32 and 32 x 128 by 4 warps of 32 x 32, four blocks a multiprocessor;
// 64 x 128 and 128 x 64 by 4 warps of 32 x 64, three blocks. K may be split into equal parts of at
// least 64, so that each multiprocessor has `fill` blocks.
// The cost is in ns on an H200. If a multiprocessor has n blocks and room for r at a time, they
// take rounds = n/r, rounded up, and 16 steps of all of them take rounds*one + n*more: `one` is
// latency, which blocks of a round overlap, and `more` is the time of the multiply-adds and of
// shared memory. The last part of K may be shorter, and its blocks run last: `full` of n have
// the full depth. Copies of 4 bytes add to each step (`copied`, hundredths of ns a row): those
// of operands that are contiguous along k, and of rows that are not aligned. Each block has a
// constant time of its `own`, and each round another one that nothing overlaps (`begun`).
// Fitted to 260 products, each computed with every tile and several numbers of parts, with
// operands in L2, in a CUDA graph; a launch in it takes 850 ns more. For 260 other products,
// which were not used for the fit, the chosen variant takes 1.005 times as long as the
// best.
// Rows of C that are not aligned (`unaligned`): sums of small tiles go through shared memory, so
// that a warp writes 128 contiguous bytes; the large tile has no registers left for that. Rows of P
// are always aligned. Batches: the library sets the variables of the line `arg batch`; blockIdx.z
// is the product's number, and no product is split along K. With `arrays`, A, B and C are arrays
// of addresses in the GPU's memory, one for each product.
//
//                    BK           BN                    one warp, 64 x 64
//                  +----+     +--------+               lane 0   1 .. 7      0   1
//              BM  | A  |     |   B    | BK           +----+----+---+----+----+----+--
//                  +----+     +--------+            0 | 4x4|    |   |    | 4x4|
//                    |            |                 8 |    |    |   |    |    |       4 lanes down,
//                    v            v                   +----+----+---+----+----+----+  8 across,
//        stages     [0] [1] [2], k is the row,      0 | 4x4|    |   |    | 4x4|       then again
//        in shared  PAD floats after each row         +----+----+---+----+----+----+--
//
//        the last tiles, end to end along K:   | tile w        | tile w + 1    | tile w + 2    |
//        the shares of blocks:                 |  0   |  1   |  2   |  3   |  4   |  5   |  6  |
#include "cp_async.h"
#include "dependent_launch.h"
#include "of_batch.h"

// A function that is always inlined, so that the extents of the tile are constants in it.
#define EXPANDED static inline __attribute__((always_inline))

// The maximal number of lanes that read a row along k, found by measuring; and the maximal number
// of rows in memory that a thread copies from.
#define ALONG_A (TA ? 0 : BK)
#define ALONG_B (TB ? 8 : 0)
#define MOST_ROWS 16

// The data of a block: the GEMM, and the part of a tile that it computes.
struct part {
    int M, N, K;
    T alpha, beta;
    const T *A, *B;
    T *out;            // the tile's position in C, or this part's position in P
    int lda, ldb, ldo; // row strides in elements
    int row, column;   // the first row and column of the tile
    int begin, length; // the range along K
    bool whole;        // the part is all of K, and out is in C
};

// The copies of one thread for an operand's tile, W rows of A or columns of B by BK steps of k.
// `from` has an address for each of its rows in memory. Further copies of a row are at constant
// distances, both in global and in shared memory, which need no instructions.
struct copies {
    const T *from[MOST_ROWS];
    unsigned to; // its address in the first stage
    int left;    // steps of k left from this thread's first one on; 0 and less: none
    int wide;    // how many of the W rows or columns are in the matrix
    bool vectors;
};

// k is contiguous in memory: 8 or 16 adjacent threads copy adjacent steps of a row. Their places in
// shared memory are 4 banks apart (PAD). Rows outside of the matrix are replaced by other rows,
// because their sums are not stored.
__device__ EXPANDED void begin_along_k(struct copies *c, int lanes, int W, int threads,
                                       const T *from, int ld, unsigned to, int wide, int length)
{
    const int w = threadIdx.x / lanes, k = threadIdx.x % lanes;
#pragma unroll
    for (int i = 0; i < W * lanes / threads; i++)
        c->from[i] = from + (size_t)min(w + i * (threads / lanes), wide - 1) * ld + k;
    c->to = to + (k * (W + PAD) + w) * 4;
    c->left = length - k;
}

__device__ EXPANDED void copy_along_k(struct copies *c, int lanes, int W, int threads,
                                      unsigned stage)
{
    const int below = threads / lanes;
    const unsigned to = c->to + stage;
#pragma unroll
    for (int i = 0; i < W * lanes / threads; i++) {
#pragma unroll
        for (int j = 0; j < BK; j += lanes)
            cp_async_4_unless(to + (j * (W + PAD) + i * below) * 4, c->from[i] + j, c->left <= j);
        c->from[i] += BK;
    }
    c->left -= BK;
}

// k is strided in memory: a warp copies a row at a time. A whole, aligned tile is copied in vectors
// of 16 bytes; if a row has fewer than 32 of them, other lanes copy the next rows.
__device__ EXPANDED void begin_across_k(struct copies *c, int W, int threads, const T *from, int ld,
                                        unsigned to, int wide, int length, bool aligned)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = threads / 32;
    const int lanes = W / 4 < 32 ? W / 4 : 32, rows = 32 / lanes;
    c->vectors = aligned && wide >= W;
    c->wide = wide;
    const int k = c->vectors ? warp * rows + lane / lanes : warp;
    const int x = c->vectors ? lane % lanes * 4 : lane, below = c->vectors ? warps * rows : warps;
#pragma unroll
    for (int i = 0; i < BK / warps; i++)
        c->from[i] = from + (size_t)(k + i * below) * ld + x;
    c->to = to + (k * (W + PAD) + x) * 4;
    c->left = length - k;
}

__device__ EXPANDED void copy_across_k(struct copies *c, int W, int threads, size_t ld,
                                       unsigned stage)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = threads / 32;
    const int lanes = W / 4 < 32 ? W / 4 : 32, rows = 32 / lanes;
    const unsigned to = c->to + stage;
    if (c->vectors) {
        const int k = warp * rows + lane / lanes;
#pragma unroll
        for (int i = 0; i < BK; i += warps * rows) {
#pragma unroll
            for (int j = 0; j < W; j += 128)
                if (BK % (warps * rows) == 0 || k + i < BK)
                    cp_async_16_or_0(to + (i * (W + PAD) + j) * 4, c->from[i / (warps * rows)] + j,
                                     c->left > i);
            c->from[i / (warps * rows)] += BK * ld;
        }
    } else {
#pragma unroll
        for (int i = 0; i < BK / warps; i++) {
#pragma unroll
            for (int j = 0; j < W; j += 32)
                cp_async_4_unless(to + (i * warps * (W + PAD) + j) * 4, c->from[i] + j,
                                  lane + j >= c->wide || c->left <= i * warps);
            c->from[i] += BK * ld;
        }
    }
    c->left -= BK;
}

// Begins the copies of an operand's tile. If k is contiguous, `along` is the number of lanes that
// read it; otherwise it is 0.
__device__ EXPANDED void begin_copies(struct copies *c, int along, int W, int threads,
                                      const T *from, int ld, unsigned to, int wide, int length)
{
    if (along)
        begin_along_k(c, along, W, threads, from, ld, to, wide, length);
    else
        begin_across_k(c, W, threads, from, ld, to, wide, length,
                       ld % 4 == 0 && (size_t)from % 16 == 0);
}

__device__ EXPANDED void copy_tile(struct copies *c, int along, int W, int threads, size_t ld,
                                   unsigned stage)
{
    if (along)
        copy_along_k(c, along, W, threads, stage);
    else
        copy_across_k(c, W, threads, ld, stage);
}

__device__ EXPANDED void load_fragment(float *to, int count, int stride, const float *from)
{
#pragma unroll
    for (int i = 0; i < count; i += 4)
        *(float4 *)(to + i) = *(const float4 *)(from + i / 4 * stride);
}

// The tile of a block: down GROUP rows of tiles, then one column to the right. Blocks that run at
// the same time thus form an almost square patch, not a strip, and read fewer rows and columns.
__device__ static inline int2 tile_of(int block, int rows, int columns)
{
    const int group = block / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = block - first * columns;
    return make_int2(first + place % height, place / height);
}

__device__ static inline void store_row(T *c, int count, bool vector, float4 sum, T alpha, T beta)
{
    sum = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    if (vector && count >= 4) {
        if (beta != 0) {
            const float4 old = *(const float4 *)c;
            sum = make_float4(sum.x + beta * old.x, sum.y + beta * old.y, sum.z + beta * old.z,
                              sum.w + beta * old.w);
        }
        *(float4 *)c = sum;
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? sum.x + beta * c[0] : sum.x;
    if (count > 1)
        c[1] = beta != 0 ? sum.y + beta * c[1] : sum.y;
    if (count > 2)
        c[2] = beta != 0 ? sum.z + beta * c[2] : sum.z;
    if (count > 3)
        c[3] = beta != 0 ? sum.w + beta * c[3] : sum.w;
}

// Sets the sums to zero by reading the padding of the first stage, which no copy writes. A read of
// 16 bytes goes to four consecutive registers, and they stay there, as do the fragments of A.
// Registers are in two banks, even and odd, each of which reads one register per cycle: here, the
// sums of odd rows are in the bank of a fragment's even elements, and vice versa. If zeros were
// assigned, the compiler would choose the banks.
__device__ EXPANDED void begin_sums(float *sum, int tm, int tn, const float *shared, int high,
                                    int wide)
{
    const float *const pads_a = shared + high, *const pads_b = shared + BK * (high + PAD) + wide;
#pragma unroll
    for (int q = 0; q < tm * tn / 4; q++) {
        const float *const pad =
            q < BK ? pads_a + q * (high + PAD) : pads_b + q % BK * (wide + PAD);
        const float4 zero = *(const float4 *)pad;
        float *const s = sum + q / tn * 4 * tn + q % tn;
        s[tn] = zero.x;
        s[0] = zero.y;
        s[3 * tn] = zero.z;
        s[2 * tn] = zero.w;
    }
}

// Clears the padding that begin_sums reads.
__device__ EXPANDED void clear_pads(float *shared, int high, int wide)
{
    const int k = threadIdx.x % BK;
    float *const row = threadIdx.x < BK ? shared + k * (high + PAD) + high
                                        : shared + BK * (high + PAD) + k * (wide + PAD) + wide;
    if (threadIdx.x < 2 * BK)
        *(float4 *)row = make_float4(0, 0, 0, 0);
}

// Multiplies column by column, alternately down and up: an element of b is reused from the operand
// cache for a whole column, so only the sum and the element of a are read, from different banks
// (begin_sums). When the column changes, that of a is reused, and b's is in the other bank.
__device__ EXPANDED void multiply_add(float *sum, int tm, int tn, const float *a, const float *b)
{
#pragma unroll
    for (int j = 0; j < tn; j++)
#pragma unroll
        for (int q = 0; q < tm; q++) {
            const int i = j % 2 ? tm - 1 - q : q;
            sum[i * tn + j] += a[i] * b[j];
        }
}

// Stores a thread's sums to C or P: pieces of 4 x 4, 16 rows and 32 columns apart.
__device__ EXPANDED void store_sums(const struct part *p, const float *sum, int tm, int tn, int r,
                                    int c, int high, int wide)
{
    const bool vector = p->ldo % 4 == 0 && (size_t)p->out % 16 == 0;
    const int rows = p->whole ? p->M - p->row : high, columns = p->whole ? p->N - p->column : wide;
    const T scale = p->whole ? p->alpha : 1, keep = p->whole ? p->beta : 0;
#pragma unroll
    for (int i = 0; i < tm; i++) {
        const int y = r + i / 4 * 16 + i % 4;
        if (y >= rows)
            continue;
#pragma unroll
        for (int j = 0; j < tn; j += 4) {
            const int x = c + j / 4 * 32;
            const float *s = sum + i * tn + j;
            store_row(p->out + (size_t)y * p->ldo + x, columns - x, vector,
                      make_float4(s[0], s[1], s[2], s[3]), scale, keep);
        }
    }
}

// The same if rows of C are not aligned, for a warp whose first row and column are r and c: 16 rows
// of 32 sums at a time go to `own`, its part of shared memory, and from there to C, 128 bytes of a
// row per instruction. If each lane stored its own four sums, each of four instructions would
// access all sectors of four rows.
__device__ EXPANDED void store_elements(const struct part *p, const float *sum, int tm, int tn,
                                        int r, int c, float *own)
{
    const int lane = threadIdx.x % 32;
    float *const put = own + lane / 8 * 4 * 32 + lane % 8 * 4;
#pragma unroll
    for (int i = 0; i < tm; i += 4)
#pragma unroll
        for (int j = 0; j < tn; j += 4) {
            __syncwarp(); // the previous content has been read
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const float *s = sum + (i + q) * tn + j;
                *(float4 *)(put + q * 32) = make_float4(s[0], s[1], s[2], s[3]);
            }
            __syncwarp();
            const int y = r + i * 4, x = c + j * 8 + lane;
            const int rows = x < p->N - p->column ? p->M - p->row - y : 0;
            T *const to = p->out + (size_t)y * p->ldo + x;
            T row[16];
#pragma unroll
            for (int q = 0; q < 16; q++) {
                row[q] = p->alpha * own[q * 32 + lane];
                if (p->beta != 0 && q < rows)
                    row[q] += p->beta * to[(size_t)q * p->ldo];
            }
#pragma unroll
            for (int q = 0; q < 16; q++)
                if (q < rows)
                    to[(size_t)q * p->ldo] = row[q];
        }
}

// Computes a part of a tile of high x wide, of which a warp has tall x broad. sum, a and b are
// registers of the caller: tm*tn, 2*tm and 2*tn of them.
__device__ EXPANDED void multiply_part(const struct part *p, int high, int wide, int tall,
                                       int broad, float *sum, float *a, float *b)
{
    extern __shared__ float4 stages[];
    float *const shared = (float *)stages;
    const unsigned base = shared_address(shared);
    const int threads = (high / tall) * (wide / broad) * 32, tm = tall / 4, tn = broad / 8;
    // With a transposed B, lanes copy all steps of a stage if few addresses of rows are needed.
    const int along_a = TA || (TB && high * BK <= 8 * threads) ? ALONG_A : 8;
    const bool small = threads == SMALL_NT && high * wide <= 128 * 64; // whose parts are whole
    // The steps in an iteration of the loop: a whole stage, unless the code becomes too large.
    const int turn = small ? BK : DEEP;
    const int sa = BK * (high + PAD), stage = sa + BK * (wide + PAD);
    const T *A =
        p->A + (TA ? (size_t)p->begin * p->lda + p->row : (size_t)p->row * p->lda + p->begin);
    const T *B =
        p->B + (TB ? (size_t)p->column * p->ldb + p->begin : (size_t)p->begin * p->ldb + p->column);
    const int below = p->M - p->row, right = p->N - p->column;

    struct copies of_a, of_b;
    begin_copies(&of_a, along_a, high, threads, A, p->lda, base, below, p->length);
    begin_copies(&of_b, ALONG_B, wide, threads, B, p->ldb, base + sa * 4, right, p->length);

    // The copies of STAGES-1 tiles are issued before the first wait.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        const int left = p->length - s * BK;
        if (left > 0) {
            copy_tile(&of_a, along_a, high, threads, p->lda, s * stage * 4);
            copy_tile(&of_b, ALONG_B, wide, threads, p->ldb, s * stage * 4);
        }
        cp_async_commit();
    }
    // The last step prefetches, too: from the stage of an earlier tile, or from one without a tile.
    const int steps = (p->length + BK - 1) / BK;
    if (steps < STAGES)
        for (int i = threadIdx.x; i < stage; i += threads)
            shared[steps * stage + i] = 0;

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (wide / broad) * tall + lane / 8 * 4;
    const int c = warp % (wide / broad) * broad + lane % 8 * 4;
    // The addresses of this thread's fragments in the stage that is read. They are incremented, not
    // computed from the stage, so that rows are constant offsets and need no instructions.
    const float *from_a = shared + r, *from_b = shared + sa + c;
    int read = 0, write = STAGES - 1;
    clear_pads(shared, high, wide);
    cp_async_wait(STAGES - 2);
    __syncthreads();
    begin_sums(sum, tm, tn, shared, high, wide);
    load_fragment(a, tm, 16, from_a);
    load_fragment(b, tn, 32, from_b);

    for (int done = 0; done < steps * BK; done += turn) {
        const bool begins = done % BK == 0, ends = (done + turn) % BK == 0;
#pragma unroll
        for (int k = 0; k < turn; k++) {
            // The fragments of the next k are read during the multiply-adds of this one; the last k
            // of a stage reads the first fragments of the next one.
            if (k == turn - 1 && ends) {
                cp_async_wait(STAGES - 2);
                __syncthreads();
                const int on = read == STAGES - 1 ? (1 - STAGES) * stage : stage;
                read = read == STAGES - 1 ? 0 : read + 1;
                from_a += on - (BK - turn) * (high + PAD);
                from_b += on - (BK - turn) * (wide + PAD);
            } else if (k == turn - 1) {
                from_a += turn * (high + PAD);
                from_b += turn * (wide + PAD);
            }
            const int now = k % 2, next = (k + 1) % 2;
            load_fragment(a + next * tm, tm, 16, from_a + (k + 1) % turn * (high + PAD));
            load_fragment(b + next * tn, tn, 32, from_b + (k + 1) % turn * (wide + PAD));
            if (k == 0) {
                const int left = p->length - done / BK * BK - (STAGES - 1) * BK;
                const unsigned to = write * stage * 4;
                if (begins && left > 0)
                    copy_tile(&of_a, along_a, high, threads, p->lda, to);
                if (ends && left > 0)
                    copy_tile(&of_b, ALONG_B, wide, threads, p->ldb, to);
                if (ends) {
                    cp_async_commit();
                    write = write == STAGES - 1 ? 0 : write + 1;
                }
            }
            multiply_add(sum, tm, tn, a + now * tm, b + now * tn);
        }
    }
    if (small && (p->ldo % 4 != 0 || (size_t)p->out % 16 != 0)) {
        __syncthreads(); // every warp has read its fragments from the stages
        store_elements(p, sum, tm, tn, r - lane / 8 * 4, c - lane % 8 * 4, shared + warp * 16 * 32);
    } else {
        store_sums(p, sum, tm, tn, r, c, high, wide);
    }
}

// Computes a tile of C, or one of `splits` parts of it along K, `depth` deep, which is stored to P;
// alpha and beta are then applied by add_splits.
__device__ EXPANDED void multiply_split(int M, int N, int K, T alpha, const T *A, int lda,
                                        const T *B, int ldb, T beta, T *C, int ldc, T *P,
                                        int splits, int depth, int high, int wide, int tall,
                                        int broad, float *sum, float *a, float *b)
{
    const bool split = splits > 1;
    const int pitch = (N + 3) / 4 * 4; // rows of P are aligned to vectors
    const int2 at = tile_of(blockIdx.x, (M + high - 1) / high, (N + wide - 1) / wide);
    const int row = at.x * high, column = at.y * wide, begin = blockIdx.y * depth;
    const T scale = split ? 1 : alpha, keep = split ? 0 : beta;
    struct part p = {M, N, K, scale, keep, A, B, C, lda, ldb, split ? pitch : ldc};
    p.out = (split ? P + (size_t)blockIdx.y * M * pitch : C) + (size_t)row * p.ldo + column;
    p.row = row;
    p.column = column;
    p.begin = begin;
    p.length = min(depth, K - begin);
    p.whole = true;
    multiply_part(&p, high, wide, tall, broad, sum, a, b);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_large(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                   long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[WS / 4 * WS / 8], a[2 * WS / 4], b[2 * WS / 8];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, BM, BN, WS, WS, sum, a, b);
}

__global__ void __launch_bounds__(SMALL_NT, 3)
    multiply_64x128(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                    long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[8 * 8], a[2 * 8], b[2 * 8];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, 64, 128, 32, 64, sum, a, b);
}

__global__ void __launch_bounds__(SMALL_NT, 3)
    multiply_128x64(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                    long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[8 * 8], a[2 * 8], b[2 * 8];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, 128, 64, 32, 64, sum, a, b);
}

__global__ void __launch_bounds__(SMALL_NT, 4)
    multiply_64x64(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                   long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[8 * 4], a[2 * 8], b[2 * 4];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, 64, 64, 32, 32, sum, a, b);
}

__global__ void __launch_bounds__(SMALL_NT, 4)
    multiply_128x32(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                    long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[8 * 4], a[2 * 8], b[2 * 4];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, 128, 32, 32, 32, sum, a, b);
}

__global__ void __launch_bounds__(SMALL_NT, 4)
    multiply_32x128(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth, long long stride_a,
                    long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    float sum[8 * 4], a[2 * 8], b[2 * 4];
    multiply_split(M, N, K, alpha, of_batch(A, stride_a, arrays), lda,
                   of_batch(B, stride_b, arrays), ldb, beta, of_batch(C, stride_c, arrays), ldc,
                   P, splits, depth, 32, 128, 32, 32, sum, a, b);
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order, so the result is reproducible.
__global__ void __launch_bounds__(256)
    add_splits(int M, int N, T alpha, T beta, T *C, int ldc, const T *P, int splits)
{
    wait_for_earlier_grids();
    const unsigned pitch = (N + 3) / 4 * 4, count = M * N;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        const unsigned y = i / N, x = i % N;
        T sum = 0;
        for (int s = 0; s < splits; s++)
            sum += P[((size_t)s * M + y) * pitch + x];
        T *c = &C[(size_t)y * ldc + x];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// Each of the first `whole` blocks computes a tile. Each of the others computes `share` of the
// steps of the remaining tiles, which have `deep` steps each, counted from tile `whole` on: the end
// of one tile, the beginning of the next, or both.
__global__ void __launch_bounds__(NT, 1)
    multiply_shares(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int whole, int deep, int share)
{
    wait_for_earlier_grids();
    float sum[WS / 4 * WS / 8], a[2 * WS / 4], b[2 * WS / 8];
    struct part p = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc};
    const int rows = (M + BM - 1) / BM, columns = (N + BN - 1) / BN;
    const int worker = (int)blockIdx.x - whole;
    const long long all = (long long)(rows * columns - whole) * deep,
                    from = (long long)worker * share;
    int tile = worker < 0 ? (int)blockIdx.x : whole + (int)(from / deep);
    int first = worker < 0 ? 0 : (int)(from % deep);
    int left = worker < 0 ? deep : (int)min((long long)share, all - from);
    for (int n = 0; left > 0; n++) {
        const int count = min(left, deep - first);
        const int2 at = tile_of(tile, rows, columns);
        p.row = at.x * BM;
        p.column = at.y * BN;
        p.begin = first * BK;
        p.length = min(count * BK, K - p.begin);
        p.whole = count == deep;
        p.out =
            p.whole ? C + (size_t)p.row * ldc + p.column : P + (size_t)(2 * worker + n) * BM * BN;
        p.ldo = p.whole ? ldc : BN;
        multiply_part(&p, BM, BN, WS, WS, sum, a, b);
        left -= count;
        first = 0;
        tile++;
        __syncthreads(); // the next copies overwrite the stages of this part
    }
}

// C = alpha * (the parts of this tile, first to last) + beta * C: the order depends only on the
// shape. A thread adds four adjacent elements.
__global__ void __launch_bounds__(256) add_shares(int M, int N, T alpha, T beta, T *C, int ldc,
                                                  const T *P, int whole, int deep, int share)
{
    wait_for_earlier_grids();
    const int element = (blockIdx.x * 256 + threadIdx.x) * 4;
    const long long begin = (long long)blockIdx.y * deep;
    const int first = (int)(begin / share), last = (int)((begin + deep - 1) / share);
    float4 sum = make_float4(0, 0, 0, 0);
    for (int w = first; w <= last; w++) {
        // A worker whose share begins before this tile has done a part of the previous tile first.
        const int part = 2 * w + ((long long)w * share < begin);
        const float4 four = *(const float4 *)(P + (size_t)part * BM * BN + element);
        sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
    }
    const int2 at = tile_of(whole + blockIdx.y, (M + BM - 1) / BM, (N + BN - 1) / BN);
    const int y = at.x * BM + element / BN, x = at.y * BN + element % BN;
    const bool vector = ldc % 4 == 0 && (size_t)C % 16 == 0;
    if (y < M)
        store_row(C + (size_t)y * ldc + x, N - x, vector, sum, alpha, beta);
}

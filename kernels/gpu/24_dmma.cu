// 24_dmma.cu: float64 by the tensor cores, at any size and leading dimension.
// SPDX-License-Identifier: MIT
//@ title    Float64 by tensor cores
//@ after    18_stages
//@ idea     float64 products by tensor cores, at twice the rate of multiply-adds
//@ idea     unaligned rows are copied 8 bytes at a time: odd sizes have the same loop
//@ idea     A's fragments are read only 32 rows ahead, which leaves registers for the sums
//@ idea     a block computes several tiles: copies for the next one overlap the stores of this one
//@ idea     three tiles, and equal shares of the last wave (stream-K), by a model of the time
//@ type     f64
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128,256}, BN 128 {64,128,256}, BK 32 {16,32}, WM 64 {32,64}, WN 32 {32,64}
//@ param    HM 128 {64,128}, HN 64 {64,128}, HWM 32 {32,64}, HWN 32 {32,64}
//@ param    HSTAGES 4 {3,4}, GROUP 8 {1,4,8,16}, AHEAD 2 {1,2}, CUT 1 {0,1}, PICK 0 {0,1,2,3}
//@ let      SIDE = 64, SW = 32, PAIR = 2*SIDE*SIDE, PITCH = SW+8, STAGES = 3
//@ let      NT = (BM/WM)*(BN/WN)*32, HNT = (HM/HWM)*(HN/HWN)*32, SNT = (SIDE/SW)*(SIDE/SW)*32
//@ require  SMEM_MAX >= STAGES*(BK*(BM+BN)+1)*8 "all stages in shared memory"
//@ require  SMEM_MAX >= HSTAGES*BK*(HM+HN)*8 "all stages of the half tile in shared memory"
//@ require  NT<=512 && BM*BK%(2*NT)==0 && BN*BK%(2*NT)==0 "each thread copies whole vectors"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      deep = cdiv(max(K,1),BK), many = arrays || batch > 1
//@ arg      lt = cdiv(M,BM)*cdiv(N,BN)*batch, lr = lt%SMS, ls = max(cdiv(lr*deep,SMS),64/BK)
//@ arg      ht = cdiv(M,HM)*cdiv(N,HN)*batch, hr = ht%SMS, hs = max(cdiv(hr*deep,SMS),64/BK)
//@ arg      st = cdiv(M,SIDE)*cdiv(N,SIDE)*batch
//@ arg      sr = st%(2*SMS), ss = max(cdiv(sr*deep,2*SMS),64/BK)
//@ arg      lf = (64+SMS+lr)/BK, hf = (128+SMS+hr)/BK, sf = (128+SMS+sr/2)/BK
//@ arg      lc = CUT && !many && lr>0 && ls+lf<deep
//@ arg      hc = CUT && !many && hr>0 && hs+hf<deep
//@ arg      sc = CUT && !many && sr>0 && 23*(ss+sf)<(14+9*(sr>SMS))*deep
//@ arg      aligned_c = (batch==1 || stride_c%2==0) && (arrays || aligned(C,16))
//@ arg      apart = ldc%2!=0 || !aligned_c, lengthy = deep>512/BK
//@ arg      end = deep+(64+96*apart)/BK, send = deep+(32+96*apart*lengthy)/BK
//@ arg      lread = batch*(K*(N*cdiv(M,BM)+M*cdiv(N,BN))+M*N)
//@ arg      hread = batch*(K*(N*cdiv(M,HM)+M*cdiv(N,HN))+M*N)
//@ arg      sread = batch*(K*(N*cdiv(M,SIDE)+M*cdiv(N,SIDE))+M*N)
//@ arg      ltime = max(20*BM*BN*(lt/SMS*end+lc*(ls+lf)+(lr>0&&!lc)*end), many*lread/5)
//@ arg      htime = max(21*HM*HN*(ht/SMS*end+hc*(hs+hf)+(hr>0&&!hc)*end), many*hread/5)
//@ arg      stail = (sr>0&&!sc)*(14+9*(sr>SMS))*PAIR*send
//@ arg      stime = max(23*PAIR*(st/(2*SMS)*send+sc*(ss+sf))+stail, many*sread/5)
//@ arg      even_a = lda%2==0 && (TA*M+(1-TA)*K)%2==0 && aligned(A,16)
//@ arg      even_b = ldb%2==0 && (TB*K+(1-TB)*N)%2==0 && aligned(B,16)
//@ arg      pairs = even_a && even_b && !arrays && (batch==1 || (stride_a%2==0 && stride_b%2==0))
//@ choose   tile {1,2,3}
//@ arg      large = tile==1, half_wide = tile==2, small = tile==3
//@ arg      refused = (PICK && PICK!=tile) || (large && many && !pairs)
//@ arg      cost = 2000+600*many+(large*ltime+half_wide*htime+small*stime)/139+refused*1000000000
//@ least    cost
//@ arg      tiles = large*lt+half_wide*ht+small*st, each = many*tiles/batch
//@ arg      share = large*ls+half_wide*hs+small*ss
//@ arg      cut = large*lc+half_wide*hc+small*sc, rest = cut*(tiles%((1+small)*SMS))
//@ arg      whole = tiles-rest, workers = cdiv(rest*deep,share)
//@ arg      blocks = max(workers,min(whole,(1+small)*SMS))
//@ arg      high = large*BM+half_wide*HM+small*SIDE, wide = large*BN+half_wide*HN+small*SIDE
//@ arg      groups = 1+7*(deep>=16*share), lines = small && apart && !lengthy
//@ work     P = T[2*workers*high*wide]
//@ kernel   multiply_large
//@ when     large && pairs
//@ grid     blocks
//@ block    NT
//@ smem     STAGES*BK*(BM+BN)*8
//@ kernel   multiply_large_8
//@ when     large && !pairs
//@ grid     blocks
//@ block    NT
//@ smem     STAGES*BK*(BM+BN)*8
//@ kernel   multiply_half
//@ when     half_wide && pairs
//@ grid     blocks
//@ block    HNT
//@ smem     HSTAGES*BK*(HM+HN)*8
//@ kernel   multiply_half_8
//@ when     half_wide && !pairs
//@ grid     blocks
//@ block    HNT
//@ smem     STAGES*BK*(HM+HN)*8
//@ kernel   multiply_small
//@ when     small && pairs
//@ grid     blocks
//@ block    SNT
//@ smem     STAGES*BK*2*SIDE*8+lines*SNT*PITCH*2
//@ kernel   multiply_small_8
//@ when     small && !pairs
//@ grid     blocks
//@ block    SNT
//@ smem     STAGES*BK*2*SIDE*8+lines*SNT*PITCH*2
//@ kernel   add_shares
//@ when     cut
//@ grid     high*wide*groups/512, rest
//@ block    256
//@ expect   spills == 0, regs <= 255 @sm_90
//@ source   NVIDIA CUTLASS, float64 on tensor cores; Osama et al., Stream-K (2023)
//
// After 18_stages: float64, with 128 multiply-adds per cycle and multiprocessor by the tensor
// cores, twice as many as by DFMA. At this rate rows that are not aligned to 16 bytes can be
// copied 8 bytes at a time, with twice the instructions, and no separate, slower path is
// needed. Each kind of copy has its own kernel, so that no branch separates the copies from the
// products that hide them.
// A block is persistent and computes every gridDim.x-th tile, in the order of 12_best; its
// copies continue from one tile into the next. Then it computes its share of the tiles that do
// not fill a wave (stream-K, as in 12_best). Those sums go to P, and add_shares adds them in a
// fixed order.
// Tile: 128 x 128 by 32 deep; 8 warps of 64 x 32, 64 sums a thread (128 registers), two sets of
// fragments of B for 8 of k (32), and up to four of A for 16 rows (32).
// Intensity: 16 FLOP/byte from L2, 16 bytes a cycle and multiprocessor at the full rate.
// Bounds for 16 of k and a block, in cycles of a multiprocessor: DMMA 128*128*16/128 = 2048.
// Shared memory: each warp reads (64+32)*16 elements, 8 warps 98304 bytes, 768 cycles; the
// copies write 32768 bytes, 256. So it is busy for half of the time; and a scheduler, which
// takes a DMMA in 32 cycles, issues 8 instructions for each.
// Addresses: the places of a thread's fragments and copies are kept in registers (`kept`).
// Otherwise the compiler computes them again in each step, and schedules products among these
// computations, so that consecutive DMMAs have different fragments of A: 1.03 times as long at
// 2048, 1.02 at 4096.
// Banks: no conflicts (dmma_tile.h).
// Barriers: a warp's copies take as long as three to five DMMAs, and after a barrier of the
// whole block all warps copy at the same time, while the tensor cores wait: at 4096 for 4 % of
// the time. So each stage of the large tile has an mbarrier at which copies arrive, and no
// other barrier is in the loop: a warp may be almost a step ahead of another one, and
// multiplies while that one copies. With three stages this also ensures that no stage is filled
// before it has been read (`multiply`). But the compiler moves no reads of shared memory over
// this wait, and in the short steps of the smaller tiles this costs more than it gains: they
// have the barrier.
// Occupancy on sm_90: about 250 registers * 256 threads and 196608 bytes: 1 block, 8 warps.
// Fewer tiles than multiprocessors: 128 x 64 by 8 warps of 32 x 32 (1024 has 128 of them), shared
// memory busy for 704 of 1024 cycles, or 64 x 64 by 4 warps, two blocks a multiprocessor. 128 x 64
// has four stages: it reads 24 bytes a cycle and multiprocessor from L2, near its limit, with a
// high latency (1024 takes 0.98 of the time of three, 4096x128x4096 0.90). Copies of 8 bytes pass
// through L1 and have three stages, which leaves more of it (with four, 1023 takes 1.12).
// `ltime`, `htime` and `stime` are the times with each tile, including partial tiles, which are
// written and read; `end` is the time of writing C, in steps. `cost`, in ns, was fitted to 742
// products on an H200, with an error of 15 % (root mean square). The small tile stores rows of C
// that are not aligned (`apart`) through shared memory, unless K is so long that copies of 8 bytes
// need that room as L1.
// Batches: the library sets the variables of the line `arg batch`. The tiles of all products are
// numbered consecutively, so that the next product's first steps are copied during the stores of
// this one. No tile is split, and what the tiles read from L2 counts as well (`lread`, `hread`,
// `sread`): 40 bytes take as long as a unit of the times. The library does not know the addresses
// in arrays, so such matrices are copied 8 bytes at a time.
// Tried on an H200 at 2048 and 4096, relative to a kernel with the barrier: two blocks a
// multiprocessor of 128 x 64 by 16 deep and 4 warps, as in cuBLAS (1.05); tiles by TMA and two
// elements of a fragment a load (1.15 to 1.25); half of the warps copy before the products (0.97 at
// 4096, mbarriers 0.96); copies among the products (0.99).
//
//   step        s                s+1               s+2      (drawn for a step of 16)
//   products  | k 0..7 | k 8..15 | k 0..7 | k 8..15 |
//   reads       8..15    s+1: 0..7   8..15   s+2: 0..7     of what comes next
//                       ^ stage s+1 is full; after the products of s, stage s-1 is filled with
//                         step s+2
#include "dependent_launch.h"
#include "dmma_tile.h"
#include "mbarrier.h"
#include "of_batch.h"
#include "shares.h"

// The GEMM and the work of a block: the tiles blockIdx.x, + gridDim.x, .. below `whole`, and then
// `share` of the steps of the tiles from `whole` on. The tiles of a batch are numbered product
// after product.
struct problem {
    int M, N, K;
    T alpha, beta;
    const T *A, *B;
    T *C, *P;
    int lda, ldb, ldc;
    long long stride_a, stride_b, stride_c; // see of_batch.h
    int arrays, each;                       // each: the tiles of a product; 0: no batch
    int whole, rest, deep, share;
    int high, wide; // the extents of a tile
};

// Steps of a tile: all of them (part < 0), or a part of which the sums are stored in P.
struct piece {
    int product, row, column, first, steps, part;
};

// The state of a thread's copies: `left` more steps of the current piece; `n` is the next piece. A
// and B are its first elements of the next step's tiles; from them on, `rows`, `columns` and, along
// k, `depth_a` and `depth_b` are left of the matrices. In a stage, the first vectors are copied to
// `to_a` and `to_b`, in bytes from where the tiles begin.
struct source {
    const T *A, *B;
    int n, left, rows, columns, depth_a, depth_b;
    unsigned to_a, to_b;
};

// Hides from the compiler how a value was computed. It then keeps the value in a register and does
// not compute it again in each step, among the products.
__device__ EXPANDED unsigned kept(unsigned value)
{
    asm volatile("mov.u32 %0, %0;" : "+r"(value));
    return value;
}

// The row and the column in a tile of the first element that this thread copies, as in copy_tile.
__device__ EXPANDED int first_y(bool along, int side, int v)
{
    return threadIdx.x / ((along ? BK : side) / v);
}

__device__ EXPANDED int first_x(bool along, int side, int v)
{
    return threadIdx.x % ((along ? BK : side) / v) * v;
}

__device__ EXPANDED unsigned first_place(bool along, int side, int v)
{
    const int y = first_y(along, side, v), x = first_x(along, side, v);
    return kept(8 * (y * (along ? BK : side) + x % 2) + 16 * (x / 2 ^ turn_of(y)));
}

// copy_tile for a thread that knows its first element, `from`, and the place that it is copied to.
__device__ EXPANDED void copy_from(unsigned tile, int side, int threads, bool along, int v,
                                   const T *from, int ld, int wide, int depth, unsigned place)
{
    const int high = along ? side : BK, pitch = along ? BK : side, down = v * threads / pitch;
    const int rows = along ? wide : depth, columns = along ? depth : wide;
    const size_t step = (size_t)down * ld;
#pragma unroll
    for (int i = 0; i < high; i += down) {
        const unsigned there = tile + (place ^ 16 * turn_of(i)) + 8 * i * pitch;
        const bool valid = i < rows && columns > 0;
        if (v == 2)
            cp_async_16_or_0(there, from, valid);
        else
            cp_async_8(there, from, valid);
        from += step;
    }
}

// The places, in bytes from a tile's beginning, from which load_kept counts: of a warp's rows or
// columns from w on, those of four successive groups of 4 of k, or of two groups of 8 rows.
__device__ EXPANDED void places_of(unsigned *to, bool along, int side, int w)
{
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int q = 0; q < (along ? 4 : 2); q++)
        to[q] = kept(8 * (along ? (w + g) * BK + (4 * q ^ turn_of(g) * 2) + t
                                : t * side + w + ((8 * q + g) ^ turn_of(t) * 2)));
}

// load_fragment from places that are kept in registers: in the loop no address is computed.
__device__ EXPANDED void load_kept(T *to, int count, bool along, int side, unsigned tile,
                                   const unsigned *places, int block, int h)
{
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int k = 8 * h + 4 * j, at = 8 * (block + i);
            const unsigned place = along ? places[k / 4 % 4] : places[at / 8 % 2];
            const int more = along ? at * BK + k / 16 * 16 : k * side + at / 16 * 16;
            asm volatile("ld.shared.f64 %0, [%1];"
                         : "=d"(to[j * count + i])
                         : "r"(tile + place + 8 * more)
                         : "memory");
        }
}

// The tile with a number: down GROUP rows of tiles, then one column to the right. Blocks that run
// at the same time thus form an almost square patch, not a strip, and read fewer rows and columns.
__device__ static inline int2 tile_of(int tile, int rows, int columns)
{
    const int first = quotient(tile, GROUP * columns) * GROUP, place = tile - first * columns;
    const int height = min(GROUP, rows - first), column = quotient(place, height);
    return make_int2(first + place - column * height, column);
}

// Piece n of this block's work; without steps, outside of the matrix, if there are no more. A share
// is less than a tile: its first piece ends or is within a tile, its second begins one.
__device__ EXPANDED struct piece piece_of(const struct problem *p, int n)
{
    struct piece piece = {0, p->M, p->N, 0, 0, -1};
    int tile = (int)(blockIdx.x + n * gridDim.x);
    if (tile < p->whole) {
        piece.steps = p->deep;
    } else {
        const long long from = (long long)blockIdx.x * p->share;
        const long long to = min(from + p->share, (long long)p->rest * p->deep);
        const int second = n > 0 && tile - (int)gridDim.x >= p->whole;
        const long long wanted = from / p->deep + second, begin = wanted * p->deep;
        if (begin >= to || tile - 2 * (int)gridDim.x >= p->whole)
            return piece;
        piece.first = (int)(max(from, begin) - begin);
        piece.steps = (int)(min(to, begin + p->deep) - max(from, begin));
        piece.part = 2 * (int)blockIdx.x + second;
        tile = p->whole + (int)wanted;
    }
    const int rows = (p->M + p->high - 1) / p->high, columns = (p->N + p->wide - 1) / p->wide;
    if (p->each > 0) { // for a batch
        piece.product = quotient(tile, p->each);
        tile -= piece.product * p->each;
    }
    const int2 at = tile_of(tile, rows, columns);
    piece.row = at.x * p->high;
    piece.column = at.y * p->wide;
    return piece;
}

// Advances to the next step that is copied, in this piece or the next one.
__device__ EXPANDED void next_source(const struct problem *p, int high, int wide, int v,
                                     struct source *from)
{
    const struct piece next = piece_of(p, from->n++);
    const int ya = first_y(!TA, high, v), xa = first_x(!TA, high, v), row_a = TA ? xa : ya;
    const int yb = first_y(TB, wide, v), xb = first_x(TB, wide, v), column_b = TB ? yb : xb;
    const int k = next.first * BK, k_a = k + (TA ? ya : xa), k_b = k + (TB ? xb : yb);
    const int row = next.row + row_a, column = next.column + column_b;
    from->A = of_batch(p->A, p->stride_a, p->arrays, next.product) +
              (TA ? (size_t)k_a * p->lda + row : (size_t)row * p->lda + k_a);
    from->B = of_batch(p->B, p->stride_b, p->arrays, next.product) +
              (TB ? (size_t)column * p->ldb + k_b : (size_t)k_b * p->ldb + column);
    from->left = next.steps > 0 ? next.steps : p->deep; // zeros, if there is no more work
    from->rows = p->M - row;
    from->columns = p->N - column;
    from->depth_a = p->K - k_a;
    from->depth_b = p->K - k_b;
}

// Copies the tiles of one step, or zeros if there is no more work.
__device__ EXPANDED void copy_step(const struct problem *p, unsigned stage, int high, int wide,
                                   int threads, int v, struct source *from)
{
    copy_from(stage, high, threads, !TA, v, from->A, p->lda, from->rows, from->depth_a, from->to_a);
    copy_from(stage + 8 * BK * high, wide, threads, TB, v, from->B, p->ldb, from->columns,
              from->depth_b, from->to_b);
    from->A += TA ? (size_t)BK * p->lda : BK;
    from->B += TB ? BK : (size_t)BK * p->ldb;
    from->depth_a -= BK;
    from->depth_b -= BK;
}

// Stores a thread's sums to C or P, two adjacent elements at a time.
__device__ EXPANDED void store_sums(const struct problem *p, const struct piece *piece, T *sum,
                                    int tm, int tn, int r, int c)
{
    const bool all = piece->part < 0;
    const int rows = all ? p->M - piece->row : p->high, ld = all ? p->ldc : p->wide;
    const int columns = all ? p->N - piece->column : p->wide;
    const T alpha = all ? p->alpha : 1, beta = all ? p->beta : 0;
    T *const C = of_batch(p->C, p->stride_c, p->arrays, piece->product);
    T *const to = all ? C + (size_t)piece->row * ld + piece->column
                      : p->P + (size_t)piece->part * p->high * p->wide;
    const bool vector = ld % 2 == 0 && (size_t)to % 16 == 0;
#pragma unroll
    for (int i = 0; i < 2 * tm; i++) {
        const int y = r + i * 8;
        if (y >= rows)
            continue;
#pragma unroll
        for (int j = 0; j < tn; j++) {
            const T *s = sum + (i / 2 * tn + j) * 4 + i % 2 * 2;
            store_two(to + (size_t)y * ld + c + j * 8, columns - c - j * 8, vector, s[0], s[1],
                      alpha, beta);
        }
    }
}

// The same for a C whose rows are not aligned, for a warp whose first row and column are r and c: 8
// rows of 8*tn sums at a time go to `own`, its part of shared memory, and from there to C, with
// contiguous elements of one row in each instruction.
__device__ EXPANDED void store_elements(const struct problem *p, const struct piece *piece,
                                        const T *sum, int tm, int tn, int r, int c, T *own)
{
    const int lane = threadIdx.x % 32, x = c + lane, columns = p->N - piece->column;
    T *const C = of_batch(p->C, p->stride_c, p->arrays, piece->product);
    T *const to = C + (size_t)(piece->row + r) * p->ldc + piece->column + x;
#pragma unroll
    for (int i = 0; i < 2 * tm; i++) {
        const int rows = x < columns ? p->M - piece->row - r - i * 8 : 0;
        T row[8];
        __syncwarp(); // the previous content has been read
#pragma unroll
        for (int j = 0; j < tn; j++) {
            const T *s = sum + (i / 2 * tn + j) * 4 + i % 2 * 2;
            *(double2 *)(own + lane / 4 * PITCH + j * 8 + lane % 4 * 2) = make_double2(s[0], s[1]);
        }
        __syncwarp();
#pragma unroll
        for (int q = 0; q < 8; q++) {
            row[q] = p->alpha * own[q * PITCH + lane];
            if (p->beta != 0 && q < rows)
                row[q] += p->beta * to[(size_t)(i * 8 + q) * p->ldc];
        }
#pragma unroll
        for (int q = 0; q < 8; q++)
            if (q < rows)
                to[(size_t)(i * 8 + q) * p->ldc] = row[q];
    }
}

// Waits until at most `groups` groups of this thread's copies are incomplete.
__device__ EXPANDED void wait_for_copies(int groups)
{
    if (groups == 0)
        cp_async_wait(0);
    else if (groups == 1)
        cp_async_wait(1);
    else
        cp_async_wait(2);
}

// Does all of a block's work, with tiles of high x wide, warps of wm x wn, and copies of v
// elements. `own_pace`: the warps wait for the copies to a stage, but not for each other. `lines`:
// shared memory has room after the stages for rows of C. sum, a and b are registers of the caller:
// wm*wn/32, 8 and wn/2 of them.
__device__ EXPANDED void multiply(const struct problem *p, int high, int wide, int wm, int wn,
                                  int v, int stages, bool own_pace, int lines, T *sum, T *a, T *b)
{
    extern __shared__ double2 vectors[];
    __shared__ unsigned long long barriers[STAGES];
    T *const shared = (T *)vectors;
    const unsigned base = shared_address(shared), full = shared_address(barriers);
    const int threads = (high / wm) * (wide / wn) * 32, stage = BK * (high + wide);
    const int tm = wm / 16, tn = wn / 8, last = BK / 8 - 1;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // The addresses of 8-byte copies need the registers of one fragment.
    const int further = v == 1 && tm * tn >= 16 ? 1 : AHEAD;
    const int r = warp / (wide / wn) * wm, c = warp % (wide / wn) * wn;
    unsigned places_a[4], places_b[4];
    places_of(places_a, !TA, high, r);
    places_of(places_b, TB, wide, c);

    // The copies of all stages but one are issued before the first wait.
    struct source from = {p->A, p->B, 0, 0, 0, 0, 0, 0};
    from.to_a = first_place(!TA, high, v);
    from.to_b = first_place(TB, wide, v);
    int read = 0;
    unsigned parity = 1; // of the stage that is read: it changes at stage 1 (see `full`)
#pragma unroll 1
    for (int s = 0; s < stages - 1; s++) {
        if (from.left == 0)
            next_source(p, high, wide, v, &from);
        copy_step(p, base + s * stage * 8, high, wide, threads, v, &from);
        cp_async_commit();
        from.left--;
    }
    // A stage is full when all threads' copies to it are complete. For the first tile of stage 0
    // the block's barrier ensures this, which is needed anyway to make the initialised mbarriers
    // visible. So the mbarrier of stage 0 counts from its second tile on.
    if (own_pace && threadIdx.x == 0) {
        for (int s = 0; s < stages; s++)
            mbarrier_init(full + 8 * s, threads);
        mbarrier_init_done();
    }
    wait_for_copies(stages - 2);
    __syncthreads();
    for (int s = 1; own_pace && s < stages - 1; s++)
        mbarrier_arrive_after_copies(full + 8 * s);
#pragma unroll
    for (int i = 0; i < further; i++)
        load_kept(a + 4 * i, 2, !TA, high, base, places_a, 2 * i, 0);
#pragma unroll
    for (int j = 0; j < tn; j++)
        load_kept(b + 2 * j, 1, TB, wide, base + 8 * BK * high, places_b, j, 0);

    for (int n = 0;; n++) {
        const int steps = piece_of(p, n).steps;
        if (steps == 0)
            break;
#pragma unroll
        for (int i = 0; i < tm * tn * 4; i++)
            sum[i] = 0;
        for (int done = 0, run; done < steps; done += run) {
            // As many steps as are left in the current pieces of both the products and the copies.
            if (from.left == 0)
                next_source(p, high, wide, v, &from);
            run = min(steps - done, from.left);
            from.left -= run;
#pragma unroll 1
            for (int step = 0; step < run; step++) {
                const unsigned now = base + read * stage * 8;
                unsigned next = now;
#pragma unroll
                for (int h = 0; h <= last; h++) {
                    // In the last 8 of k, fragments of the next stage are read.
                    if (h == last) {
                        read = read == stages - 1 ? 0 : read + 1;
                        parity ^= read == 1;
                        next = base + read * stage * 8;
                        if (own_pace) {
                            mbarrier_wait(full + 8 * read, parity);
                        } else {
                            wait_for_copies(stages - 3);
                            __syncthreads();
                        }
                    }
                    T *const b_now = b + h % 2 * 2 * tn, *const b_next = b + (h + 1) % 2 * 2 * tn;
                    const unsigned then = h == last ? next : now;
                    const int h_next = h == last ? 0 : h + 1;
#pragma unroll
                    for (int i = 0; i < tm; i++) {
                        // Fragments of A are prefetched.
                        const int at = h * tm + i, ahead = (at + further) % ((last + 1) * tm);
                        load_kept(a + (at + further) % 4 * 4, 2, !TA, high,
                                  ahead < at ? next : now, places_a, ahead % tm * 2, ahead / tm);
#pragma unroll
                        for (int j = i * tn / tm; j < (i + 1) * tn / tm; j++)
                            load_kept(b_next + 2 * j, 1, TB, wide, then + 8 * BK * high, places_b,
                                      j, h_next);
#pragma unroll
                        for (int j = 0; j < tn; j++)
                            dmma_16x8x8(sum + (i * tn + j) * 4, a + at % 4 * 4, b_now + 2 * j);
                    }
                    // All warps have read the stage of the previous step. Without the block's
                    // barrier this holds because each thread filled the stage that is full now at
                    // the end of that step (there are three stages). It is filled after the
                    // products, since an LDGSTS waits for earlier LDS.
                    if (h == last) {
                        const int filled = read < 2 ? read + stages - 2 : read - 2;
                        const unsigned to = base + filled * stage * 8;
                        // With A across k, the places of 8-byte copies would be computed early,
                        // and spill.
                        copy_step(p, v == 1 && TA ? kept(to) : to, high, wide, threads, v, &from);
                        if (own_pace)
                            mbarrier_arrive_after_copies(full + 8 * filled);
                        else
                            cp_async_commit();
                    }
                }
            }
        }
        const struct piece piece = piece_of(p, n);
        if (lines && piece.part < 0)
            store_elements(p, &piece, sum, tm, tn, r, c,
                           shared + stages * stage + warp * 8 * PITCH);
        else
            store_sums(p, &piece, sum, tm, tn, r + lane / 4, c + lane % 4 * 2);
    }
}

// The kernels, for each tile size, with copies of 16 or of 8 bytes.
__global__ void __launch_bounds__(NT, 1)
    multiply_large(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, long long stride_a, long long stride_b, long long stride_c,
                   int arrays, int each, int whole, int rest, int deep, int share)
{
    wait_for_earlier_grids();
    const struct problem p = {M, N, K, alpha, beta, A, B, C, P, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, each, whole, rest, deep, share, BM, BN};
    T sum[WM * WN / 32], a[16], b[WN / 2];
    multiply(&p, BM, BN, WM, WN, 2, STAGES, true, 0, sum, a, b);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_large_8(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                     T *C, int ldc, T *P, int whole, int rest, int deep, int share)
{
    wait_for_earlier_grids();
    const struct problem p = {M,   N, K, alpha, beta, A, B,     C,    P,    lda,   ldb, ldc,
                              0,   0, 0, 0,     0,    whole, rest, deep, share, BM,  BN};
    T sum[WM * WN / 32], a[16], b[WN / 2];
    multiply(&p, BM, BN, WM, WN, 1, STAGES, true, 0, sum, a, b);
}

__global__ void __launch_bounds__(HNT, 1)
    multiply_half(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                  T *C, int ldc, T *P, long long stride_a, long long stride_b, long long stride_c,
                  int arrays, int each, int whole, int rest, int deep, int share)
{
    wait_for_earlier_grids();
    const struct problem p = {M, N, K, alpha, beta, A, B, C, P, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, each, whole, rest, deep, share, HM, HN};
    T sum[HWM * HWN / 32], a[16], b[HWN / 2];
    multiply(&p, HM, HN, HWM, HWN, 2, HSTAGES, false, 0, sum, a, b);
}

__global__ void __launch_bounds__(HNT, 1)
    multiply_half_8(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, long long stride_a, long long stride_b, long long stride_c,
                    int arrays, int each, int whole, int rest, int deep, int share)
{
    wait_for_earlier_grids();
    const struct problem p = {M, N, K, alpha, beta, A, B, C, P, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, each, whole, rest, deep, share, HM, HN};
    T sum[HWM * HWN / 32], a[16], b[HWN / 2];
    multiply(&p, HM, HN, HWM, HWN, 1, STAGES, false, 0, sum, a, b);
}

__global__ void __launch_bounds__(SNT, 2)
    multiply_small(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, long long stride_a, long long stride_b, long long stride_c,
                   int arrays, int each, int whole, int rest, int deep, int share, int lines)
{
    wait_for_earlier_grids();
    const struct problem p = {M, N, K, alpha, beta, A, B, C, P, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, each, whole, rest, deep, share, SIDE, SIDE};
    T sum[SW * SW / 32], a[16], b[SW / 2];
    multiply(&p, SIDE, SIDE, SW, SW, 2, STAGES, false, lines, sum, a, b);
}

__global__ void __launch_bounds__(SNT, 2)
    multiply_small_8(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                     T *C, int ldc, T *P, long long stride_a, long long stride_b,
                     long long stride_c, int arrays, int each, int whole, int rest, int deep,
                     int share, int lines)
{
    wait_for_earlier_grids();
    const struct problem p = {M, N, K, alpha, beta, A, B, C, P, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, each, whole, rest, deep, share, SIDE, SIDE};
    T sum[SW * SW / 32], a[16], b[SW / 2];
    multiply(&p, SIDE, SIDE, SW, SW, 1, STAGES, false, lines, sum, a, b);
}

// C = alpha * (the parts of this tile) + beta * C. A thread adds two adjacent elements of each part
// or, if a tile has many parts, of every 8th, and one thread adds these sums: the order depends
// only on the shape.
__global__ void __launch_bounds__(256)
    add_shares(int M, int N, T alpha, T beta, T *C, int ldc, const T *P, int whole, int deep,
               int share, int high, int wide, int groups)
{
    wait_for_earlier_grids();
    __shared__ double2 sums[256];
    const int pairs = 256 / groups, pair = threadIdx.x % pairs, group = threadIdx.x / pairs;
    const int element = (blockIdx.x * pairs + pair) * 2;
    const long long begin = (long long)blockIdx.y * deep;
    const int first = (int)(begin / share), last = (int)((begin + deep - 1) / share);
    double2 sum = make_double2(0, 0);
#pragma unroll 4
    for (int w = first + group; w <= last; w += groups) {
        // A worker whose share begins before this tile has done a part of the previous tile first.
        const int part = 2 * w + ((long long)w * share < begin);
        const double2 two = *(const double2 *)(P + (size_t)part * high * wide + element);
        sum = make_double2(sum.x + two.x, sum.y + two.y);
    }
    if (groups > 1) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int q = 1; q < groups && group == 0; q++)
            sum = make_double2(sum.x + sums[q * pairs + pair].x, sum.y + sums[q * pairs + pair].y);
    }
    const int2 at = tile_of(whole + blockIdx.y, (M + high - 1) / high, (N + wide - 1) / wide);
    const int y = at.x * high + element / wide, x = at.y * wide + element % wide;
    const bool vector = ldc % 2 == 0 && (size_t)C % 16 == 0;
    if (group == 0 && y < M)
        store_two(C + (size_t)y * ldc + x, N - x, vector, sum.x, sum.y, alpha, beta);
}

// 32_small_f64.cu: small products of float64, and few rows or columns: small tiles, shares of K.
// SPDX-License-Identifier: MIT
//@ title    Small products of float64
//@ after    24_dmma
//@ idea     small tiles: the four warps of a block divide each step along k
//@ idea     few tiles: blocks of a cluster divide K of one tile, and add sums in its shared memory
//@ idea     few rows or columns have tiles of 16 rows or columns, a fourth of 64
//@ idea     several blocks a multiprocessor: one multiplies while the others wait
//@ type     f64
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    SIDE 0 {0,32,64}, SHARE 0 {0,1,2,4,8}
//@ let      BK = 32, NT = 128, LARGE_NT = 256, FEW = 16, PAD = 8
//@ let      STAGES_32 = 4, STAGES_64 = 6, STAGES_FEW = 5
//@ let      SMEM_32 = STAGES_32*8*BK*64, SMEM_64 = STAGES_64*8*BK*128
//@ let      SMEM_FEW = STAGES_FEW*8*BK*(FEW+64)
//@ require  SMEM_MAX >= SMEM_64 "all stages in shared memory"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      many = arrays || batch>1, tiny = many && M<=32 && N<=32
//@ arg      low = M<=FEW && !tiny, slim = M>FEW && N<=FEW && !tiny, few = low || slim
//@ arg      even_a = lda%2==0 && (TA*M+(1-TA)*K)%2==0 && aligned(A,16)
//@ arg      even_b = ldb%2==0 && (TB*K+(1-TB)*N)%2==0 && aligned(B,16)
//@ arg      even = batch==1 || (stride_a%2==0 && stride_b%2==0)
//@ arg      pairs = even_a && even_b && even && !arrays
//@ choose   side {32,64}, share {1,2,4,8}
//@ arg      high = low*FEW+slim*64+(1-few)*side, wide = slim*FEW+low*64+(1-few)*side
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,high), each = rows*cdiv(N,wide)
//@ arg      parts = each*batch*share, large = side==64, fit = 3-few-2*large
//@ arg      slots = max(fit*SMS*(100-7*(share>=4))/100,1), rest = parts%slots
//@ arg      one = few*(249-37*pairs)+large*(783-103*pairs)+(1-few-large)*(311-14*pairs)
//@ arg      all = few*(902-305*pairs)+large*(783-103*pairs)+(1-few-large)*(800-93*pairs)
//@ arg      last = (rest>0)*(one+(all-one)*(cdiv(rest*fit,slots)-1)/max(fit-1,1))
//@ arg      later = (cdiv(parts,slots)-1)*(3100+800*large-1500*tiny)
//@ arg      multiplying = cdiv(steps,share)*(parts/slots*all+last)+later
//@ arg      reading = 8*batch*(M*K+K*N+M*N)/4990
//@ arg      asked = (!SIDE || few || SIDE==side) && (!SHARE || SHARE==share)
//@ arg      allowed = asked && (share==1 || steps>=share) && !(few && large)
//@ arg      both = max(multiplying,reading)+min(multiplying,reading)/2
//@ arg      cost = 2330+both+(share>1)*1100+(1-allowed)*1000000000
//@ least    cost
//@ kernel   multiply_32<2>
//@ when     !few && side==32 && pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_32
//@ kernel   multiply_32<1>
//@ when     !few && side==32 && !pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_32
//@ kernel   multiply_64<2>
//@ when     !few && side==64 && pairs
//@ grid     parts
//@ cluster  share
//@ block    LARGE_NT
//@ smem     SMEM_64
//@ kernel   multiply_64<1>
//@ when     !few && side==64 && !pairs
//@ grid     parts
//@ cluster  share
//@ block    LARGE_NT
//@ smem     SMEM_64
//@ kernel   few_rows<2>
//@ when     low && pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_FEW
//@ kernel   few_rows<1>
//@ when     low && !pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_FEW
//@ kernel   few_columns<2>
//@ when     slim && pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_FEW
//@ kernel   few_columns<1>
//@ when     slim && !pairs
//@ grid     parts
//@ cluster  share
//@ block    NT
//@ smem     SMEM_FEW
//@ expect   spills == 0, regs <= 255 @sm_90
//@ source   NVIDIA CUTLASS, sliced-K: warps of a block that share a tile along k
//
// After 24_dmma, whose smallest tile is 64 x 64: C of 665 x 28 has 11 of them, and leaves 121
// multiprocessors without work. A tile of 32 x 32 takes a fourth of the time, and there are more of
// them. Its four warps do not divide the tile, since warps of 16 x 16 would read each element of A
// and B twice from shared memory. They divide each step along k, and add their sums at the end:
//
//      step       k  0 .. 7   8 .. 15   16 .. 23   24 .. 31
//      32 x 32       warp 0    warp 1     warp 2     warp 3      each has sums of the whole tile
//
// Tiles: 32 x 32 by 32 deep; 16 x 64 or 64 x 16 for at most 16 rows or columns, except in a batch
// of products of at most 32 x 32, since more blocks of 32 x 32 fit on a multiprocessor; and 64 x
// 64, if C is large enough, where 8 warps have 32 x 32 for half of each step: it needs half the
// bytes. Every warp has 1024 sums, 32 a thread. Shares of K, as in 28_small: the blocks of a
// cluster divide K of one tile.
// Intensity from L2: 4 FLOP/byte for 32 x 32, 8 for 64 x 64: for small products.
// Bounds for a step of 32 x 32, in cycles of a multiprocessor: DMMA 32*32*32/128 = 256; shared
// memory: 4 warps read 64 rows of 64 bytes, 128 cycles, and the copies write as much.
// A scheduler has one warp of a block, which issues instructions in order. So fragments for the
// next products are loaded between products, in the order in which they are needed, and the next
// copies are issued after the last one.
// Banks: no conflicts (dmma_tile.h); rows of sums are 8 elements longer than the tile is wide, so
// that 8 lanes that write 64 bytes of each of 2 rows use each bank once.
// Occupancy on sm_90: 65536 bytes and at most 168 registers * 128 threads: 3 blocks, 12 warps; few
// rows or columns: 2 blocks, 8 warps; 64 x 64: 1 block, 8 warps.
// `cost` in ns: launching; a step with one block or with all that fit on a multiprocessor; waves;
// bytes at 5 TB/s; and half of the shorter of the two. Fitted to 502 products with all choices on
// an H200. For 240 others the chosen variant takes 1.008 times as long as the best.
// Tried on an H200: copies between the products too (1.1 times as long: an LDGSTS that follows LDS
// waits); all fragments before the products (few rows 0.99, squares 1.02); six stages and two
// blocks a multiprocessor (1.05).
#include "cluster.h"
#include "dependent_launch.h"
#include "dmma_tile.h"
#include "of_batch.h"
#include "shares.h"

// The product, and how it is divided: `rows` tiles are above one another, `each` belong to one
// product of the batch, and `share` blocks compute one.
struct product {
    int M, N, K;
    T alpha, beta;
    const T *A, *B;
    T *C;
    int lda, ldb, ldc;
    long long stride_a, stride_b, stride_c; // see of_batch.h
    int arrays, rows, each, share;
};

// The copies of a block: the next step's tiles begin at A and B, and what is beyond `rows`,
// `columns` and `depth` is not in the matrix.
struct source {
    const T *A, *B;
    int rows, columns, depth;
};

// Copies the tiles of one step, v elements at a time.
template <int high, int wide, int threads, int v>
__device__ EXPANDED void copy_step(const struct product *p, unsigned stage, struct source *from)
{
    copy_tile(stage, high, threads, !TA, v, from->A, p->lda, from->rows, from->depth);
    copy_tile(stage + 8 * BK * high, wide, threads, TB, v, from->B, p->ldb, from->columns,
              from->depth);
    from->A += TA ? (size_t)BK * p->lda : BK;
    from->B += TB ? BK : (size_t)BK * p->ldb;
    from->depth -= BK;
}

// Writes a thread's sums to rows of `pitch` elements.
template <int tm, int tn> __device__ EXPANDED void put_sums(T *to, int pitch, const T *sum)
{
    const int lane = threadIdx.x % 32;
    to += lane / 4 * pitch + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2 * tm; i++)
#pragma unroll
        for (int j = 0; j < tn; j++) {
            const T *s = sum + (i / 2 * tn + j) * 4 + i % 2 * 2;
            *(double2 *)(to + i * 8 * pitch + j * 8) = make_double2(s[0], s[1]);
        }
}

// Adds the sums of the `slices` of a tile, in order. Each is high x wide, with rows of `pitch`.
template <int high, int slices>
__device__ EXPANDED double2 add_slices(const T *sums, int pitch, int y, int x)
{
    double2 sum = *(const double2 *)(sums + y * pitch + x);
#pragma unroll
    for (int q = 1; q < slices; q++) {
        const double2 two = *(const double2 *)(sums + (q * high + y) * pitch + x);
        sum = make_double2(sum.x + two.x, sum.y + two.y);
    }
    return sum;
}

// C = alpha * (the sums of all slices and of all blocks of the cluster) + beta * C. Each block adds
// its slices, and then all blocks' sums of some of the rows, in the order of the blocks.
template <int high, int wide, int threads, int slices>
__device__ EXPANDED void add_shares(const struct product *p, T *C, int row, int column, T *sums,
                                    int rank)
{
    const int pitch = wide + PAD, rows = high / p->share;
    const bool vector = p->ldc % 2 == 0 && (size_t)C % 16 == 0;
    __syncthreads();
    if (p->share > 1) {
#pragma unroll
        for (int i = threadIdx.x; i < high * wide / 2; i += threads) {
            const int y = i / (wide / 2), x = i % (wide / 2) * 2;
            *(double2 *)(sums + y * pitch + x) = add_slices<high, slices>(sums, pitch, y, x);
        }
        cluster_sync();
    }
    for (int i = threadIdx.x; i < rows * wide / 2; i += threads) {
        const int y = rank * rows + i / (wide / 2), x = i % (wide / 2) * 2;
        if (row + y >= p->M || column + x >= p->N)
            continue;
        double2 sum = make_double2(0, 0), part[8];
        if (p->share == 1) {
            sum = add_slices<high, slices>(sums, pitch, y, x);
        } else {
#pragma unroll
            for (int s = 0; s < 8; s++)
                if (s < p->share)
                    part[s] = *(const double2 *)cluster_address(sums + y * pitch + x, s);
#pragma unroll
            for (int s = 0; s < 8; s++)
                if (s < p->share)
                    sum = make_double2(sum.x + part[s].x, sum.y + part[s].y);
        }
        store_two(C + (size_t)(row + y) * p->ldc + column + x, p->N - column - x, vector, sum.x,
                  sum.y, p->alpha, p->beta);
    }
    if (p->share > 1)
        cluster_sync_relaxed(); // a block must not end while others read its shared memory
}

// The fragments of 8 of k for a warp's rows and columns.
template <int tm, int tn> struct fragments {
    T a[tm][4], b[tn][2];
};

// Loads those of a warp's fragments for the next 8 of k, number h, that the `part`-th product is
// the first to need. The warp's first row in the tile is r, its first column c.
template <int high, int wide, int tm, int tn>
__device__ EXPANDED void load_part(struct fragments<tm, tn> *f, const T *stage, int r, int c, int h,
                                   int part)
{
    const int lane = threadIdx.x % 32, i = part / tn, j = part % tn;
    if (i == 0)
        load_fragment(f->b[j], 1, TB, wide, stage + BK * high, c, j, h, lane);
    if (j == 0)
        load_fragment(f->a[i], 2, !TA, high, stage, r, 2 * i, h, lane);
}

// The state of a block's loop: the next step, its stage and what is copied next.
struct state {
    int step, read;
    struct source from;
};

// Adds the products of the fragments `now`, which are number h of a warp's in the step, and loads
// those after them to `next`. When all warps have loaded the last ones of a step, its stage is
// filled again. `end` is the block's last step plus 1.
template <int high, int wide, int tm, int tn, int slices, int threads, int stages, int v>
__device__ EXPANDED void multiply_8(const struct product *p, struct state *at, int end, int h,
                                    int r, int c, T *sum, const struct fragments<tm, tn> *now,
                                    struct fragments<tm, tn> *next)
{
    extern __shared__ double2 shared[];
    const int groups = BK / 8 / slices, stage = BK * (high + wide), parts = tm * tn;
    const int first = threadIdx.x / 32 % slices * groups, following = at->read + 1;
    const bool last = h == groups - 1;
    const unsigned filled = shared_address(shared) + at->read * stage * 8;
    if (last) {
        at->read = following == stages ? 0 : following;
        cp_async_wait(stages - 2);
        __syncthreads();
    }
    const T *const then = (const T *)shared + at->read * stage;
    const bool loads = !last || at->step + 1 < end;
#pragma unroll
    for (int q = 0; q < parts; q++) {
        dmma_16x8x8(sum + q * 4, now->a[q / tn], now->b[q % tn]);
        if (loads)
            load_part<high, wide>(next, then, r, c, last ? first : first + h + 1, q);
    }
    if (last) {
        if (at->step + stages < end)
            copy_step<high, wide, threads, v>(p, filled, &at->from);
        cp_async_commit();
        at->step++;
    }
}

// Computes a block's share of a tile of high x wide in `stages` stages. Warps of wm x wn divide the
// tile, and `slices` of them divide each step along k.
template <int high, int wide, int wm, int wn, int slices, int stages, int v>
__device__ EXPANDED void multiply(const struct product *p)
{
    extern __shared__ double2 shared[];
    const int threads = 32 * slices * (high / wm) * (wide / wn), groups = BK / 8 / slices;
    const int tm = wm / 16, tn = wn / 8, stage = BK * (high + wide);
    const int slice = threadIdx.x / 32 % slices, place = threadIdx.x / 32 / slices;
    const int r = place / (wide / wn) * wm, c = place % (wide / wn) * wn;
    const int rank = p->share > 1 ? cluster_rank() : 0, number = over(blockIdx.x, p->share);
    const int product = quotient(number, p->each), tile = number - product * p->each;
    const int steps = (p->K + BK - 1) / BK;
    const int begin = first_step(steps, rank, p->share), k = begin * BK;
    const int end = first_step(steps, rank + 1, p->share);
    const int down = quotient(tile, p->rows), row = (tile - down * p->rows) * high;
    const int column = down * wide;

    wait_for_earlier_grids();
    const T *const A = of_batch(p->A, p->stride_a, p->arrays, product);
    const T *const B = of_batch(p->B, p->stride_b, p->arrays, product);
    struct state at = {begin, 0,
                       {A + (TA ? (size_t)k * p->lda + row : (size_t)row * p->lda + k),
                        B + (TB ? (size_t)column * p->ldb + k : (size_t)k * p->ldb + column),
                        p->M - row, p->N - column, p->K - k}};
#pragma unroll 1
    for (int s = 0; s < stages; s++) {
        if (begin + s < end)
            copy_step<high, wide, threads, v>(p, shared_address(shared) + s * stage * 8, &at.from);
        cp_async_commit();
    }
    T sum[tm * tn * 4];
#pragma unroll
    for (int i = 0; i < tm * tn * 4; i++)
        sum[i] = 0;
    cp_async_wait(stages - 1);
    __syncthreads();
    struct fragments<tm, tn> even, odd;
#pragma unroll
    for (int q = 0; q < tm * tn && begin < end; q++)
        load_part<high, wide>(&even, (const T *)shared, r, c, slice * groups, q);
    while (at.step < end) {
        multiply_8<high, wide, tm, tn, slices, threads, stages, v>(p, &at, end, 0, r, c, sum, &even,
                                                                   &odd);
        if (groups == 1 && at.step == end)
            break;
        multiply_8<high, wide, tm, tn, slices, threads, stages, v>(p, &at, end, groups - 1, r, c,
                                                                   sum, &odd, &even);
    }
    // No stage is read or written any more, and the sums take their place.
    T *const sums = (T *)shared;
    put_sums<tm, tn>(sums + (slice * high + r) * (wide + PAD) + c, wide + PAD, sum);
    add_shares<high, wide, threads, slices>(p, of_batch(p->C, p->stride_c, p->arrays, product), row,
                                            column, sums, rank);
}

// The kernels, for each tile: copies of two numbers `together`, of 16 bytes, or of one.
template <int together>
__global__ void __launch_bounds__(NT, 3)
    multiply_32(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                T *C, int ldc, long long stride_a, long long stride_b, long long stride_c,
                int arrays, int rows, int each, int share)
{
    const struct product p = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, rows, each, share};
    multiply<32, 32, 32, 32, 4, STAGES_32, together>(&p);
}

template <int together>
__global__ void __launch_bounds__(LARGE_NT, 1)
    multiply_64(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                T *C, int ldc, long long stride_a, long long stride_b, long long stride_c,
                int arrays, int rows, int each, int share)
{
    const struct product p = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, rows, each, share};
    multiply<64, 64, 32, 32, 2, STAGES_64, together>(&p);
}

template <int together>
__global__ void __launch_bounds__(NT, 2)
    few_rows(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
             int ldc, long long stride_a, long long stride_b, long long stride_c, int arrays,
             int rows, int each, int share)
{
    const struct product p = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, rows, each, share};
    multiply<FEW, 64, FEW, 64, 4, STAGES_FEW, together>(&p);
}

template <int together>
__global__ void __launch_bounds__(NT, 2)
    few_columns(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                T *C, int ldc, long long stride_a, long long stride_b, long long stride_c,
                int arrays, int rows, int each, int share)
{
    const struct product p = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc, stride_a, stride_b,
                              stride_c, arrays, rows, each, share};
    multiply<64, FEW, 64, FEW, 4, STAGES_FEW, together>(&p);
}

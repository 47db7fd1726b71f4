// 28_small.cu: small products: small tiles, few rows or columns, several blocks a multiprocessor.
// SPDX-License-Identifier: MIT
//@ title    Small products
//@ after    27_any_shape
//@ idea     cp.async writes what wgmma reads: no tensor map is fetched before the first tile
//@ idea     blocks of 128 threads start sooner, and two or three of them share a multiprocessor
//@ idea     few rows or columns are wgmma's N, which may be 16; tiles of the other matrix have 64
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    SHARE 0 {0,1,2,4,8}
//@ let      BM = 64, BN = 64, BK = 64, FEW = 16, V = 8, NT = 128, ADD_NT = 256, PITCH = 40
//@ let      STAGES = 6, STAGE = 2*BK*(BM+BN), AHEAD = 3, WINDOWS = 9
//@ let      ANY_WINDOWS = 2*BM*WINDOWS*16, SUMS = 4*BM*(BN+8)
//@ let      ROWS_STAGE = 2*BK*BM+128*(TA*BK+(1-TA)*FEW), ROWS_AHEAD = 5-3*TA
//@ let      COLUMNS_STAGE = 2*BK*BM+128*((1-TB)*BK+TB*FEW), COLUMNS_AHEAD = 2+3*TB
//@ let      ROWS_WINDOWS = 16*(BM*WINDOWS+TA*BK*3+(1-TA)*FEW*WINDOWS), ROWS_ANY = 3-TA
//@ let      COLUMNS_WINDOWS = 16*(BM*WINDOWS+(1-TB)*BK*3+TB*FEW*WINDOWS), COLUMNS_ANY = 2+TB
//@ require  SMEM_MAX >= 2*STAGE+(AHEAD+1)*ANY_WINDOWS+1024 "all stages in shared memory"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ arg      bias = 0, per_row = 0, activation = 0
//@ arg      many = arrays || batch>1, low = M<=FEW, slim = M>FEW && N<=FEW, few = low || slim
//@ arg      steps = cdiv(K,BK), rows = low*cdiv(N,BM)+(1-low)*cdiv(M,BM)
//@ arg      tiles = rows*(low+(1-low)*cdiv(N,BN))
//@ choose   share {1,2,4,8}, splits {1,4,16}
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      apart = batch==1 || (stride_a%V==0 && stride_b%V==0)
//@ arg      at_16 = !arrays && aligned(A,16) && aligned(B,16)
//@ arg      whole = lda%V==0 && ldb%V==0 && apart && at_16
//@ arg      stage = (1-few)*STAGE+low*ROWS_STAGE+slim*COLUMNS_STAGE
//@ arg      window = (1-few)*ANY_WINDOWS+low*ROWS_WINDOWS+slim*COLUMNS_WINDOWS
//@ arg      most = (1-few)*STAGES+low*(ROWS_AHEAD+2)+slim*(COLUMNS_AHEAD+2)
//@ arg      most_any = (1-few)*(AHEAD+1)+low*(ROWS_ANY+1)+slim*(COLUMNS_ANY+1)
//@ arg      stages = max(clamp(depth,1,most)*stage,(share*splits>1 && !few)*SUMS)
//@ arg      windows = clamp(depth,1,2)*stage+clamp(depth,1,most_any)*window
//@ arg      staged = whole*stages+(1-whole)*windows
//@ arg      room = min((SMEM_MAX+1024)/(staged+2048), 4+2*few+whole*(2-few))
//@ arg      fit = many*room+(1-many)*(2+few), slots = fit*SMS*(100-9*(share>=4))/100
//@ arg      parts = tiles*batch*share*splits, rest = parts%slots, waves = cdiv(parts,slots)
//@ arg      across = low*TA+slim*(1-TB)
//@ arg      skew = ((1-low)*lda)%16!=0 || ((1-slim)*ldb)%16!=0
//@ arg      more = few*(117*across+200*skew)+(1-few)*152*skew
//@ arg      more_any = few*63*across+(1-few)*24*(1-TB)
//@ arg      one = whole*(259-82*few+more)+(1-whole)*(850-240*few+more_any)
//@ arg      all = whole*(400-33*few+fit*more)+(1-whole)*(1350-50*few+fit*more_any)
//@ arg      last = (rest>0)*(one+(all-one)*(cdiv(rest*fit,slots)-1)/max(fit-1,1))
//@ arg      bytes = 2*(M+N)*K*batch, reading = bytes/5780+max(bytes-40000000,0)/9030
//@ arg      multiplying = max(depth*(parts/slots*all+last),reading)
//@ arg      storing = M*N/1640+(splits>1)*(2200+splits*M*N/520)
//@ arg      alone = 230+waves*(1630+(share>1)*(1100-610*few))+multiplying+storing
//@ arg      first = whole*(335+307*few)+(1-whole)*(364+375*few)+(share>1)*(1700-1100*few)
//@ arg      then = whole*(71+8*few)+(1-whole)*(627-167*few)
//@ arg      each = whole*(240-40*few)+(1-whole)*(479-214*few)+(N%4!=0)*(64+54*(1-whole)+50*few)
//@ arg      each_step = whole*(154-46*few)+(1-whole)*(222-30*few)
//@ arg      resident = parts/slots*fit+cdiv(rest,SMS)
//@ arg      batched = 900+waves*(first+depth*then)+resident*(each+depth*each_step)
//@ arg      moved = (bytes+C_BYTES*M*N*batch)/7400
//@ arg      cut = share*splits>max(steps,1) || (many && splits>1)
//@ arg      refused = (SHARE && SHARE!=share) || (!SHARE && cut)
//@ arg      cost = (1-many)*alone+many*(batched+moved)+refused*1000000000
//@ least    cost
//@ arg      ldp = cdiv(N,4)*4
//@ work     P = f32[(splits>1)*splits*M*ldp]
//@ kernel   tiles<true>
//@ when     whole && !few
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   tiles<false>
//@ when     !whole && !few
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   few_rows<true>
//@ when     whole && low
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   few_rows<false>
//@ when     !whole && low
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   few_columns<true>
//@ when     whole && slim
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   few_columns<false>
//@ when     !whole && slim
//@ grid     tiles*batch*share*splits
//@ cluster  share
//@ block    NT
//@ smem     staged+1024
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*ldp,1024), 8*SMS)
//@ block    ADD_NT
//@ expect   spills == 0, regs <= 128 @sm_90
//@ source   NVIDIA CUTLASS, efficient GEMM: pipelining from global to shared memory to registers
//
// After 27_any_shape: the time of a product of a few microseconds is that of its launch, its first
// loads and its last stores. Blocks of 384 threads take 0.3 us longer to launch than blocks of 128,
// and a tensor map must be fetched from memory before the first tile. So here all threads copy by
// cp.async, in the layout of TMA's swizzle128, and then multiply by wgmma, which reads through
// another proxy: a fence is between them. Copies are four steps ahead. Two blocks share a
// multiprocessor: one multiplies while the other waits.
//
// wgmma has 64 rows and from 8 to 256 columns. If C has at most 16 columns, they are 16 columns of
// wgmma. If C has at most 16 rows, C transposed is computed, and the 64 rows are columns of B. So a
// tile of the larger matrix is multiplied by 16 rows of the smaller one, not by 64 that are mostly
// 0.
//
// Shares of K, as in 27_any_shape: the blocks of a cluster divide K of one tile, and add their sums
// in shared memory. If 8 shares are too few, K is also split between clusters, which write their
// sums to a workspace; a second launch adds these in a fixed order. `cost` is in ns: `alone`, for
// one product, is the launch, all steps, with one, two or three blocks on a multiprocessor, or
// reading if it takes longer, and adding. The rates were fitted to 191 products with all choices on
// an H200. Rows that are not aligned to sectors (skew) take longer to copy.
//
// Batches: the library sets the variables of the line `arg batch`. The blocks of all products are
// numbered consecutively. A block of few steps has as many stages as steps, so that up to seven of
// them share a multiprocessor (`room`): 64 x 64 x 64 then takes 0.7 of the time. `batched` is waves
// of blocks, and what the blocks on one multiprocessor do one after another; fitted to 621 times of
// 386 random batches on an H200, with an error of 9 % (root mean square).
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
//
// Rows that are not aligned to 16 bytes need no other launch. The aligned vectors that contain a
// row are copied unchanged, two or three steps ahead, and shifted by up to 14 bytes when they are
// moved to the tile that wgmma reads. Tile: 64 x 64 (16) by 64 deep; 4 warps of 16 x 64 (16), 32
// (8) sums a thread. Intensity at 4096: 32 FLOP/byte from global memory, half of 27_any_shape's
// least: for few tiles. Occupancy on sm_90: 128 threads of 75 (110) registers, 99328 bytes: 2
// blocks, 8 warps; few rows or columns: 3 blocks, 12 warps.
//
//   step       s              s+1            s+2
//   copy      |tiles s+4     |tiles s+5     |tiles s+6     into the stage that step s-2 has read
//   multiply  |tiles s       |tiles s+1     |tiles s+2     wgmma runs on during the next wait
//             ^ wait for tiles s, fence, barrier
//
//   a row that is not aligned    |......xx|xxxxxxxx|  ..  |xxxxxxxx|xxxxxx..|   9 vectors copied
//   the same shifted                     |xxxxxxxx|xxxxxxxx|  ..  |xxxxxxxx|     8 vectors stored
#include "cluster.h"
#include "cp_async.h"
#include "dependent_launch.h"
#include "epilogue.h"
#include "of_batch.h"
#include "shares.h"
#include "store_rows.h"
#include "wgmma.h"

#define EXPANDED static inline __attribute__((always_inline))

// The position of vector x of a row of 64 elements in a tile, as in TMA's swizzle128.
__device__ static inline unsigned place_of(int y, int x)
{
    return y * 128 + (x ^ y % 8) * 16;
}

// The rows of A or the columns of B that a block multiplies. Their number, `count`, is BM, BN or
// FEW. `across`: a row of the matrix in memory is a step of k, not one of them.
struct side {
    const T *from; // the matrix, or an array of addresses
    int ld, end;   // end: how many are in the matrix
    bool across;
    int count;
};

// A side's tile of a step is high(s) rows of vectors(s) vectors of 16 bytes in memory. A thread has
// vector x of row y and of further rows, `apart` from each other: vectors(s)*high(s)/NT vectors.
__device__ static inline int high(const struct side *s)
{
    return s->across ? BK : s->count;
}

__device__ static inline int vectors(const struct side *s)
{
    return (s->across ? s->count : BK) / V;
}

__device__ static inline int apart(const struct side *s)
{
    return NT / vectors(s);
}

__device__ static inline int thread_y(const struct side *s)
{
    return threadIdx.x / vectors(s);
}

__device__ static inline int thread_x(const struct side *s)
{
    return threadIdx.x % vectors(s);
}

// A tile in memory, of which `rows` by `columns` elements are in the matrix.
struct tile {
    const T *from;
    int rows, columns;
};

// Returns the side's tile that begins at `first` and at step `step` of k.
__device__ static inline struct tile tile_of(const struct side *s, int first, int step, int K)
{
    const int k = step * BK, ends = s->end - first;
    const struct tile t = {s->from + (s->across ? (size_t)k * s->ld + first
                                                : (size_t)first * s->ld + k),
                           s->across ? K - k : ends, s->across ? ends : K - k};
    return t;
}

// What a thread copies of a side in each step: its vectors, of which `bytes` are in the matrix, as
// far as k is in it.
struct copies {
    const T *from;
    size_t down, next; // elements to the vector below, and to the next step
    int bytes[4];
};

__device__ static inline struct copies copies_of(const struct side *s, const struct tile *t)
{
    const int y = thread_y(s), x = thread_x(s) * V;
    struct copies c = {t->from + (size_t)y * s->ld + x, (size_t)apart(s) * s->ld,
                       s->across ? (size_t)BK * s->ld : BK};
#pragma unroll
    for (int i = 0; i < high(s) / apart(s); i++)
        c.bytes[i] =
            2 * (s->across ? max(0, min(V, t->columns - x)) : y + i * apart(s) < t->rows ? V : 0);
    return c;
}

// Issues the copies of a step, of which `left` of k are in the matrix.
__device__ static inline void copy_step(unsigned to, const struct side *s, struct copies *c,
                                        int left)
{
    const int y = thread_y(s), x = thread_x(s);
    to += place_of(y, x);
#pragma unroll
    for (int i = 0; i < high(s) / apart(s); i++) {
        int bytes = c->bytes[i];
        if (left < BK)
            bytes = s->across ? (y + i * apart(s) < left ? bytes : 0)
                              : min(bytes, 2 * max(0, left - x * V));
        cp_async_16_of(to + i * apart(s) * 128, bytes > 0 ? c->from + i * c->down : c->from, bytes);
    }
    c->from += c->next;
}

// ---- Rows that are not aligned ----

// The aligned vectors that contain a row of a tile, one more than the row has, are copied to shared
// memory unchanged. They begin `shift` bytes before the row, in each step and each row of a thread.
// The last vector of a row is copied by the thread that has the vector before it.
struct windows {
    const char *from;  // vector x of row y
    size_t down, next; // bytes to the next row of the thread, and to the next step
    int shift;
};

__device__ static inline struct windows windows_of(const struct side *s, const struct tile *t)
{
    const char *row = (const char *)(t->from + (size_t)thread_y(s) * s->ld);
    const int shift = (size_t)row % 16;
    const struct windows w = {row - shift + thread_x(s) * 16, (size_t)2 * apart(s) * s->ld,
                              s->across ? (size_t)2 * BK * s->ld : 2 * BK, shift};
    return w;
}

// The matrix begins within its first vector: bytes before the matrix are not read.
__device__ static inline void copy_first(unsigned to, const char *from, int bytes,
                                         const char *matrix)
{
#pragma unroll 1
    for (int at = 0; at < 16; at += 2) {
        const unsigned short value =
            from + at >= matrix && at < bytes ? *(const unsigned short *)(from + at) : 0;
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + at), "h"(value) : "memory");
    }
}

// Copies the windows of a step, of which `left` of k are in the matrix.
__device__ static inline void copy_windows(unsigned to, const struct side *s, const struct tile *t,
                                           struct windows *w, int left)
{
    const int rows = s->across ? left : t->rows, columns = s->across ? t->columns : left;
    const int y = thread_y(s), x = thread_x(s), bytes = 2 * columns + w->shift - x * 16;
    const int pitch = (vectors(s) + 1) * 16;
    const unsigned place = to + y * pitch + x * 16;
#pragma unroll
    for (int i = 0; i < high(s) / apart(s); i++) {
        const char *const from = w->from + i * w->down;
        const bool inside = y + i * apart(s) < rows;
        if (i == 0 && inside && from < (const char *)s->from)
            copy_first(place, from, bytes, (const char *)s->from);
        else
            cp_async_16_of(place + i * apart(s) * pitch, from,
                           inside ? max(0, min(bytes, 16)) : 0);
        if (x == vectors(s) - 1)
            cp_async_16_of(place + i * apart(s) * pitch + 16, from + 16,
                           inside ? max(0, min(bytes - 16, 16)) : 0);
    }
    w->from += w->next;
}

// Returns the 16 bytes that begin `shift` bytes after the beginning of a.
__device__ static inline uint4 shifted(uint4 a, uint4 b, int shift)
{
    if (shift & 8) {
        a = make_uint4(a.z, a.w, b.x, b.y);
        b = make_uint4(b.z, b.w, 0, 0);
    }
    if (shift & 4) {
        a = make_uint4(a.y, a.z, a.w, b.x);
        b.x = b.y;
    }
    const unsigned two = shift & 2 ? 0x5432 : 0x3210; // selects the bytes of two words
    return make_uint4(__byte_perm(a.x, a.y, two), __byte_perm(a.y, a.z, two),
                      __byte_perm(a.z, a.w, two), __byte_perm(a.w, b.x, two));
}

// Moves the thread's vectors to the tile that wgmma reads. All are read before any is written.
__device__ static inline void shift_tile(uint4 *to, const uint4 *from, const struct side *s,
                                         int shift)
{
    const int y = thread_y(s), x = thread_x(s), pitch = vectors(s) + 1;
    uint4 low[4], upper[4];
#pragma unroll
    for (int i = 0; i < high(s) / apart(s); i++) {
        low[i] = from[(y + i * apart(s)) * pitch + x];
        upper[i] = from[(y + i * apart(s)) * pitch + x + 1];
    }
#pragma unroll
    for (int i = 0; i < high(s) / apart(s); i++)
        to[place_of(y + i * apart(s), x) / 16] = shifted(low[i], upper[i], shift);
}

// ---- The product ----

// `many` is the side of wgmma's 64 rows, `other` that of its columns. `turned`: the 64 rows are
// columns of B, the columns are rows of A, and the sums are those of C transposed.
struct product {
    int M, N, K, steps, rows, share, splits;
    struct side many, other;
    bool turned;
    T_C *C;
    int ldc;
    float *P;
    int ldp;
    float alpha, beta;
    int depth; // the most steps of a block
    // A batch (of_batch.h), each product of which has `tiles` tiles.
    int tiles, arrays;
    long long stride_many, stride_other, stride_c;
    struct epilogue epilogue;
};

// The part of the product that a block computes: a tile of C, and some of the steps along K.
struct part {
    int product, many, other, split, begin, end;
};

__device__ static inline struct part part_of_block(const struct product *p)
{
    const int rank = p->share > 1 ? cluster_rank() : 0, cluster = over(blockIdx.x, p->share);
    const int unit = over(cluster, p->splits), split = cluster & (p->splits - 1);
    const int product = quotient(unit, p->tiles), tile = unit - product * p->tiles;
    const int column = quotient(tile, p->rows), row = tile - column * p->rows;
    const int at = split * p->share + rank, parts = p->share * p->splits;
    const struct part part = {product,
                              row * BM,
                              column * p->other.count,
                              split,
                              first_step(p->steps, at, parts),
                              first_step(p->steps, at + 1, parts)};
    return part;
}

__device__ static inline int bytes_of(const struct side *s)
{
    return 128 * high(s);
}

__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
}

// Issues the products of a step, and waits for those of the previous step.
__device__ EXPANDED void multiply_step(const struct product *p, unsigned from, float *sum,
                                       bool adds)
{
    const T *const type = 0;
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
        const unsigned long long many = part_of(from, p->many.across, k);
        const unsigned long long other = part_of(from + bytes_of(&p->many), p->other.across, k);
        if (p->other.count == FEW)
            wgmma_64x16x16(type, sum, many, other, adds || k > 0, p->many.across, p->other.across);
        else
            wgmma_64x64x16(type, sum, many, other, adds || k > 0, p->many.across, p->other.across);
    }
    wgmma_commit();
    wgmma_wait(1);
}

// Rows of whole vectors: they are copied to the tiles that wgmma reads, `ahead` steps ahead.
template <int ahead>
__device__ EXPANDED void multiply_vectors(const struct product *p, const struct part *part,
                                          unsigned base, float *sum)
{
    const int begin = part->begin, end = part->end, many = bytes_of(&p->many);
    const int stages = ahead + 2, bytes = many + bytes_of(&p->other);
    const struct tile tile_many = tile_of(&p->many, part->many, begin, p->K);
    const struct tile tile_other = tile_of(&p->other, part->other, begin, p->K);
    struct copies copies_many = copies_of(&p->many, &tile_many);
    struct copies copies_other = copies_of(&p->other, &tile_other);
    wait_for_earlier_grids();
    for (int step = begin; step < begin + ahead; step++) {
        const unsigned to = base + (step - begin) * bytes;
        if (step < end) {
            copy_step(to, &p->many, &copies_many, p->K - step * BK);
            copy_step(to + many, &p->other, &copies_other, p->K - step * BK);
        }
        cp_async_commit();
    }
    int stage = 0, next = ahead;
    for (int step = begin; step < end; step++) {
        const unsigned to = base + next * bytes;
        const int left = p->K - (step + ahead) * BK;
        cp_async_wait(ahead - 1);
        wgmma_sees_writes();
        __syncthreads(); // this step's tiles have arrived, and those of two steps ago are free
        if (step + ahead < end) {
            copy_step(to, &p->many, &copies_many, left);
            copy_step(to + many, &p->other, &copies_other, left);
        }
        cp_async_commit();
        multiply_step(p, base + stage * bytes, sum, step > begin);
        stage = stage == stages - 1 ? 0 : stage + 1;
        next = next == stages - 1 ? 0 : next + 1;
    }
}

// Rows that are not aligned: their windows are copied `ahead` steps ahead, behind the two stages
// that wgmma reads alternately; those of a step are shifted when they have arrived.
template <int ahead>
__device__ EXPANDED void multiply_windows(const struct product *p, const struct part *part,
                                          unsigned base, uint4 *stages, float *sum)
{
    const int begin = part->begin, end = part->end, many = bytes_of(&p->many);
    const int bytes = many + bytes_of(&p->other);
    const int windows_many_ = 16 * high(&p->many) * (vectors(&p->many) + 1);
    const int windows_bytes = windows_many_ + 16 * high(&p->other) * (vectors(&p->other) + 1);
    const struct tile tile_many = tile_of(&p->many, part->many, begin, p->K);
    const struct tile tile_other = tile_of(&p->other, part->other, begin, p->K);
    const unsigned windows = base + (p->depth > 1 ? 2 : 1) * bytes;
    struct windows windows_many = windows_of(&p->many, &tile_many);
    struct windows windows_other = windows_of(&p->other, &tile_other);
    wait_for_earlier_grids();
    int stage = 0, next = 0;
    for (int step = begin - ahead; step < end; step++) {
        const int left = p->K - (step + ahead) * BK;
        if (step >= begin) {
            cp_async_wait(ahead - 1);
            __syncthreads(); // this step's windows have arrived, those of the last step are free
        }
        if (left > 0 && step + ahead < end) {
            const unsigned to = windows + next * windows_bytes;
            copy_windows(to, &p->many, &tile_many, &windows_many, left);
            copy_windows(to + windows_many_, &p->other, &tile_other, &windows_other, left);
        }
        cp_async_commit();
        next = next == ahead ? 0 : next + 1;
        if (step < begin)
            continue;
        const int turn = (step - begin) % 2 * bytes;
        uint4 *const to = stages + turn / 16;
        const uint4 *const from = stages + (windows - base + stage * windows_bytes) / 16;
        shift_tile(to, from, &p->many, windows_many.shift);
        shift_tile(to + many / 16, from + windows_many_ / 16, &p->other, windows_other.shift);
        wgmma_sees_writes();
        __syncthreads(); // the tiles are complete
        multiply_step(p, base + turn, sum, step > begin);
        stage = stage == ahead ? 0 : stage + 1;
    }
}

// ---- The sums to C ----

// All blocks of a cluster add their sums: each adds some of the `height` rows of the tile, always
// in the order of the blocks. With several splits, the result is stored to P.
__device__ static inline void add_shares(const struct product *p, const struct part *part,
                                         int height, int width, int pitch, unsigned sums)
{
    const int row = p->turned ? part->other : part->many;
    const int column = p->turned ? part->many : part->other;
    const int rows = height / p->share, rank = p->share > 1 ? cluster_rank() : 0;
    const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
    for (int i = threadIdx.x; i < rows * width / 4; i += NT) {
        const int y = rank * rows + i / (width / 4), x = i % (width / 4) * 4;
        if (row + y >= p->M || column + x >= p->N)
            continue;
        float4 part_[8], sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int s = 0; s < 8; s++)
            if (s < p->share)
                part_[s] = cluster_load(sums + (y * pitch + x) * 4, s);
#pragma unroll
        for (int s = 0; s < 8; s++)
            if (s < p->share)
                sum = make_float4(sum.x + part_[s].x, sum.y + part_[s].y, sum.z + part_[s].z,
                                  sum.w + part_[s].w);
        const bool finishing = p->splits == 1 && finishes(&p->epilogue);
        if (finishing)
            sum = finish_four(&p->epilogue, row + y, column + x, sum, p->alpha);
        if (p->splits > 1)
            *(float4 *)(p->P + ((size_t)part->split * p->M + row + y) * p->ldp + column + x) = sum;
        else
            store_up_to_four(p->C + (size_t)(row + y) * p->ldc + column + x, p->N - column - x,
                             aligned, sum, finishing ? 1 : p->alpha, p->beta);
    }
}

// Writes the sums of FEW columns of wgmma individually: the next row is `down` floats further, the
// next column `right` floats.
__device__ static inline void put_few(float *to, int down, int right, const float *sum)
{
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < FEW / 2; i++)
        to[(row + i / 2 % 2 * 8) * down + (column + i / 4 * 8 + i % 2) * right] = sum[i];
}

// Stores the sums. The stages must be free.
__device__ EXPANDED void store(const struct product *p, const struct part *part, float *sum,
                               unsigned base, float *floats)
{
    const int warp = threadIdx.x / 32;
    if (p->other.count != FEW && p->share == 1 && p->splits == 1) {
        const int first = part->many + warp * 16;
        const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
        const bool finishing = finishes(&p->epilogue);
        float *const mine = floats + warp * 16 * PITCH;
        if (finishing) {
            const struct epilogue here = epilogue_at(&p->epilogue, first, part->other);
            finish_sums(&here, BN, sum, p->alpha);
        }
#pragma unroll
        for (int c = 0; c < BN; c += 32) {
            put_sums(mine, PITCH, sum + c / 2);
            __syncwarp();
            if (is_gelu(&p->epilogue)) {
                gelu_rows(&p->epilogue, mine, PITCH);
                __syncwarp();
            }
            store_rows(p->C + (size_t)first * p->ldc + part->other + c, p->ldc, p->M - first,
                       p->N - part->other - c, aligned, mine, PITCH,
                       finishing ? 1 : p->alpha, p->beta);
            __syncwarp();
        }
        return;
    }
    const int width = p->turned ? BM : p->other.count, pitch = width + 8;
    if (p->other.count == FEW)
        put_few(floats, p->turned ? 1 : pitch, p->turned ? pitch : 1, sum);
    else
#pragma unroll
        for (int c = 0; c < BN; c += 32)
            put_sums(floats + warp * 16 * pitch + c, pitch, sum + c / 2);
    cluster_sync();
    add_shares(p, part, p->turned ? FEW : BM, width, pitch, base);
    cluster_sync_relaxed(); // a block must not end while others read its shared memory
}

template <int ahead> __device__ EXPANDED void multiply(struct product *p, bool whole)
{
    extern __shared__ uint4 shared[];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    uint4 *const stages = shared + (base - shared_address(shared)) / 16;
    const struct part part = part_of_block(p);
    if (p->arrays)
        wait_for_earlier_grids(); // they may write the addresses
    p->many.from = of_batch(p->many.from, p->stride_many, p->arrays, part.product);
    p->other.from = of_batch(p->other.from, p->stride_other, p->arrays, part.product);
    p->C = of_batch(p->C, p->stride_c, p->arrays, part.product);
    float sum[BN / 2];
    if (whole)
        multiply_vectors<ahead>(p, &part, base, sum);
    else
        multiply_windows<ahead>(p, &part, base, stages, sum);
    wgmma_wait(0);
    wgmma_done(sum, p->other.count / 2);
    for (int i = 0; i < p->other.count / 2 && part.begin >= part.end; i++)
        sum[i] = 0;
    cp_async_wait(0);
    __syncthreads();
    store(p, &part, sum, base, (float *)stages);
}

template <bool whole>
__global__ void __launch_bounds__(NT, 2)
    tiles(int M, int N, int K, int steps, int rows, int share, int splits,
          float alpha, const T *A, int lda, const T *B, int ldb, float beta, T_C *C,
          int ldc, float *P, int ldp, int depth, int tiles, int arrays,
          long long stride_a, long long stride_b, long long stride_c,
          long long bias, int per_row, int activation)
{
    const struct side many = {A, lda, M, TA, BM}, other = {B, ldb, N, !TB, BN};
    struct product p = {M, N,   K, steps, rows,  share, splits, many,     other,    false,
                        C, ldc, P, ldp,   alpha, beta,  depth,  tiles,    arrays,   stride_a,
                        stride_b, stride_c, epilogue_of(bias, per_row, activation, M, N)};
    multiply<whole ? STAGES - 2 : AHEAD>(&p, whole);
}

template <bool whole>
__global__ void __launch_bounds__(NT, 3)
    few_rows(int M, int N, int K, int steps, int rows, int share, int splits,
             float alpha, const T *A, int lda, const T *B, int ldb, float beta, T_C *C,
             int ldc, float *P, int ldp, int depth, int tiles, int arrays,
             long long stride_a, long long stride_b, long long stride_c,
             long long bias, int per_row, int activation)
{
    const struct side other = {A, lda, M, TA, FEW}, many = {B, ldb, N, !TB, BM};
    struct product p = {M, N,   K, steps, rows,  share, splits, many,     other,    true,
                        C, ldc, P, ldp,   alpha, beta,  depth,  tiles,    arrays,   stride_b,
                        stride_a, stride_c, epilogue_of(bias, per_row, activation, M, N)};
    multiply<whole ? ROWS_AHEAD : ROWS_ANY>(&p, whole);
}

template <bool whole>
__global__ void __launch_bounds__(NT, 3)
    few_columns(int M, int N, int K, int steps, int rows, int share, int splits,
                float alpha, const T *A, int lda, const T *B, int ldb, float beta, T_C *C,
                int ldc, float *P, int ldp, int depth, int tiles, int arrays,
                long long stride_a, long long stride_b, long long stride_c,
                long long bias, int per_row, int activation)
{
    const struct side many = {A, lda, M, TA, BM}, other = {B, ldb, N, !TB, FEW};
    struct product p = {M, N,   K, steps, rows,  share, splits, many,     other,    false,
                        C, ldc, P, ldp,   alpha, beta,  depth,  tiles,    arrays,   stride_a,
                        stride_b, stride_c, epilogue_of(bias, per_row, activation, M, N)};
    multiply<whole ? COLUMNS_AHEAD : COLUMNS_ANY>(&p, whole);
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order, so the result is reproducible.
__global__ void __launch_bounds__(ADD_NT)
    add_splits(int M, int N, float alpha, float beta, T_C *C, int ldc, const float *P, int ldp,
               int splits, long long bias, int per_row, int activation)
{
    wait_for_earlier_grids();
    const struct epilogue epilogue = epilogue_of(bias, per_row, activation, M, N);
    const bool finishing = finishes(&epilogue);
    const bool aligned = ldc % 4 == 0 && (size_t)C % (4 * sizeof(T_C)) == 0;
    const int count = M * (ldp / 4);
    for (int i = blockIdx.x * ADD_NT + threadIdx.x; i < count; i += gridDim.x * ADD_NT) {
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

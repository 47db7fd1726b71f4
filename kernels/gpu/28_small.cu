// 28_small.cu: small products: small tiles, two blocks a multiprocessor, one launch for any rows.
// SPDX-License-Identifier: MIT
//@ title    Small products
//@ after    27_any_shape
//@ idea     cp.async writes what wgmma reads: no descriptor has to be fetched before the first tile
//@ idea     blocks of 128 threads start sooner, and two of them share a multiprocessor
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    SHARE 0 {0,1,2,4,8}
//@ let      BM = 64, BN = 64, BK = 64, V = 8, NT = 128, PITCH = 40
//@ let      STAGES = 6, STAGE = 2*BK*(BM+BN), AHEAD = 3, WINDOWS = 9
//@ let      ANY_SMEM = 2*STAGE+(AHEAD+1)*2*BM*WINDOWS*16+1024
//@ require  SMEM_MAX >= max(STAGES*STAGE+1024,ANY_SMEM) "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), tiles = rows*cdiv(N,BN)
//@ choose   share {1,2,4,8}
//@ arg      slots = 2*((share<=2)*SMS+(share==4)*(SMS*7/8))+(share>=8)*(SMS*6/5)
//@ arg      parts = tiles*share, depth = cdiv(steps,share), rest = parts%slots
//@ arg      whole = lda%V==0 && ldb%V==0 && aligned(A,16) && aligned(B,16)
//@ arg      skew = lda%64!=0 || ldb%64!=0
//@ arg      one = whole*270+(1-whole)*900, two = whole*(410+140*skew)+(1-whole)*1350
//@ arg      last = (rest>slots/2)*two+(rest>0&&rest<=slots/2)*one
//@ arg      refused = (SHARE && SHARE!=share) || (!SHARE && share>max(steps,1))
//@ arg      adding = (share>1)*cdiv(parts,slots)*(1100+600*whole)+M*N/570
//@ arg      cost = 3160+depth*(parts/slots*two+last)+adding+refused*1000000000
//@ least    cost
//@ kernel   multiply_whole
//@ when     whole
//@ grid     tiles*share
//@ cluster  share
//@ block    NT
//@ smem     STAGES*STAGE+1024
//@ kernel   multiply_any
//@ when     !whole
//@ grid     tiles*share
//@ cluster  share
//@ block    NT
//@ smem     ANY_SMEM
//@ expect   spills == 0, regs <= 128 @sm_90
//@ source   NVIDIA CUTLASS, efficient GEMM: pipelining from global to shared memory to registers
//
// After 27_any_shape: a product of a few microseconds is launching, the first loads and the last
// stores. A launch of blocks of 384 threads takes 0.3 us longer than of 128, and a tensor map has
// to be fetched from memory before the first tile can be. So here all threads copy by cp.async,
// into the places where TMA's swizzle128 would put the vectors, and then multiply by wgmma, which
// reads by another way than cp.async writes: a fence is between them. Four steps are on the way.
// Two blocks share a multiprocessor: one multiplies while the other waits.
// Shares of K, as in 27_any_shape: the blocks of a cluster have one tile, and add up over its
// shared memory. `cost` is the time of the product in ns: a launch, all steps, with one block or
// two on a multiprocessor, and adding; the rates were fitted to 270 products on an H200, whose
// operands were random and not in L2. Rows that do not begin at multiples of 16 bytes: in the same
// launch. The aligned vectors that contain a row are copied as they are, three steps ahead, and
// each step's are shifted by up to 14 bytes on their way from there to where wgmma reads. Tile: 64
// x 64 by 64 deep; 4 warps of 16 x 64, 32 sums a thread. Intensity at 4096: 32 FLOP/byte from
// global memory, half of 27_any_shape's least: for few tiles. Occupancy on sm_90: 128 threads of 92
// (128) registers, 99328 bytes: 2 blocks, 8 warps.
//
//   step       s              s+1            s+2
//   copy      |tiles s+4     |tiles s+5     |tiles s+6     into the stage that step s-2 has left
//   multiply  |tiles s       |tiles s+1     |tiles s+2     wgmma runs on during the next wait
//             ^ wait for tiles s, fence, barrier
//
//   a row that begins anywhere   |......xx|xxxxxxxx|  ..  |xxxxxxxx|xxxxxx..|   9 vectors copied
//   the same shifted                     |xxxxxxxx|xxxxxxxx|  ..  |xxxxxxxx|     8 vectors stored
#include "cluster.h"
#include "cp_async.h"
#include "store_rows.h"
#include "wgmma.h"

#define EXPANDED static inline __attribute__((always_inline))

// Where vector x of a row of 64 elements is in a tile, as TMA's swizzle128 has it.
__device__ static inline unsigned place_of(int y, int x)
{
    return y * 128 + (x ^ y % 8) * 16;
}

// A tile in memory: 64 rows of 64 elements, of which `rows` by `columns` are in the matrix.
struct tile {
    const T *from;
    int ld, rows, columns;
};

// The tile of an operand at row or column `first` of the product and at k. `across`: k goes down.
__device__ static inline struct tile tile_of(const T *from, int ld, bool across, int first, int end,
                                             int k, int K)
{
    struct tile t = {from + (across ? (size_t)k * ld + first : (size_t)first * ld + k), ld,
                     across ? K - k : end - first, across ? end - first : K - k};
    return t;
}

// What a thread copies of an operand in each step: the vectors of column x in rows y, y+16, y+32
// and y+48 of the tile, of which `bytes` are in the matrix while k is.
struct copies {
    const T *from;
    size_t down, next; // elements from a vector to the one below, and to that of the next step
    int bytes[4];
};

__device__ static inline struct copies copies_of(const struct tile *t, bool across)
{
    const int y = threadIdx.x / 8, x = threadIdx.x % 8 * V;
    struct copies c = {t->from + (size_t)y * t->ld + x, (size_t)16 * t->ld,
                       across ? (size_t)BK * t->ld : BK};
#pragma unroll
    for (int i = 0; i < 4; i++)
        c.bytes[i] = 2 * (across ? max(0, min(V, t->columns - x)) : y + i * 16 < t->rows ? V : 0);
    return c;
}

// The copies of a step of which `left` of k are in the matrix.
__device__ static inline void copy_step(unsigned to, struct copies *c, bool across, int left)
{
    const int y = threadIdx.x / 8, x = threadIdx.x % 8 * V;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int bytes = c->bytes[i];
        if (left < BK)
            bytes = across ? (y + i * 16 < left ? bytes : 0) : min(bytes, 2 * max(0, left - x));
        cp_async_16_of(to + i * 16 * 128, bytes > 0 ? c->from + i * c->down : c->from, bytes);
    }
    c->from += c->next;
}

// ---- Rows that begin anywhere ----

// The aligned vectors that contain a row of a tile, WINDOWS of 16 bytes, are copied to shared
// memory as they are. A thread copies vector x of rows y, y+16, y+32 and y+48, which begin `shift`
// bytes after a vector in every step, and the last vector of those rows if x is 7.
struct windows {
    const char *from;  // vector x of row y
    size_t down, next; // bytes to 16 rows below, and to the next step
    int shift;
};

__device__ static inline struct windows windows_of(const struct tile *t, bool across)
{
    const char *row = (const char *)(t->from + (size_t)(threadIdx.x / 8) * t->ld);
    const int shift = (size_t)row % 16;
    const struct windows w = {row - shift + threadIdx.x % 8 * 16, (size_t)32 * t->ld,
                              across ? (size_t)2 * BK * t->ld : 2 * BK, shift};
    return w;
}

// The matrix begins amid its first vector: what is before it is not read.
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

// The windows of a step, of a tile of which `rows` by `columns` are in the matrix.
__device__ static inline void copy_windows(unsigned to, struct windows *w, int rows, int columns,
                                           const T *matrix)
{
    const int y = threadIdx.x / 8, x = threadIdx.x % 8, bytes = 2 * columns + w->shift - x * 16;
    const unsigned place = to + (y * WINDOWS + x) * 16;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const char *const from = w->from + i * w->down;
        const bool inside = y + i * 16 < rows;
        if (i == 0 && inside && from < (const char *)matrix)
            copy_first(place, from, bytes, (const char *)matrix);
        else
            cp_async_16_of(place + i * (256 * WINDOWS), from, inside ? max(0, min(bytes, 16)) : 0);
        if (x == 7)
            cp_async_16_of(place + i * (256 * WINDOWS) + 16, from + 16,
                           inside ? max(0, min(bytes - 16, 16)) : 0);
    }
    w->from += w->next;
}

// The 16 bytes that begin `shift` bytes after the beginning of a.
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
    if (shift & 2)
        a = make_uint4(__funnelshift_r(a.x, a.y, 16), __funnelshift_r(a.y, a.z, 16),
                       __funnelshift_r(a.z, a.w, 16), __funnelshift_r(a.w, b.x, 16));
    return a;
}

// Moves the thread's vectors to where wgmma reads them. All are read before the first is written.
__device__ static inline void shift_tile(uint4 *to, const uint4 *from, int shift)
{
    const int y = threadIdx.x / 8, x = threadIdx.x % 8;
    uint4 low[4], high[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        low[i] = from[(y + i * 16) * WINDOWS + x];
        high[i] = from[(y + i * 16) * WINDOWS + x + 1];
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        to[place_of(y + i * 16, x) / 16] = shifted(low[i], high[i], shift);
}

__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
}

struct product {
    int M, N, K, steps, rows, share;
    const T *A, *B;
    T_C *C;
    int lda, ldb, ldc;
    float alpha, beta;
};

// The sums of the blocks of a cluster are added by all of them: each some rows, always in the order
// of the blocks.
__device__ static inline void add_shares(const struct product *p, int row, int column,
                                         unsigned sums)
{
    const int pitch = BN + 8, high = BM / p->share, rank = cluster_rank();
    const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
    for (int i = threadIdx.x; i < high * BN / 4; i += NT) {
        const int y = rank * high + i / (BN / 4), x = i % (BN / 4) * 4;
        if (row + y >= p->M || column + x >= p->N)
            continue;
        float4 part[8], sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int s = 0; s < 8; s++)
            if (s < p->share)
                part[s] = cluster_load(sums + (y * pitch + x) * 4, s);
#pragma unroll
        for (int s = 0; s < 8; s++)
            if (s < p->share)
                sum = make_float4(sum.x + part[s].x, sum.y + part[s].y, sum.z + part[s].z,
                                  sum.w + part[s].w);
        store_up_to_four(p->C + (size_t)(row + y) * p->ldc + column + x, p->N - column - x, aligned,
                         sum, p->alpha, p->beta);
    }
}

// What a block computes: a tile of C, by some of the steps along K.
struct part {
    int row, column, begin, end;
};

__device__ static inline struct part part_of_block(const struct product *p)
{
    const int rank = p->share > 1 ? cluster_rank() : 0, tile = blockIdx.x / p->share;
    const struct part part = {tile % p->rows * BM, tile / p->rows * BN,
                              (int)((long long)p->steps * rank / p->share),
                              (int)((long long)p->steps * (rank + 1) / p->share)};
    return part;
}

// Queues the products of a step, and waits for those of the step before.
__device__ static inline void multiply_step(unsigned from, float *sum, bool adds)
{
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK; k += 16)
        wgmma_64x64x16((const T *)0, sum, part_of(from, TA, k), part_of(from + STAGE / 2, !TB, k),
                       adds || k > 0, TA, !TB);
    wgmma_commit();
    wgmma_wait(1);
}

// Rows of whole vectors: they are copied to where wgmma reads them, STAGES-2 steps ahead.
__device__ EXPANDED void multiply_vectors(const struct product *p, const struct part *part,
                                          unsigned base, float *sum)
{
    const unsigned place = place_of(threadIdx.x / 8, threadIdx.x % 8);
    const int begin = part->begin, end = part->end, ahead = STAGES - 2;
    const struct tile a = tile_of(p->A, p->lda, TA, part->row, p->M, begin * BK, p->K);
    const struct tile b = tile_of(p->B, p->ldb, !TB, part->column, p->N, begin * BK, p->K);
    struct copies copies_a = copies_of(&a, TA), copies_b = copies_of(&b, !TB);
    for (int step = begin; step < begin + ahead; step++) {
        const unsigned to = base + (step - begin) * STAGE + place;
        if (step < end) {
            copy_step(to, &copies_a, TA, p->K - step * BK);
            copy_step(to + STAGE / 2, &copies_b, !TB, p->K - step * BK);
        }
        cp_async_commit();
    }
    int stage = 0, next = ahead;
    for (int step = begin; step < end; step++) {
        const unsigned to = base + next * STAGE + place;
        const int left = p->K - (step + ahead) * BK;
        cp_async_wait(STAGES - 3);
        wgmma_sees_writes();
        __syncthreads(); // all have this step's tiles, and have left those of the step before last
        if (step + ahead < end) {
            copy_step(to, &copies_a, TA, left);
            copy_step(to + STAGE / 2, &copies_b, !TB, left);
        }
        cp_async_commit();
        multiply_step(base + stage * STAGE, sum, step > begin);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
}

// Rows that begin anywhere: their windows are copied AHEAD steps ahead, behind the two stages that
// wgmma reads in turns; each step's are shifted when they have come.
__device__ EXPANDED void multiply_windows(const struct product *p, const struct part *part,
                                          unsigned base, uint4 *stages, float *sum)
{
    const int begin = part->begin, end = part->end, bytes = 2 * BM * WINDOWS * 16;
    const struct tile a = tile_of(p->A, p->lda, TA, part->row, p->M, begin * BK, p->K);
    const struct tile b = tile_of(p->B, p->ldb, !TB, part->column, p->N, begin * BK, p->K);
    struct windows windows_a = windows_of(&a, TA), windows_b = windows_of(&b, !TB);
    int stage = 0, next = 0;
    for (int step = begin - AHEAD; step < end; step++) {
        const int left = p->K - (step + AHEAD) * BK;
        if (step >= begin) {
            cp_async_wait(AHEAD - 1);
            __syncthreads(); // this step's windows have come, the last step's are free
        }
        if (left > 0 && step + AHEAD < end) {
            const unsigned to = base + 2 * STAGE + next * bytes;
            copy_windows(to, &windows_a, TA ? left : a.rows, TA ? a.columns : left, p->A);
            copy_windows(to + bytes / 2, &windows_b, TB ? b.rows : left, TB ? left : b.columns,
                         p->B);
        }
        cp_async_commit();
        next = next == AHEAD ? 0 : next + 1;
        if (step < begin)
            continue;
        const int turn = (step - begin) % 2 * STAGE;
        uint4 *const to = stages + turn / 16;
        const uint4 *const from = stages + (2 * STAGE + stage * bytes) / 16;
        shift_tile(to, from, windows_a.shift);
        shift_tile(to + STAGE / 32, from + bytes / 32, windows_b.shift);
        wgmma_sees_writes();
        __syncthreads(); // all of the tiles is there
        multiply_step(base + turn, sum, step > begin);
        stage = stage == AHEAD ? 0 : stage + 1;
    }
}

// The sums to C; the stages are free.
__device__ EXPANDED void store(const struct product *p, const struct part *part, const float *sum,
                               unsigned base, float *floats)
{
    const int warp = threadIdx.x / 32;
    if (p->share == 1) {
        const int first = part->row + warp * 16;
        const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % (4 * sizeof(T_C)) == 0;
        float *const mine = floats + warp * 16 * PITCH;
#pragma unroll
        for (int c = 0; c < BN; c += 32) {
            put_sums(mine, PITCH, sum + c / 2);
            __syncwarp();
            store_rows(p->C + (size_t)first * p->ldc + part->column + c, p->ldc, p->M - first,
                       p->N - part->column - c, aligned, mine, PITCH, p->alpha, p->beta);
            __syncwarp();
        }
        return;
    }
#pragma unroll
    for (int c = 0; c < BN; c += 32)
        put_sums(floats + warp * 16 * (BN + 8) + c, BN + 8, sum + c / 2);
    cluster_sync();
    add_shares(p, part->row, part->column, base);
    cluster_sync(); // no block ends while others read from it
}

__device__ EXPANDED void multiply(const struct product *p, bool whole)
{
    extern __shared__ uint4 shared[];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    uint4 *const stages = shared + (base - shared_address(shared)) / 16;
    const struct part part = part_of_block(p);
    float sum[32];
    if (whole)
        multiply_vectors(p, &part, base, sum);
    else
        multiply_windows(p, &part, base, stages, sum);
    wgmma_wait(0);
    wgmma_done(sum, 32);
    for (int i = 0; i < 32 && part.begin >= part.end; i++)
        sum[i] = 0;
    cp_async_wait(0);
    __syncthreads();
    store(p, &part, sum, base, (float *)stages);
}

__global__ void __launch_bounds__(NT, 2)
    multiply_whole(int M, int N, int K, int steps, int rows, int share, float alpha, const T *A,
                   int lda, const T *B, int ldb, float beta, T_C *C, int ldc)
{
    const struct product p = {M, N, K, steps, rows, share, A, B, C, lda, ldb, ldc, alpha, beta};
    multiply(&p, true);
}

__global__ void __launch_bounds__(NT, 2)
    multiply_any(int M, int N, int K, int steps, int rows, int share, float alpha, const T *A,
                 int lda, const T *B, int ldb, float beta, T_C *C, int ldc)
{
    const struct product p = {M, N, K, steps, rows, share, A, B, C, lda, ldb, ldc, alpha, beta};
    multiply(&p, false);
}

// 28_small.cu: small products: small tiles, two blocks a multiprocessor, one launch for any rows.
// SPDX-License-Identifier: MIT
//@ title    Small products
//@ after    27_any_shape
//@ idea     cp.async writes what wgmma reads: no descriptor has to be fetched before the first tile
//@ idea     blocks of 128 threads start sooner, and two of them share a multiprocessor
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    SHARE 0 {0,1,2,4,8}
//@ let      BM = 64, BN = 64, BK = 64, V = 8, NT = 128, PITCH = 40
//@ let      STAGES = 6, STAGE = 2*BK*(BM+BN)
//@ require  SMEM_MAX >= STAGES*STAGE+1024 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), tiles = rows*cdiv(N,BN)
//@ choose   share {1,2,4,8}
//@ arg      slots = 2*((share<=2)*SMS+(share==4)*(SMS*7/8))+(share>=8)*(SMS*6/5)
//@ arg      parts = tiles*share, depth = cdiv(steps,share), rest = parts%slots
//@ arg      whole = lda%V==0 && ldb%V==0 && aligned(A,16) && aligned(B,16)
//@ arg      one = whole*270+(1-whole)*2400, two = whole*440+(1-whole)*3200
//@ arg      last = (rest>slots/2)*two+(rest>0&&rest<=slots/2)*one
//@ arg      refused = (SHARE && SHARE!=share) || (!SHARE && share>max(steps,1))
//@ arg      adding = (share>1)*cdiv(parts,slots)*1700
//@ arg      cost = depth*(parts/slots*two+last)+adding+refused*1000000000
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
//@ smem     STAGES*STAGE+1024
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
// shared memory. `cost` is the time in ns of all steps, with one block or two on a multiprocessor,
// and of adding; the rates were measured on an H200, with random operands that are not in L2.
// Rows that do not begin at multiples of 16 bytes: in the same launch, by way of registers, a warp
// a row, one step ahead.
// Tile: 64 x 64 by 64 deep; 4 warps of 16 x 64, 32 sums a thread.
// Intensity at 4096: 32 FLOP/byte from global memory, half of 27_any_shape's least: for few tiles.
// Occupancy on sm_90: 128 threads of 92 (128) registers, 99328 bytes: 2 blocks, 8 warps.
//
//   step       s              s+1            s+2
//   copy      |tiles s+4     |tiles s+5     |tiles s+6     into the stage that step s-2 has left
//   multiply  |tiles s       |tiles s+1     |tiles s+2     wgmma runs on during the next wait
//             ^ wait for tiles s, fence, barrier
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

// A tile whose rows may begin anywhere, by way of registers: a warp has every fourth row, a lane
// two neighbours of each. `even`: those always begin at multiples of 4 bytes.
__device__ static inline void load_tile(unsigned *words, const struct tile *t, bool even)
{
    const int x = threadIdx.x % 32 * 2;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int y = threadIdx.x / 32 + i * 4;
        const unsigned short *two = (const unsigned short *)t->from + (size_t)y * t->ld + x;
        const bool first = y < t->rows && x < t->columns, second = first && x + 1 < t->columns;
        if (even && second)
            words[i] = *(const unsigned *)two;
        else
            words[i] = (first ? two[0] : 0u) | (second ? (unsigned)two[1] : 0u) << 16;
    }
}

__device__ static inline void store_tile(unsigned to, const unsigned *words)
{
    const int x = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const unsigned at = to + place_of(threadIdx.x / 32 + i * 4, x / 4) + x % 4 * 4;
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(words[i]) : "memory");
    }
}

__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
}

struct product {
    int M, N, K, steps, rows, share;
    const T *A, *B;
    float *C;
    int lda, ldb, ldc;
    float alpha, beta;
};

// The sums of the blocks of a cluster are added by all of them: each some rows, always in the order
// of the blocks.
__device__ static inline void add_shares(const struct product *p, int row, int column,
                                         unsigned sums)
{
    const int pitch = BN + 8, high = BM / p->share, rank = cluster_rank();
    const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % 16 == 0;
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
        float *to = p->C + (size_t)(row + y) * p->ldc + column + x;
        if (aligned && column + x + 4 <= p->N) {
            store_four(to, sum, p->alpha, p->beta);
            continue;
        }
        const float each[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (column + x + e < p->N)
                to[e] = scaled(each[e], p->alpha, p->beta, to + e);
    }
}

// `whole`: vectors are copied asynchronously, STAGES-2 steps ahead; else they go by way of
// registers, one step ahead.
__device__ EXPANDED void multiply(const struct product *p, bool whole)
{
    extern __shared__ uint4 shared[];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    float *const floats = (float *)(shared + (base - shared_address(shared)) / 16);
    const int rank = p->share > 1 ? cluster_rank() : 0, tile = blockIdx.x / p->share;
    const int row = tile % p->rows * BM, column = tile / p->rows * BN;
    const int begin = (int)((long long)p->steps * rank / p->share);
    const int end = (int)((long long)p->steps * (rank + 1) / p->share);
    const bool even_a = p->lda % 2 == 0 && (size_t)p->A % 4 == 0;
    const bool even_b = p->ldb % 2 == 0 && (size_t)p->B % 4 == 0;
    const int ahead = whole ? STAGES - 2 : 1;
    unsigned words_a[16], words_b[16];
    float sum[32];
    const unsigned place = place_of(threadIdx.x / 8, threadIdx.x % 8);
    const struct tile a = tile_of(p->A, p->lda, TA, row, p->M, begin * BK, p->K);
    const struct tile b = tile_of(p->B, p->ldb, !TB, column, p->N, begin * BK, p->K);
    struct copies copies_a = copies_of(&a, TA), copies_b = copies_of(&b, !TB);
    for (int step = begin; step < begin + ahead && whole; step++) {
        const unsigned to = base + (step - begin) * STAGE + place;
        if (step < end) {
            copy_step(to, &copies_a, TA, p->K - step * BK);
            copy_step(to + STAGE / 2, &copies_b, !TB, p->K - step * BK);
        }
        cp_async_commit();
    }
    if (!whole && begin < end) {
        load_tile(words_a, &a, even_a);
        load_tile(words_b, &b, even_b);
        store_tile(base, words_a);
        store_tile(base + STAGE / 2, words_b);
    }
    int stage = 0, next = ahead;
    for (int step = begin; step < end; step++) {
        const unsigned from = base + stage * STAGE, to = base + next * STAGE;
        const int k = (step + ahead) * BK;
        const bool more = step + ahead < end;
        if (whole)
            cp_async_wait(STAGES - 3);
        wgmma_sees_writes();
        __syncthreads(); // all have this step's tiles, and have left those of the step before last
        if (whole && more) {
            copy_step(to + place, &copies_a, TA, p->K - k);
            copy_step(to + place + STAGE / 2, &copies_b, !TB, p->K - k);
        } else if (more) {
            const struct tile a = tile_of(p->A, p->lda, TA, row, p->M, k, p->K);
            const struct tile b = tile_of(p->B, p->ldb, !TB, column, p->N, k, p->K);
            load_tile(words_a, &a, even_a);
            load_tile(words_b, &b, even_b);
        }
        if (whole)
            cp_async_commit();
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16)
            wgmma_64x64x16((const T *)0, sum, part_of(from, TA, k),
                           part_of(from + STAGE / 2, !TB, k), step > begin || k > 0, TA, !TB);
        wgmma_commit();
        if (!whole && more) {
            store_tile(to, words_a);
            store_tile(to + STAGE / 2, words_b);
        }
        wgmma_wait(1);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        next = next == STAGES - 1 ? 0 : next + 1;
    }
    wgmma_wait(0);
    wgmma_done(sum, 32);
    for (int i = 0; i < 32 && begin >= end; i++)
        sum[i] = 0;
    if (whole)
        cp_async_wait(0);
    __syncthreads(); // the stages are free
    const int warp = threadIdx.x / 32;
    if (p->share == 1) {
        const int first = row + warp * 16;
        const bool aligned = p->ldc % 4 == 0 && (size_t)p->C % 16 == 0;
        float *const mine = floats + warp * 16 * PITCH;
#pragma unroll
        for (int c = 0; c < BN; c += 32) {
            put_sums(mine, PITCH, sum + c / 2);
            __syncwarp();
            store_rows(p->C + (size_t)first * p->ldc + column + c, p->ldc, p->M - first,
                       p->N - column - c, aligned, mine, PITCH, p->alpha, p->beta);
            __syncwarp();
        }
        return;
    }
#pragma unroll
    for (int c = 0; c < BN; c += 32)
        put_sums(floats + warp * 16 * (BN + 8) + c, BN + 8, sum + c / 2);
    cluster_sync();
    add_shares(p, row, column, base);
    cluster_sync(); // no block ends while others read from it
}

__global__ void __launch_bounds__(NT, 2)
    multiply_whole(int M, int N, int K, int steps, int rows, int share, float alpha, const T *A,
                   int lda, const T *B, int ldb, float beta, float *C, int ldc)
{
    const struct product p = {M, N, K, steps, rows, share, A, B, C, lda, ldb, ldc, alpha, beta};
    multiply(&p, true);
}

__global__ void __launch_bounds__(NT, 2)
    multiply_any(int M, int N, int K, int steps, int rows, int share, float alpha, const T *A,
                 int lda, const T *B, int ldb, float beta, float *C, int ldc)
{
    const struct product p = {M, N, K, steps, rows, share, A, B, C, lda, ldb, ldc, alpha, beta};
    multiply(&p, false);
}

// 31_sliced.cu: tiles that are small in C and not in arithmetic: the warps of a block share k.
// SPDX-License-Identifier: MIT
//@ title    Small tiles, sliced along K
//@ after    12_best
//@ idea     a warp keeps its 64 x 64 sums whatever the tile; a smaller tile has several slices of K
//@ idea     the slices are added in shared memory, and C is written in whole rows
//@ type     f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    TILE 0 {0,1,2,3,4}, SPLIT 0 {0,1,2,3,4,6,8,12,16}
//@ param    STAGES 3 {2,3,4}, GROUP 8 {1,4,8,16}
//@ let      NT = 256, PAD = 4, DEEP = 8, RED = 4*(128*128*2)
//@ require  SMEM_MAX >= RED
//@ choose   tile {1,2,3,4}, splits {1,2,3,4,6,8,12,16}
//@ arg      high = 128-64*(tile==3||tile==4), wide = 128-64*(tile==2||tile==4)
//@ arg      slices = 128*128*2/(high*wide), deep = DEEP*slices
//@ arg      steps = cdiv(max(K,1),deep), depth = cdiv(steps,splits)*deep
//@ arg      columns = cdiv(N,wide), tiles = cdiv(M,high)*columns, waves = cdiv(tiles*splits,SMS)
//@ arg      adding = (splits>1)*(3500+M*N*(splits+1)/400)
//@ arg      asked = (!TILE || TILE==tile) && (!SPLIT || SPLIT==splits)
//@ arg      fits = splits==1 || (depth*splits-K < depth && depth>=64)
//@ arg      cost = 3000+waves*(depth/deep*1330+1900)+adding+(!(asked&&fits))*1000000000
//@ least    cost
//@ work     P = T[max((splits>1)*splits*M*cdiv(N,4)*4,1)]
//@ kernel   multiply_128x128
//@ when     tile==1
//@ grid     tiles, splits
//@ block    NT
//@ smem     max(RED, STAGES*deep*(high+wide+2*PAD)*4)
//@ kernel   multiply_128x64
//@ when     tile==2
//@ grid     tiles, splits
//@ block    NT
//@ smem     max(RED, STAGES*deep*(high+wide+2*PAD)*4)
//@ kernel   multiply_64x128
//@ when     tile==3
//@ grid     tiles, splits
//@ block    NT
//@ smem     max(RED, STAGES*deep*(high+wide+2*PAD)*4)
//@ kernel   multiply_64x64
//@ when     tile==4
//@ grid     tiles, splits
//@ block    NT
//@ smem     max(RED, STAGES*deep*(high+wide+2*PAD)*4)
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*N,256), 4096)
//@ block    256
//@ expect   spills == 0
//
// After 12_best: its large tile, 128 x 256, has the best ratio of multiply-adds to reads of shared
// memory (128 to 6), because a warp has 64 x 64 sums; a product of 1000 has 32 such tiles for 132
// multiprocessors. Its small tile has enough blocks, but 32 multiply-adds to 3 reads, and shared
// memory bounds it. Here a warp keeps its 64 x 64, and what a smaller tile leaves over of the
// block's eight warps takes other steps of k of the same tile:
//
//      128 x 128, 2 slices       128 x 64, 4 slices          64 x 64, 8 slices
//      +------+------+           +------+                    +------+
//      | 0  4 | 1  5 |           | 0 2  |                    | 0 1 2|    warp w: its 64 x 64, and
//      of |      |      |           | 4 6  |                    | 3 4 5|    each stage the 8 steps
//      of k
//      +------+------+           +------+                    | 6 7  |    of its slice
//      | 2  6 | 3  7 |           | 1 3  |                    +------+
//      |      |      |           | 5 7  |
//      +------+------+           +------+
//
// A stage has 8 steps of k for each slice, 16 to 64, so that between two barriers there is the same
// work whatever the tile. At the end all sums go to shared memory, where the stages were, and all
// threads add the slices, always in the same order, and write C in rows of 128 bytes.
// Occupancy on sm_90: 1 block of 256 threads (255 registers), 131072 bytes of shared memory.
#include "float_tile.h"

// What a block knows: the product, its tile, and its part of K.
struct part {
    int M, N;
    const T *A, *B; // at the tile and the part's first k
    int lda, ldb, row, column, length;
};

// A tile of high x wide; its sums, slice after slice, in shared memory. sum, a and b are the
// caller's registers: 128, 2*16 and 2*8 of them.
__device__ EXPANDED void multiply_slices(const struct part *p, int high, int wide, float *sum,
                                         float *a, float *b)
{
    extern __shared__ float4 stages[];
    float *const shared = (float *)stages;
    const unsigned base = shared_address(shared);
    const int squares = high * wide / 4096, slices = 8 / squares, deep = DEEP * slices;
    const int pitch_a = high + PAD, pitch_b = wide + PAD;
    const int sa = deep * pitch_a, stage = sa + deep * pitch_b;
    const T *A = p->A, *B = p->B;
    const size_t step_a = TA ? (size_t)deep * p->lda : deep;
    const size_t step_b = TB ? deep : (size_t)deep * p->ldb;
    const bool aligned_a = p->lda % 4 == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = p->ldb % 4 == 0 && (size_t)B % 16 == 0;
    const int below = p->M - p->row, right = p->N - p->column;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * deep < p->length) {
            const unsigned to = base + s * stage * 4;
            const int left = p->length - s * deep;
            copy_tile(to, high, deep, NT, 8, !TA, A, p->lda, aligned_a, below, left);
            copy_tile(to + sa * 4, wide, deep, NT, 8, TB, B, p->ldb, aligned_b, right, left);
            A += step_a;
            B += step_b;
        }
        cp_async_commit();
    }
    // The last step reads ahead too: into a stage of an earlier tile, or one that none comes to.
    const int steps = (p->length + deep - 1) / deep;
    if (steps < STAGES)
        for (int i = threadIdx.x; i < stage; i += NT)
            shared[steps * stage + i] = 0;

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int square = warp % squares, slice = warp / squares;
    const int r = square / (wide / 64) * 64 + lane / 8 * 4;
    const int c = square % (wide / 64) * 64 + lane % 8 * 4;
#pragma unroll
    for (int i = 0; i < 128; i++)
        sum[i] = 0;
    // This thread's place in the slice's first row of A and of B, in the stage that is read.
    const float *const read_a = shared + slice * DEEP * pitch_a + r;
    const float *const read_b = shared + sa + slice * DEEP * pitch_b + c;
    int read = 0, write = STAGES - 1;
    cp_async_wait(STAGES - 2);
    __syncthreads();
    load_fragment(a, 16, 16, read_a);
    load_fragment(b, 8, 32, read_b);

    for (int done = 0; done < p->length; done += deep) {
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            // The fragments of the next k are read while this one's multiply-adds run; the last k
            // of a step reads the first fragments of the next stage.
            if (k == DEEP - 1) {
                cp_async_wait(STAGES - 2);
                __syncthreads();
                read = read == (STAGES - 1) * stage ? 0 : read + stage;
            }
            const int now = k % 2, next = (k + 1) % 2;
            load_fragment(a + next * 16, 16, 16, read_a + read + (k + 1) % DEEP * pitch_a);
            load_fragment(b + next * 8, 8, 32, read_b + read + (k + 1) % DEEP * pitch_b);
            if (k == 0) {
                const int left = p->length - done - (STAGES - 1) * deep;
                if (left > 0) {
                    const unsigned to = base + write * stage * 4;
                    copy_tile(to, high, deep, NT, 8, !TA, A, p->lda, aligned_a, below, left);
                    copy_tile(to + sa * 4, wide, deep, NT, 8, TB, B, p->ldb, aligned_b, right,
                              left);
                    A += step_a;
                    B += step_b;
                }
                cp_async_commit();
                write = write == STAGES - 1 ? 0 : write + 1;
            }
            multiply_add(sum, 16, 8, a + now * 16, b + now * 8);
        }
    }
    __syncthreads(); // every warp has read the stages
#pragma unroll
    for (int i = 0; i < 16; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int y = slice * high + r + i / 4 * 16 + i % 4, x = c + j / 4 * 32;
            const float *s = sum + i * 8 + j;
            *(float4 *)(shared + y * wide + x) = make_float4(s[0], s[1], s[2], s[3]);
        }
    __syncthreads();
}

// The sums of all slices to `out`: alpha*sum + beta*out. A warp writes 128 bytes in a row.
__device__ EXPANDED void store_slices(const struct part *p, int high, int wide, T alpha, T beta,
                                      T *out, int ld)
{
    extern __shared__ float4 stages[];
    const float *const shared = (const float *)stages;
    const int slices = 8 * 4096 / (high * wide), below = p->M - p->row, right = p->N - p->column;
    if (ld % 4 == 0 && (size_t)out % 16 == 0) {
#pragma unroll 4
        for (int i = threadIdx.x; i < high * wide / 4; i += NT) {
            const int y = i / (wide / 4), x = i % (wide / 4) * 4;
            float4 sum = *(const float4 *)(shared + y * wide + x);
#pragma unroll
            for (int s = 1; s < slices; s++) {
                const float4 four = *(const float4 *)(shared + (s * high + y) * wide + x);
                sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
            }
            if (y < below)
                store_row(out + (size_t)y * ld + x, right - x, true, sum, alpha, beta);
        }
        return;
    }
#pragma unroll 4
    for (int i = threadIdx.x; i < high * wide; i += NT) {
        const int y = i / wide, x = i % wide;
        float sum = shared[y * wide + x];
#pragma unroll
        for (int s = 1; s < slices; s++)
            sum += shared[(s * high + y) * wide + x];
        T *const c = out + (size_t)y * ld + x;
        if (y < below && x < right)
            *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}

// A tile of C, or one of `splits` parts of it along K, `depth` deep, which goes to P; add_splits
// knows alpha and beta then.
__device__ EXPANDED void multiply_tile(int M, int N, int K, T alpha, const T *A, int lda,
                                       const T *B, int ldb, T beta, T *C, int ldc, T *P, int splits,
                                       int depth, int high, int wide, float *sum, float *a,
                                       float *b)
{
    const bool split = splits > 1;
    const int pitch = (N + 3) / 4 * 4; // rows of P begin at vectors
    const int2 at = tile_of(blockIdx.x, (M + high - 1) / high, (N + wide - 1) / wide);
    const int row = at.x * high, column = at.y * wide, begin = blockIdx.y * depth;
    struct part p = {M, N, A, B, lda, ldb, row, column, min(depth, K - begin)};
    p.A += TA ? (size_t)begin * lda + row : (size_t)row * lda + begin;
    p.B += TB ? (size_t)column * ldb + begin : (size_t)begin * ldb + column;
    multiply_slices(&p, high, wide, sum, a, b);
    const int ld = split ? pitch : ldc;
    T *const out = (split ? P + (size_t)blockIdx.y * M * pitch : C) + (size_t)row * ld + column;
    store_slices(&p, high, wide, split ? 1 : alpha, split ? 0 : beta, out, ld);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_128x128(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                     T *C, int ldc, T *P, int splits, int depth)
{
    float sum[16 * 8], a[2 * 16], b[2 * 8];
    multiply_tile(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth, 128, 128, sum, a,
                  b);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_128x64(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth)
{
    float sum[16 * 8], a[2 * 16], b[2 * 8];
    multiply_tile(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth, 128, 64, sum, a,
                  b);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_64x128(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                    T *C, int ldc, T *P, int splits, int depth)
{
    float sum[16 * 8], a[2 * 16], b[2 * 8];
    multiply_tile(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth, 64, 128, sum, a,
                  b);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_64x64(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, int splits, int depth)
{
    float sum[16 * 8], a[2 * 16], b[2 * 8];
    multiply_tile(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth, 64, 64, sum, a,
                  b);
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order: the same bits every time.
__global__ void __launch_bounds__(256)
    add_splits(int M, int N, T alpha, T beta, T *C, int ldc, const T *P, int splits)
{
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

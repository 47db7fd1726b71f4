// best_tile.h: the body of 12_best.cu for one shape of tile: BM, BN, WM, WN are macros, and
// OF_TILE(name) makes a name of this shape's own. It is included once a shape. Plain CUDA C but for
// cp_async.h.
// SPDX-License-Identifier: MIT

enum { OF_TILE(NT) = (BM / WM) * (BN / WN) * 32 }; // threads
#define NT OF_TILE(NT)
enum { OF_TILE(TM) = WM / 4, OF_TILE(TN) = WN / 8 }; // results of a thread
#define TM OF_TILE(TM)
#define TN OF_TILE(TN)
enum { OF_TILE(SA) = BK * (BM + PAD), OF_TILE(SB) = BK * (BN + PAD) }; // floats of a stage
#define SA OF_TILE(SA)
#define SB OF_TILE(SB)

// What memory a copy may touch: `wide` rows of A or columns of B, `deep` steps along k.
// k is contiguous in memory: neighbours take neighbouring k. In shared memory their rows
// are 4 banks apart (PAD), so that the scatter meets each bank but twice (BK 16), or once (BK 8).
__device__ static inline void OF_TILE(copy_along_k)(unsigned tile, int W, const T *from, int ld,
                                                    bool whole, int wide, int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x / BK + i * (NT / BK), k = threadIdx.x % BK;
        const bool valid = whole || (w < wide && k < deep);
        const T *source = from + (size_t)w * ld + k;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// k strides in memory: neighbours take neighbouring elements of one row of the tile.
__device__ static inline void OF_TILE(copy_across_k)(unsigned tile, int W, const T *from, int ld,
                                                     int wide, int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x % W, k = threadIdx.x / W + i * (NT / W);
        const bool valid = w < wide && k < deep;
        const T *source = from + (size_t)k * ld + w;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// The same, 16 bytes at a time, for a whole tile that is aligned.
__device__ static inline void OF_TILE(copy_vectors)(unsigned tile, int W, const T *from, int ld)
{
#pragma unroll
    for (int i = 0; i < W * BK / (4 * NT); i++) {
        const int w = threadIdx.x % (W / 4) * 4, k = threadIdx.x / (W / 4) + i * (4 * NT / W);
        cp_async_16(tile + (k * (W + PAD) + w) * 4, from + (size_t)k * ld + w);
    }
}

// One operand's tile. `along` says whether k is contiguous; `whole` whether no edge cuts the tile.
__device__ static inline void OF_TILE(copy_tile)(unsigned tile, int W, bool along, const T *from,
                                                 int ld, bool aligned, int wide, int deep)
{
    const bool whole = wide >= W && deep >= BK;
    if (along && whole)
        OF_TILE(copy_along_k)(tile, W, from, ld, true, wide, deep);
    else if (along)
        OF_TILE(copy_along_k)(tile, W, from, ld, false, wide, deep);
    else if (whole && aligned)
        OF_TILE(copy_vectors)(tile, W, from, ld);
    else
        OF_TILE(copy_across_k)(tile, W, from, ld, wide, deep);
}

// One block's tile of C, or with splits its part of the sum.
__device__ static inline void OF_TILE(tile)(int M, int N, int K, T alpha, const T *A, int lda,
                                            const T *B, int ldb, T beta, T *C, int ldc, T *P,
                                            int splits, int depth)
{
    extern __shared__ float4 stages[];
    float *const shared = (float *)stages;
    const unsigned base = shared_address(shared);
    const int2 tile = tile_of(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN);
    const int row = tile.x * BM, column = tile.y * BN, begin = blockIdx.y * depth;
    const int length = max(0, min(depth, K - begin)), steps = (length + BK - 1) / BK;
    A += TA ? (size_t)begin * lda + row : (size_t)row * lda + begin;
    B += TB ? (size_t)column * ldb + begin : (size_t)begin * ldb + column;
    const size_t step_a = TA ? (size_t)BK * lda : BK, step_b = TB ? BK : (size_t)BK * ldb;
    const bool aligned_a = lda % 4 == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % 4 == 0 && (size_t)B % 16 == 0;

    // STAGES-1 tiles are on the way before the first is waited for.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) {
            const unsigned to = base + s * (SA + SB) * 4;
            OF_TILE(copy_tile)(to, BM, !TA, A, lda, aligned_a, M - row, length - s * BK);
            OF_TILE(copy_tile)(to + SA * 4, BN, TB, B, ldb, aligned_b, N - column, length - s * BK);
            A += step_a;
            B += step_b;
        }
        cp_async_commit();
    }

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM + lane / 8 * 4, c = warp % (BN / WN) * WN + lane % 8 * 4;
    float sum[TM][TN] = {};
    float a[2][TM], b[2][TN];
    const float *read = shared;
    int write = STAGES - 1;
    cp_async_wait(STAGES - 2);
    __syncthreads();
    load_fragment(a[0], TM, 16, read + r);
    load_fragment(b[0], TN, 32, read + SA + c);

    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            // The fragments of the next k are read while this one's multiply-adds run; the last k
            // of a step reads the first fragments of the next stage.
            if (k == BK - 1) {
                cp_async_wait(STAGES - 2);
                __syncthreads();
                read = read == shared + (STAGES - 1) * (SA + SB) ? shared : read + (SA + SB);
            }
            load_fragment(a[(k + 1) % 2], TM, 16, read + (k + 1) % BK * (BM + PAD) + r);
            load_fragment(b[(k + 1) % 2], TN, 32, read + SA + (k + 1) % BK * (BN + PAD) + c);
            if (k == 0) {
                const int left = length - (step + STAGES - 1) * BK;
                if (left > 0) {
                    const unsigned to = base + write * (SA + SB) * 4;
                    OF_TILE(copy_tile)(to, BM, !TA, A, lda, aligned_a, M - row, left);
                    OF_TILE(copy_tile)(to + SA * 4, BN, TB, B, ldb, aligned_b, N - column, left);
                    A += step_a;
                    B += step_b;
                }
                cp_async_commit();
                write = write == STAGES - 1 ? 0 : write + 1;
            }
            // Four rows at a time, back and forth: each multiply-add shares a fragment element with
            // the one before, which the operand cache then serves, and the banks stall less.
#pragma unroll
            for (int block = 0; block < TM; block += 4)
#pragma unroll
                for (int p = 0; p < TN; p++) {
                    const int j = block / 4 % 2 ? TN - 1 - p : p;
#pragma unroll
                    for (int q = 0; q < 4; q++) {
                        const int i = block + (p % 2 ? 3 - q : q);
                        sum[i][j] += a[k % 2][i] * b[k % 2][j];
                    }
                }
        }
    }

    // With several splits the sums go to P as they are; add_splits knows alpha and beta.
    const bool split = splits > 1;
    T *const out = split ? P + (size_t)blockIdx.y * M * N : C;
    const int ldo = split ? N : ldc;
    const T scale = split ? 1 : alpha, keep = split ? 0 : beta;
    const bool vector = ldo % 4 == 0 && (size_t)out % 16 == 0;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int y = row + r + i / 4 * 16 + i % 4;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int x = column + c + j / 4 * 32;
            const float4 four = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            store_row(out + (size_t)y * ldo + x, N - x, vector, four, scale, keep);
        }
    }
}

#undef NT
#undef TM
#undef TN
#undef SA
#undef SB

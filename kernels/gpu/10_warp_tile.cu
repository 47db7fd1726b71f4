// 10_warp_tile.cu: the tile of a warp is between the tile of a block and that of a thread.
// SPDX-License-Identifier: MIT
//@ title    Warp tiling
//@ after    09_conflict_free
//@ idea     a warp has a tile of its own, nearly square: its lanes share most of what they read
//@ idea     16 x 8 results a thread: 6 reads of 16 bytes feed 128 multiply-adds, not 4 feed 64
//@ idea     while a tile is multiplied, the next one is loaded from global memory
//@ type     f32
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, WM 64 {32,64}, WN 64 {32,64}
//@ tuned    BK 16 @gfx9, BK 16 @gfx10, BK 16 @gfx11, BK 16 @gfx12
//@ let      LANES = WARP, NT = BM/WM*(BN/WN)*LANES, TM = WM/(LANES/8), TN = WN/8
//@ require  BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 224 @sm_90
//@ expect   regs <= 168 @gfx9, regs <= 224 @gfx10, regs <= 224 @gfx11, regs <= 224 @gfx12
//@ expect   smem_bytes == 16640 @gfx9, occupancy.blocks >= 3 @gfx90a
//@ source   Simon Boehm, How to Optimize a CUDA Matmul Kernel, kernel 10; NVIDIA CUTLASS
//
// After 09_conflict_free: a block is 4 warps of 64 x 64, not 8 of 16 x 128, and a thread has 4 x 2
// pieces of 4 x 4 results, not 2 x 2. Only 8 warps fit on an SM, too few to hide the latency of
// loads: so the loop loads a tile into registers, multiplies the one before it, and only then
// stores it.
// Words that a warp needs for each k: 64 + 64 for 4096 multiply-adds, 32 multiply-adds a word; in
// 09 it is 16 + 128 for 2048, 14 a word. A word that several lanes request is read once.
// For 4096: 32 FLOP/byte from global memory; from shared memory 2*128 / (4*24) = 2.7.
// Sectors a request: 16 for A (16 rows, 32 bytes of each) and for B (512 bytes); all are used.
// Banks: a read of Bs is 8 pieces, 128 contiguous bytes, each bank once; of As 4 pieces.
// Occupancy on sm_90: 216 registers * 128 threads = 27648 of 65536, so 2 blocks, 8 of 64 warps.
// A wavefront of 64 lanes (AMD's CDNA) is 8 lanes down by 8 across: a lane has 2 x 2 pieces. If it
// had 4 x 2, it would need 284 of 512 registers, and a SIMD would have only 1 wavefront.
//
//        C      BN                 a warp's tile  WN            16 x 32 of it, lanes 8 across
//           +--------+--------+      +---------+---------+      +----+----+----+-- --+----+
//           | warp 0 | warp 1 |      | 16 x 32 | 16 x 32 |    0 | 4x4| 4x4|          | 4x4|
//        BM +--------+--------+      +---------+---------+    8 | 4x4|               | 4x4|
//           | warp 2 | warp 3 |   WM |         |         |   16 | 4x4|               | 4x4|
//           +--------+--------+      +---------+---------+   24 | 4x4|               | 4x4|
//                                    |         |         |      +----+----+----+-- --+----+
//                                    +---------+---------+
//                                    |         |         |      a lane has one 4 x 4 in each
//                                    +---------+---------+      of the 4 x 2
//
// What one load or store moves, and the number of loads of A and of B per thread and tile.
typedef struct __align__(16) {
    T x[16 / sizeof(T)];
} vec;
enum { V = 16 / sizeof(T), LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };
enum { PAD = V, DOWN = LANES / 8 * V, ACROSS = 8 * V }; // from one piece to the next

// Loads V adjacent elements of a row, of which `count` are in the matrix; the others become zero.
__device__ static inline vec load(const T *from, bool aligned, int count)
{
    if (aligned && count >= V)
        return *(const vec *)from;
    vec v;
    for (int e = 0; e < V; e++)
        v.x[e] = e < count ? from[e] : 0;
    return v;
}

// Stores alpha*sum + beta*C for V adjacent elements of a row, of which `count` are in the matrix.
__device__ static inline void store(T *c, bool aligned, int count, const T *sum, T alpha, T beta)
{
    if (aligned && count >= V) {
        vec v = {};
        if (beta != 0)
            v = *(const vec *)c;
        for (int e = 0; e < V; e++)
            v.x[e] = beta != 0 ? alpha * sum[e] + beta * v.x[e] : alpha * sum[e];
        *(vec *)c = v;
        return;
    }
    for (int e = 0; e < V; e++)
        if (e < count)
            c[e] = beta != 0 ? alpha * sum[e] + beta * c[e] : alpha * sum[e];
}

__global__ void __launch_bounds__(NT)
    warp_tile(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
              int ldc)
{
    __shared__ __align__(16) T As[BK][BM + PAD], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int i = warp / (BN / WN) * WM + lane / 8 * V, j = warp % (BN / WN) * WN + lane % 8 * V;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;
    const bool aligned_c = ldc % V == 0 && (size_t)C % 16 == 0;
    T sum[TM][TN] = {};
    // The tile at `tile` is loaded from global memory while the one before it is multiplied.
    for (int tile = 0; tile < K + BK; tile += BK) {
        vec va[LOADS_A], vb[LOADS_B];
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT, y = at / (BK / V), k = at % (BK / V) * V;
            const int count = row + y < M ? K - tile - k : 0;
            va[e] = load(&A[(size_t)(row + y) * lda + tile + k], aligned_a, count);
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / V), x = at % (BN / V) * V;
            const int count = tile + k < K ? N - col - x : 0;
            vb[e] = load(&B[(size_t)(tile + k) * ldb + col + x], aligned_b, count);
        }
#pragma unroll
        for (int k = 0; k < BK && tile > 0; k++) {
            vec a[TM / V], b[TN / V];
#pragma unroll
            for (int m = 0; m < TM / V; m++)
                a[m] = *(const vec *)&As[k][i + m * DOWN];
#pragma unroll
            for (int n = 0; n < TN / V; n++)
                b[n] = *(const vec *)&Bs[k][j + n * ACROSS];
#pragma unroll
            for (int m = 0; m < TM; m++)
#pragma unroll
                for (int n = 0; n < TN; n++)
                    sum[m][n] += a[m / V].x[m % V] * b[n / V].x[n % V];
        }
        __syncthreads();
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT, y = at / (BK / V), k = at % (BK / V) * V;
            for (int f = 0; f < V; f++)
                As[k + f][y] = va[e].x[f];
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / V), x = at % (BN / V) * V;
            *(vec *)&Bs[k][x] = vb[e];
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < TM; m++)
#pragma unroll
        for (int n = 0; n < TN; n += V) {
            const int y = row + i + m / V * DOWN + m % V, x = col + j + n / V * ACROSS;
            if (y < M)
                store(&C[(size_t)y * ldc + x], aligned_c, N - x, &sum[m][n], alpha, beta);
        }
}

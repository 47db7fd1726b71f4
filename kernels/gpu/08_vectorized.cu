// 08_vectorized.cu: global and shared memory are read and written 16 bytes at a time.
// SPDX-License-Identifier: MIT
//@ title    Vectorised memory access
//@ after    07_tile2d
//@ idea     one instruction moves 16 bytes: 4 floats or 2 doubles
//@ idea     A is transposed on its way into shared memory: its fragment, too, is contiguous
//@ type     f32, f64
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 16 {8,16}, TM 8 {4,8}, TN 8 {4,8}
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  NT<=256 && BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 240 @sm_90
//@ expect   regs <= 208 @gfx9, regs <= 232 @gfx10, regs <= 232 @gfx11, regs <= 232 @gfx12
//@ expect   smem_bytes <= 32768 @gfx9, occupancy.blocks >= 2 @gfx90a
//@ source   Worklog 004, kernel 6, float4
//
// After 07_tile2d: a load reads 4 floats, two loads of A and two of B per thread and tile, and As
// is BK x BM, so that a[] as well as b[] is two reads of 16 bytes.
// Edges: where a vector would cross the edge of the matrix, or its address is not a multiple of 16,
// its elements are loaded one by one, with zeros outside.
// For 4096 in f32: 32 FLOP/byte from global memory, 2 from shared memory, as before; but 4 reads of
// shared memory feed 64 multiply-adds, not 16 (or 10, if the compiler merges those of Bs).
// Sectors a request: A 16 (8 rows, 64 bytes of each), B 16 (512 bytes of one row); all are used.
// Banks: reads of 16 bytes are served for 8 lanes at a time. Those of Bs begin 32 bytes apart, so
// they use half of the banks twice. Four lanes that load the same row of A write to one bank of As.
// Occupancy on sm_90: at most 128 registers * 256 threads = 32768 of 65536, so 2 blocks, 16 of 64
// warps; in f64 the sums take 128 registers, and there is 1 block.
//
//         A   BK               As   BM                   a thread, for each k
//            +---------+           +-----|--------+
//            | x y z w |           |     x        |           As[k]  a a a a  a a a a
//        BM  |         |    ==>    |     y        | BK        Bs[k]  b b b b  b b b b
//            |         |           |     z        |
//            +---------+           |     w        |           4 reads of 16 bytes,
//             16 bytes             +-----|--------+           64 multiply-adds
//
// What one load or store moves, and the number of loads of A and of B per thread and tile.
typedef struct __align__(16) {
    T x[16 / sizeof(T)];
} vec;
enum { V = 16 / sizeof(T), LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };

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

// Two blocks per SM in f32, and one in f64, whose sums need twice as many registers per thread.
__global__ void __launch_bounds__(NT, 8 / sizeof(T))
    vectorized(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
               int ldc)
{
    __shared__ __align__(16) T As[BK][BM], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int i = threadIdx.x / (BN / TN) * TM, j = threadIdx.x % (BN / TN) * TN;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;
    const bool aligned_c = ldc % V == 0 && (size_t)C % 16 == 0;
    T sum[TM][TN] = {};
    for (int tile = 0; tile < K; tile += BK) {
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
#pragma unroll
        for (int k = 0; k < BK; k++) {
            vec a[TM / V], b[TN / V];
#pragma unroll
            for (int m = 0; m < TM / V; m++)
                a[m] = *(const vec *)&As[k][i + m * V];
#pragma unroll
            for (int n = 0; n < TN / V; n++)
                b[n] = *(const vec *)&Bs[k][j + n * V];
#pragma unroll
            for (int m = 0; m < TM; m++)
#pragma unroll
                for (int n = 0; n < TN; n++)
                    sum[m][n] += a[m / V].x[m % V] * b[n / V].x[n % V];
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < TM; m++)
#pragma unroll
        for (int n = 0; n < TN; n += V) {
            const int y = row + i + m, x = col + j + n;
            if (y < M)
                store(&C[(size_t)y * ldc + x], aligned_c, N - x, &sum[m][n], alpha, beta);
        }
}

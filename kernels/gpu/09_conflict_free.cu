// 09_conflict_free.cu: no two lanes of a warp access different words of one bank at a time.
// SPDX-License-Identifier: MIT
//@ title    No bank conflicts
//@ after    08_vectorized
//@ idea     a fragment is pieces of 16 bytes, and adjacent threads have adjacent pieces
//@ idea     PAD after each row of As sends the lanes that transpose A to different banks
//@ type     f32, f64
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, TM 8 {4,8}, TN 8 {4,8}
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  NT<=256 && BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 240 @sm_90
//@ expect   regs <= 208 @gfx9, regs <= 232 @gfx10, regs <= 232 @gfx11, regs <= 232 @gfx12
//@ expect   smem_bytes <= 16512 @gfx9, occupancy.blocks >= 2 @gfx90a
//@ source   Simon Boehm, How to Optimize a CUDA Matmul Kernel, kernels 7 and 8
//
// After 08_vectorized: a thread's 8 x 8 results are 2 x 2 pieces of 4 x 4, DOWN and ACROSS apart,
// so that 8 adjacent lanes read 128 contiguous bytes of Bs: each of the 32 banks once.
// As: half of a warp's lanes hold k 0..3 of 16 rows, the others k 4..7, and write 4*(BM+PAD) words
// apart. Without PAD this is the same bank; with PAD 4 it is 16 banks further, and 2 x 16 lanes
// write to 32 banks. In f64 16 lanes write at a time, 4 k of 4 rows, 2*(BM+PAD) elements apart,
// which with PAD 2 are 16 pairs of banks. With BK 16 half of the conflicts remain.
// PAD keeps rows of As at multiples of 16 bytes. The rest is as in 08: for 4096 in f32 32 FLOP/byte
// from global memory, 2 from shared memory, 16 sectors a request, 2 blocks an SM.
//
//     what 8 lanes read of Bs at a time, a digit for 4 words, a line for the 32 banks:
//        08  |0.1.2.3.|         09  |01234567| first piece      C   BN/2 = ACROSS
//            |4.5.6.7.|             |01234567| second piece        +---------+---------+
//            two wavefronts         one wavefront each             | ##      | ##      |
//                                                                  |         |         |
//     what lanes 0 .. 31 write to As at once (PAD 4)          BM/2 +---------+---------+
//        k     |rows 0 .. 15 |             |                       | ##      | ##      |
//        k+4   |             |rows 0 .. 15 |                       |         |         |
//              bank 0         bank 16                              +---------+---------+
//
// What one load or store moves, and the number of loads of A and of B per thread and tile.
typedef struct __align__(16) {
    T x[16 / sizeof(T)];
} vec;
enum { V = 16 / sizeof(T), LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };
enum { PAD = V, DOWN = BM / TM * V, ACROSS = BN / TN * V }; // from one piece to the next

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
    conflict_free(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                  T *C, int ldc)
{
    __shared__ __align__(16) T As[BK][BM + PAD], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int i = threadIdx.x / (BN / TN) * V, j = threadIdx.x % (BN / TN) * V;
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

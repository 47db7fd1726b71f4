// 10_warp_tile.cu: between the tile of a block and that of a thread stands the tile of a warp.
// SPDX-License-Identifier: MIT
//@ title    Warp tiling
//@ after    09_conflict_free
//@ idea     the lanes of a warp lie 4 x 8, so that together they read few different words
//@ idea     TM x TN is 16 x 8: 6 reads of 16 bytes feed 128 multiply-adds, not 4 feed 64
//@ type     f32
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, WM 64 {32,64}, WN 64 {32,64}
//@ let      NT = BM/WM*(BN/WN)*32, TM = WM/4, TN = WN/8
//@ require  BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0
//@ source   Worklog 000, kernel 10; worklog 004, kernel 10
//
// What one load or store can move; as many vectors of A and of B a thread brings into shared memory.
typedef struct __align__(16) {
    T x[16 / sizeof(T)];
} vec;
enum { V = 16 / sizeof(T), LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };
enum { PAD = V, DOWN = 4 * V, ACROSS = 8 * V }; // from one piece to the next

// V neighbours of a row, of which `count` are in the matrix; zeros take the place of the others.
__device__ static inline vec load(const T *from, bool aligned, int count)
{
    if (aligned && count >= V)
        return *(const vec *)from;
    vec v;
    for (int e = 0; e < V; e++)
        v.x[e] = e < count ? from[e] : 0;
    return v;
}

// C = alpha*sum + beta*C for V neighbours of a row, of which `count` are in the matrix.
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
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = warp / (BN / WN) * WM + lane / 8 * V, j = warp % (BN / WN) * WN + lane % 8 * V;
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

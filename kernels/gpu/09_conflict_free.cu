// 09_conflict_free.cu: no two lanes of a warp wait for the same bank of shared memory.
// SPDX-License-Identifier: MIT
//@ title    No bank conflicts
//@ after    08_vectorized
//@ idea     a fragment is several pieces of 16 bytes, so that neighbouring lanes read neighbouring pieces
//@ idea     padding after each row of the turned A spreads the lanes that store it over all banks
//@ type     f32, f64
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, TM 8 {4,8}, TN 8 {4,8}
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  NT<=1024 && BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "each thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0
//@ source   Simon Boehm, How to Optimize a CUDA Matmul Kernel, kernels 7 and 8

// The widest load and store there is.
typedef struct __align__(16) {
    T x[16 / sizeof(T)];
} vec;
enum { V = 16 / sizeof(T), PAD = V };

// V neighbours of a row; where it is not safe to read them at once, zeros replace all but `count`.
__device__ static inline vec load(const T *from, bool at_once, int count)
{
    if (at_once)
        return *(const vec *)from;
    vec v;
#pragma unroll
    for (int i = 0; i < V; i++)
        v.x[i] = i < count ? from[i] : 0;
    return v;
}

// `high` rows of A, `wide` columns of B and `deep` steps along k are inside the matrices.
__device__ static inline void load_tiles(T (*As)[BM + PAD], T (*Bs)[BN], const T *A, int lda, const T *B,
                                         int ldb, bool whole, int high, int wide, int deep)
{
#pragma unroll
    for (int i = threadIdx.x; i < BM * BK / V; i += NT) {
        const int y = i / (BK / V), k = i % (BK / V) * V;
        const vec v = load(A + (size_t)y * lda + k, whole, y < high ? deep - k : 0);
#pragma unroll
        for (int j = 0; j < V; j++)
            As[k + j][y] = v.x[j];
    }
#pragma unroll
    for (int i = threadIdx.x; i < BK * BN / V; i += NT) {
        const int k = i / (BN / V), x = i % (BN / V) * V;
        *(vec *)&Bs[k][x] = load(B + (size_t)k * ldb + x, whole, k < deep ? wide - x : 0);
    }
}

// `count` elements in pieces of V, `stride` apart.
__device__ static inline void load_fragment(T *to, int count, int stride, const T *from)
{
#pragma unroll
    for (int i = 0; i < count; i += V)
        *(vec *)(to + i) = *(const vec *)(from + i / V * stride);
}

// C = alpha*sum + beta*C for V neighbours of a row, of which `count` are in the matrix.
__device__ static inline void store(T *c, bool aligned, int count, const T *sum, T alpha, T beta)
{
    if (aligned && count >= V) {
        vec v = {};
        if (beta != 0)
            v = *(const vec *)c;
#pragma unroll
        for (int i = 0; i < V; i++)
            v.x[i] = beta != 0 ? alpha * sum[i] + beta * v.x[i] : alpha * sum[i];
        *(vec *)c = v;
        return;
    }
#pragma unroll
    for (int i = 0; i < V; i++)
        if (i < count)
            c[i] = beta != 0 ? alpha * sum[i] + beta * c[i] : alpha * sum[i];
}

__global__ void __launch_bounds__(NT)
    conflict_free(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                  T *C, int ldc)
{
    __shared__ __align__(16) T As[BK][BM + PAD], Bs[BK][BN];
    const int row = blockIdx.y * BM, column = blockIdx.x * BN;
    const int r = threadIdx.x / (BN / TN) * V, c = threadIdx.x % (BN / TN) * V;
    const int down = BM / TM * V, across = BN / TN * V; // from one piece of a fragment to the next
    T sum[TM][TN] = {};
    A += (size_t)row * lda;
    B += column;
    const bool aligned =
        lda % V == 0 && ldb % V == 0 && (size_t)A % 16 == 0 && (size_t)B % 16 == 0;
    const bool inside = aligned && M - row >= BM && N - column >= BN;

    for (int left = K; left > 0; left -= BK) {
        if (inside && left >= BK)
            load_tiles(As, Bs, A, lda, B, ldb, true, M - row, N - column, left);
        else
            load_tiles(As, Bs, A, lda, B, ldb, false, M - row, N - column, left);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            T a[TM], b[TN];
            load_fragment(a, TM, down, &As[k][r]);
            load_fragment(b, TN, across, &Bs[k][c]);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
        A += BK;
        B += (size_t)BK * ldb;
    }

    const bool aligned_c = ldc % V == 0 && (size_t)C % 16 == 0;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int y = row + r + i / V * down + i % V;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < TN; j += V) {
            const int x = column + c + j / V * across;
            store(C + (size_t)y * ldc + x, aligned_c, N - x, &sum[i][j], alpha, beta);
        }
    }
}

// 29_vector.cu: matrices times vectors: the larger matrix is read once, as fast as memory allows.
// SPDX-License-Identifier: MIT
//@ title    Matrix times vectors
//@ after    03_coalesced_1d
//@ idea     one row or column of C: no tile is reused, and the time is that of reading the matrix
//@ idea     vectors of 16 bytes, several on the way in each thread, whichever way the matrix lies
//@ idea     few rows: shares of K, as many as fill the multiprocessors, added up in a fixed order
//@ type     f32, f64, A=bf16 B=bf16 C=f32 ACC=f32, A=bf16 B=bf16 C=bf16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    LANES 0 {0,2,8,32,128,256}, SPLITS 0 {0,1,2,4,8}
//@ let      NT = 256, V = 16/T_BYTES, VECS = 4, CHUNK = 1024, UNROLL = 8
//@ arg      flat = M<=N, outs = max(M,N), vecs = min(M,N), along = flat*TB+(1-flat)*(1-TA)
//@ arg      whole = flat*(ldb%V==0 && aligned(B,16)) + (1-flat)*(lda%V==0 && aligned(A,16))
//@ choose   lanes {2,8,32,128,256}, splits {1,2,4,8,16,32,64}
//@ arg      depth = cdiv(cdiv(max(K,1),splits),8)*8, each = 1+whole*(V-1), many = vecs>1
//@ arg      high = along*(NT/lanes)+(1-along)*lanes*each
//@ arg      step = UNROLL*(along*lanes*each+(1-along)*NT/lanes)
//@ arg      strips = cdiv(outs,high), passes = 1+many*(cdiv(vecs,VECS)-1)
//@ arg      blocks = strips*splits*passes, waves = cdiv(blocks,2*SMS)
//@ arg      rounds = cdiv(depth,step)*(690+490*many+150*(1-along))+cdiv(depth,CHUNK)*670
//@ arg      ending = along*(lanes>32)*170+(1-along)*(NT/lanes)*14
//@ arg      reading = outs*K*T_BYTES*passes/4880, loading = waves*(rounds+ending)
//@ arg      few = vecs<=2*VECS, asked = few && SPLITS
//@ arg      refused = (asked && SPLITS!=splits) || (!asked && splits>max(K/64,1))
//@ arg      unasked = few && LANES && LANES!=lanes
//@ arg      adding = (splits>1)*(3180+outs*vecs*splits/1670)
//@ arg      taken = max(reading,loading)+min(reading,loading)*4/5
//@ arg      cost = 2700+taken+adding+(refused||unasked)*1000000000+(1-few)*1000000000
//@ least    cost
//@ work     P = f64[max((splits>1)*splits*outs*vecs,1)]
//@ kernel   rows_by_vector
//@ when     along && !many
//@ grid     strips, splits
//@ block    NT
//@ kernel   rows_by_vectors
//@ when     along && many
//@ grid     strips, splits, passes
//@ block    NT
//@ kernel   columns_by_vector
//@ when     !along && !many
//@ grid     strips, splits
//@ block    NT
//@ kernel   columns_by_vectors
//@ when     !along && many
//@ grid     strips, splits, passes
//@ block    NT
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     cdiv(outs*vecs,NT)
//@ block    NT
//@ expect   spills == 0
//
// After 03_coalesced_1d: where C has one row or one column, each element of the larger matrix is
// used once, so that a tile in shared memory gains nothing: what counts is how many bytes are on
// the way. A thread asks for UNROLL vectors of 16 bytes before it uses the first.
// Up to VECS vectors share what was read: a product of 4 rows costs little more than that of one.
// More are computed VECS at a time, and the matrix comes from L2 then.
// The matrix is B where C has fewer rows than columns, else A. Two kernels, since its elements lie
// along k or across it:
//
//        along k: lanes share a row                across k: lanes share a strip
//
//          k ->                                      outputs ->
//        +--------------------------+              +--------------------------+
//        |0 1 2 .. lanes-1 |0 1 ..  | group 0      |0 1 .. lanes-1 |          |  group 0     k
//        |0 1 2 .. lanes-1 |0 1 ..  | group 1      |0 1 .. lanes-1 |          |  group 1     |
//        +--------------------------+              +--------------------------+              v
//        the lanes of a row add up by shuffles     the groups add up in shared memory
//
// Rows that begin anywhere are read an element at a time: a warp still reads whole lines, but a
// thread has fewer bytes on the way.
// Intensity: 2 FLOP for each element, 0.5 FLOP/byte with f32: on an H200, whose memory reads 4.4
// TB/s, at most 2.2 TFLOP/s.
// Occupancy on sm_90: 3 blocks of 256 threads (80 registers) for one vector, 24 of 64 warps, which
// have 98 KB on the way; 2 blocks for several vectors, whose sums need more registers.
// Shares of K make blocks where there are few outputs; their sums go through P and are added in
// order. `cost` is the time in ns: a launch, reading the matrix, the rounds of loads that a thread
// waits for, one after another, and the adding; its constants are fitted to measured products of
// up to 8 vectors, and more are left to rungs with tiles. LANES and SPLITS, if they are not 0, hold
// for products of up to 8 vectors, too.
#include <cuda_bf16.h>

#define EXPANDED static inline __attribute__((always_inline))

__device__ static inline float widened(float x)
{
    return x;
}

__device__ static inline double widened(double x)
{
    return x;
}

__device__ static inline float widened(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

// The type of the sums: float, or double where T is.
typedef decltype(widened(T())) sum_t;

// What a block computes: part blockIdx.y of K, for VECS vectors from blockIdx.z*VECS on.
struct view {
    const T *matrix, *vectors;
    T_C *C;
    sum_t *P; // this part's sums, or null: they go to C
    sum_t alpha, beta;
    int ld, outs, vecs;                       // of the matrix; outputs of a vector; vectors
    size_t k_step, vec_step, out_step, c_vec; // from an element of vectors, of C to the next
    int first, begin, end;                    // the first vector; the part of K
};

__device__ static inline struct view view_of(int M, int N, int K, int flat, int splits, int depth,
                                             double alpha, const T *A, int lda, const T *B, int ldb,
                                             double beta, T_C *C, int ldc, double *P)
{
    struct view v;
    v.matrix = flat ? B : A;
    v.vectors = flat ? A : B;
    v.C = C;
    v.outs = flat ? N : M;
    v.vecs = flat ? M : N;
    v.P = splits > 1 ? (sum_t *)P + (size_t)blockIdx.y * v.outs * v.vecs : 0;
    v.alpha = (sum_t)alpha;
    v.beta = (sum_t)beta;
    v.ld = flat ? ldb : lda;
    v.k_step = flat ? (TA ? lda : 1) : (TB ? 1 : ldb);
    v.vec_step = flat ? (TA ? 1 : lda) : (TB ? ldb : 1);
    v.out_step = flat ? 1 : ldc;
    v.c_vec = flat ? ldc : 1;
    v.first = blockIdx.z * VECS;
    v.begin = blockIdx.y * depth;
    v.end = min(v.begin + depth, K);
    return v;
}

// `wide` elements in a row from `from`: one aligned vector, or one element; zeros if not valid.
__device__ EXPANDED void load(T *to, const T *from, int wide, bool valid)
{
    if (wide == V) {
        uint4 vector = make_uint4(0, 0, 0, 0);
        if (valid)
            vector = *(const uint4 *)from;
        *(uint4 *)to = vector;
    } else {
        to[0] = (T)0;
        if (valid)
            to[0] = from[0];
    }
}

// The vectors' elements from `k` on, `length` of them, to shared memory; V zeros
// after them.
__device__ EXPANDED void stage(sum_t *to, const struct view *v, int vecs, int k, int length)
{
#pragma unroll
    for (int r = 0; r < vecs; r++) {
        const bool valid = v->first + r < v->vecs;
        const T *from = v->vectors + (v->first + r) * v->vec_step + k * v->k_step;
        for (int i = threadIdx.x; i < length; i += NT)
            to[r * CHUNK + i] = valid ? widened(from[i * v->k_step]) : (sum_t)0;
    }
    if (threadIdx.x < V)
        to[vecs * CHUNK + threadIdx.x] = 0;
}

__device__ static inline void put(const struct view *v, int r, int out, sum_t sum)
{
    const int vec = v->first + r;
    if (vec >= v->vecs || out >= v->outs)
        return;
    if (v->P) {
        v->P[(size_t)vec * v->outs + out] = sum;
        return;
    }
    T_C *c = v->C + vec * v->c_vec + out * v->out_step;
    *c = (T_C)(v->beta != 0 ? v->alpha * sum + v->beta * widened(*c) : v->alpha * sum);
}

// ---- Elements along k: a row of the matrix for each output ----

// UNROLL vectors of `wide` elements, `stride` apart: all loads, then all multiply-adds. Past the
// end zeros are multiplied by zeros: a branch there would keep loads from starting before it is
// taken.
__device__ EXPANDED void add_step(sum_t *sum, const sum_t *shared, int vecs, int wide, const T *row,
                                  int k, int stride, int length)
{
    alignas(16) T x[UNROLL][V];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        load(x[u], row + k + u * stride, wide, k + u * stride + wide <= length);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const bool valid = k + u * stride + wide <= length;
        const sum_t *with = shared + (valid ? k + u * stride : vecs * CHUNK);
        const int pitch = valid ? CHUNK : 0;
#pragma unroll
        for (int r = 0; r < vecs; r++)
#pragma unroll
            for (int e = 0; e < wide; e++)
                sum[r] += widened(x[u][e]) * with[r * pitch + e];
    }
}

// The sum over the lanes of a row, in its first lane.
__device__ EXPANDED sum_t sum_of_lanes(sum_t sum, sum_t *shared, int lanes)
{
    for (int apart = min(lanes, 32) / 2; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, apart);
    if (lanes <= 32)
        return sum;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < lanes / 32; w++)
        sum += shared[threadIdx.x / lanes * (lanes / 32) + w];
    return sum;
}

__device__ EXPANDED void multiply_rows(const struct view *v, sum_t *shared, int lanes, int vecs,
                                       int wide)
{
    const int lane = threadIdx.x % lanes, out = blockIdx.x * (NT / lanes) + threadIdx.x / lanes;
    const bool is_row = out < v->outs;
    sum_t sum[VECS];
#pragma unroll
    for (int r = 0; r < vecs; r++)
        sum[r] = 0;
    for (int k = v->begin; k < v->end; k += CHUNK) {
        const int length = min(CHUNK, v->end - k), mine = is_row ? length : 0;
        const T *row = v->matrix + (is_row ? (size_t)out * v->ld : 0) + k;
        __syncthreads(); // the chunk before has been read
        stage(shared, v, vecs, k, length);
        __syncthreads();
        for (int at = lane * wide; at + wide <= mine; at += lanes * wide * UNROLL)
            add_step(sum, shared, vecs, wide, row, at, lanes * wide, mine);
        // What is left of the last vector, an element a lane.
        for (int at = mine - mine % wide + lane; at < mine; at += lanes)
#pragma unroll
            for (int r = 0; r < vecs; r++)
                sum[r] += widened(row[at]) * shared[r * CHUNK + at];
    }
#pragma unroll
    for (int r = 0; r < vecs; r++) {
        const sum_t all = sum_of_lanes(sum[r], shared, lanes);
        if (lane == 0)
            put(v, r, out, all);
    }
}

// ---- Elements across k: a column of the matrix for each output ----

// Rows `group`, `group` + groups, .. of the chunk, UNROLL at a time as above. The sums of a vector
// are `apart` from those of the one before.
__device__ EXPANDED void add_columns(sum_t *sum, int apart, const struct view *v,
                                     const sum_t *shared, int vecs, int wide, const T *from,
                                     int group, int groups, int length)
{
    for (int at = group; at < length; at += groups * UNROLL) {
        alignas(16) T x[UNROLL][V];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            load(x[u], from + (size_t)(at + u * groups) * v->ld, wide, at + u * groups < length);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const bool valid = at + u * groups < length;
            const sum_t *with = shared + (valid ? at + u * groups : vecs * CHUNK);
            const int pitch = valid ? CHUNK : 0;
#pragma unroll
            for (int r = 0; r < vecs; r++)
#pragma unroll
                for (int e = 0; e < wide; e++)
                    sum[r * apart + e] += widened(x[u][e]) * with[r * pitch];
        }
    }
}

__device__ EXPANDED void multiply_columns(const struct view *v, sum_t *shared, int lanes, int vecs,
                                          int wide)
{
    const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes, groups = NT / lanes;
    const int strip = blockIdx.x * lanes * wide, out = strip + lane * wide;
    const int count = min(wide, v->outs - out);
    sum_t sum[VECS * V];
#pragma unroll
    for (int i = 0; i < vecs * wide; i++)
        sum[i] = 0;
    for (int k = v->begin; k < v->end; k += CHUNK) {
        const int length = min(CHUNK, v->end - k);
        const T *from = v->matrix + (size_t)k * v->ld + out;
        __syncthreads(); // the chunk before has been read
        stage(shared, v, vecs, k, length);
        __syncthreads();
        if (count == wide)
            add_columns(sum, wide, v, shared, vecs, wide, from, group, groups, length);
        else // the last vector of columns, of which only some are in the matrix
#pragma unroll
            for (int e = 0; e < wide; e++)
                if (e < count)
                    add_columns(sum + e, wide, v, shared, vecs, 1, from + e, group, groups, length);
    }
#pragma unroll
    for (int r = 0; r < vecs; r++) {
        __syncthreads(); // the last chunk, or the sums of the vector before, have been read
#pragma unroll
        for (int e = 0; e < wide; e++)
            shared[(group * lanes + lane) * wide + e] = sum[r * wide + e];
        __syncthreads();
        for (int i = threadIdx.x; i < lanes * wide; i += NT) {
            sum_t all = 0;
            for (int g = 0; g < groups; g++)
                all += shared[g * lanes * wide + i];
            put(v, r, strip + i, all);
        }
    }
}

// ---- The kernels ----

__global__ void __launch_bounds__(NT, 3)
    rows_by_vector(int M, int N, int K, int flat, int whole, int lanes, int splits, int depth,
                   double alpha, const T *A, int lda, const T *B, int ldb, double beta, T_C *C,
                   int ldc, double *P)
{
    __shared__ alignas(16) sum_t shared[CHUNK + V];
    const struct view v =
        view_of(M, N, K, flat, splits, depth, alpha, A, lda, B, ldb, beta, C, ldc, P);
    if (whole)
        multiply_rows(&v, shared, lanes, 1, V);
    else
        multiply_rows(&v, shared, lanes, 1, 1);
}

__global__ void __launch_bounds__(NT, 2)
    rows_by_vectors(int M, int N, int K, int flat, int whole, int lanes, int splits, int depth,
                    double alpha, const T *A, int lda, const T *B, int ldb, double beta, T_C *C,
                    int ldc, double *P)
{
    __shared__ alignas(16) sum_t shared[VECS * CHUNK + V];
    const struct view v =
        view_of(M, N, K, flat, splits, depth, alpha, A, lda, B, ldb, beta, C, ldc, P);
    if (whole)
        multiply_rows(&v, shared, lanes, VECS, V);
    else
        multiply_rows(&v, shared, lanes, VECS, 1);
}

__global__ void __launch_bounds__(NT, 3)
    columns_by_vector(int M, int N, int K, int flat, int whole, int lanes, int splits, int depth,
                      double alpha, const T *A, int lda, const T *B, int ldb, double beta, T_C *C,
                      int ldc, double *P)
{
    __shared__ alignas(16) sum_t shared[NT * V > CHUNK + V ? NT * V : CHUNK + V];
    const struct view v =
        view_of(M, N, K, flat, splits, depth, alpha, A, lda, B, ldb, beta, C, ldc, P);
    if (whole)
        multiply_columns(&v, shared, lanes, 1, V);
    else
        multiply_columns(&v, shared, lanes, 1, 1);
}

__global__ void __launch_bounds__(NT, 2)
    columns_by_vectors(int M, int N, int K, int flat, int whole, int lanes, int splits, int depth,
                       double alpha, const T *A, int lda, const T *B, int ldb, double beta, T_C *C,
                       int ldc, double *P)
{
    __shared__ alignas(16) sum_t shared[VECS * CHUNK + V];
    const struct view v =
        view_of(M, N, K, flat, splits, depth, alpha, A, lda, B, ldb, beta, C, ldc, P);
    if (whole)
        multiply_columns(&v, shared, lanes, VECS, V);
    else
        multiply_columns(&v, shared, lanes, VECS, 1);
}

// C = alpha * (the parts, first to last) + beta * C: the same bits every time.
__global__ void __launch_bounds__(NT) add_splits(int M, int N, int flat, int splits, double alpha,
                                                 double beta, T_C *C, int ldc, const double *P)
{
    const int outs = flat ? N : M, vecs = flat ? M : N;
    const size_t i = blockIdx.x * (size_t)NT + threadIdx.x, count = (size_t)outs * vecs;
    if (i >= count)
        return;
    sum_t sum = 0;
    for (int s = 0; s < splits; s++)
        sum += ((const sum_t *)P)[s * count + i];
    const size_t vec = i / outs, out = i % outs;
    T_C *c = C + (flat ? vec : out) * ldc + (flat ? out : vec);
    *c = (T_C)(beta != 0 ? (sum_t)alpha * sum + (sum_t)beta * widened(*c) : (sum_t)alpha * sum);
}

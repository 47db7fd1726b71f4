// 29_vector.cu: matrices times vectors: the larger matrix is read once, as fast as memory allows.
// SPDX-License-Identifier: MIT
//@ title    Matrix times vectors
//@ after    03_coalesced_1d
//@ idea     one row or column of C: no tile is reused, and the time is that of reading the matrix
//@ idea     each thread has several loads of 16 bytes in flight, for each transpose of the matrix
//@ idea     few outputs: blocks of a cluster divide K, and add their sums in its shared memory
//@ type     f32, f64, A=bf16 B=bf16 C=f32 ACC=f32, A=bf16 B=bf16 C=bf16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    LANES 0 {0,2,8,32,128,256}, SPLITS 0 {0,1,2,4,8}
//@ let      NT = 256, NT_LOG = 8, V = 16/T_BYTES, V_LOG = 1+(T_BYTES<8)+(T_BYTES<4)
//@ let      VECS = 4, CHUNK = 16384/T_BYTES, UNROLL = 4, SCALARS = 8+8*(T_BYTES==4)
//@ arg      flat = M<=N, outs = max(M,N), vecs = min(M,N), along = flat*TB+(1-flat)*(1-TA)
//@ arg      whole = flat*(ldb%V==0 && aligned(B,16)) + (1-flat)*(lda%V==0 && aligned(A,16))
//@ choose   lanes {2,8,32,128,256}, splits {1,2,4,8}
//@ arg      depth = cdiv(cdiv(max(K,1),splits),8)*8, share = 1+(CC>=90)*(splits-1)
//@ arg      each = 1+whole*(V-1), many = vecs>1, passes = 1+many*(cdiv(vecs,VECS)-1)
//@ arg      high = along*(NT/lanes)+(1-along)*lanes*each, strips = cdiv(outs,high)
//@ arg      loads = whole*UNROLL*(1+many)+(1-whole)*SCALARS
//@ arg      step = loads*(along*lanes*each+(1-along)*(NT/lanes))
//@ arg      chunk = CHUNK/(1+many*(VECS-1)), chunks = cdiv(depth,chunk)
//@ arg      rounds = depth/chunk*cdiv(chunk,step)+cdiv(depth%chunk,step)
//@ arg      apart = flat*TA*(lda>1)+(1-flat)*(1-TB)*(ldb>1)
//@ arg      next = flat*(TA+(1-TA)*lda)+(1-flat)*(1-TB+TB*ldb)
//@ arg      vectors = flat*aligned(A,16)+(1-flat)*aligned(B,16)
//@ arg      single = apart || (many && next%V!=0) || !vectors
//@ arg      staging = chunks*419+single*depth*(1+many*(VECS-1))*(24+20*(T_BYTES==2))/100
//@ arg      waiting = along*(398+222*many)+(1-along)*(500-16*many)+(1-whole)*56
//@ arg      adds = loads*each*min(vecs,VECS)*(8+3*(T_BYTES==8))/2
//@ arg      blocks = strips*splits*passes
//@ arg      slots = SMS*(4-2*many)*(100-16*(share==4)-7*(share==8))/100
//@ arg      loading = cdiv(blocks,slots)*(rounds*(waiting+adds)+staging+815)
//@ arg      segment = lanes*each*T_BYTES, small = !along && segment>=64 && segment<256
//@ arg      reading = outs*K*T_BYTES*(1+passes)/2/(66*(100-44*(segment<64)-10*small))
//@ arg      adding = (splits>1)*((CC>=90)*1125+(CC<90)*(3180+outs*vecs*splits/1670))
//@ arg      few = vecs<=2*VECS, asked = few && SPLITS
//@ arg      refused = (asked && SPLITS!=splits) || (!asked && splits>max(K/64,1))
//@ arg      unasked = few && LANES && LANES!=lanes
//@ arg      taken = 300+blocks*171/100+loading+reading+adding
//@ arg      cost = taken+(refused||unasked)*1000000000+(1-few)*1000000000
//@ least    cost
//@ work     P = f64[max((splits>share)*splits*outs*vecs,1)]
//@ kernel   rows_by_vector
//@ when     along && !many
//@ grid     blocks
//@ cluster  share
//@ block    NT
//@ kernel   rows_by_vectors
//@ when     along && many
//@ grid     blocks
//@ cluster  share
//@ block    NT
//@ kernel   columns_by_vector
//@ when     !along && !many
//@ grid     blocks
//@ cluster  share
//@ block    NT
//@ kernel   columns_by_vectors
//@ when     !along && many
//@ grid     blocks
//@ cluster  share
//@ block    NT
//@ kernel   add_splits
//@ when     splits > share
//@ grid     cdiv(outs*vecs,NT)
//@ block    NT
//@ expect   spills == 0
//
// After 03_coalesced_1d: if C has one row or one column, each element of the larger matrix is
// used once, and a tile in shared memory gains nothing: what counts is the number of bytes in
// flight. A thread issues UNROLL loads of 16 bytes, or twice as many, before it uses the first.
// Up to VECS vectors are multiplied by the same loads: 4 rows take little more time than one.
// More vectors are computed VECS at a time, by adjacent blocks, so that the matrix is in L2. The
// matrix is B if C has no more rows than columns, else A. There are two kernels, for elements
// along and across k:
//
//        along k: lanes share a row                across k: lanes share a strip
//
//          k ->                                      outputs ->
//        +--------------------------+              +--------------------------+
//        |0 1 2 .. lanes-1 |0 1 ..  | group 0      |0 1 .. lanes-1 |          |  group 0     k
//        |0 1 2 .. lanes-1 |0 1 ..  | group 1      |0 1 .. lanes-1 |          |  group 1     |
//        +--------------------------+              +--------------------------+              v
//        lanes of a row are added                  groups are added
//        by shuffles; the warps of a row, and those of a strip, in shared memory
//
// A block issues the first loads of the matrix before it waits for the vectors, which are copied to
// shared memory by cp.async: so the first sums wait for memory only once. Rows that are not aligned
// are read one element at a time: a warp still reads whole lines, but with fewer bytes in flight.
// Intensity: 2 FLOP for each element, 0.5 FLOP/byte with f32: on an H200, whose memory reads 4.4
// TB/s, at most 2.2 TFLOP/s.
// Occupancy on sm_90: 4 blocks of 256 threads (64 registers) for one vector, 32 of 64 warps, with
// 64 KB in flight; 2 blocks for several vectors, whose sums need more registers.
// If there are few outputs, K is divided, for more blocks. The blocks of a cluster read each
// other's sums; before sm_90 there are no clusters, and a second launch adds the sums that were
// written to P. The order is always the same.
// `cost` is the time in ns: a launch, waiting for loads one after another, multiplying, copying the
// vectors (one element at a time if they are strided or not aligned), reading at a rate that
// depends on the contiguous bytes of the lanes, and adding. Its constants are fitted to 1700 times
// of 140 products of up to 8 vectors on an H200; of 780 times of others half are within 5 % and
// nine tenths within 14 %. More than 8 vectors are left to rungs with tiles. LANES and SPLITS that
// are not 0 apply to up to 8 vectors.
#include "cluster.h"
#include "cp_async.h"
#include "dependent_launch.h"
#include <cuda_bf16.h>

// The elements from one vector in shared memory to the next: its part of CHUNK, and V zeros.
#define PITCH(vecs) (CHUNK / (vecs) + V)
// The number of loads of `wide` elements that a thread has in flight.
#define LOADS(vecs, wide) ((wide) == 1 ? SCALARS : (vecs) == 1 ? UNROLL : 2 * UNROLL)
#define MOST(a, b) ((a) > (b) ? (a) : (b))
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

// The type of the sums: float, or double if T is double.
typedef decltype(widened(T())) sum_t;

// The logarithm of a power of two.
__device__ static inline int log_of(int x)
{
    return 31 - __clz(x);
}

// The work of a block: a strip of outputs for VECS vectors, and a part of K.
struct view {
    const T *matrix, *vectors;
    T_C *C;
    sum_t *P; // for this part's sums; null: they are stored to C
    sum_t alpha, beta;
    int ld, outs, vecs;                       // of the matrix; outputs per vector; vectors
    size_t k_step, vec_step, out_step, c_vec; // from an element of the vectors, or C, to the next
    int share;                                // blocks of a cluster that share a strip
    int strip, first, K, begin, end;          // the strip; the first vector; all of K; the part
};

__device__ static inline struct view view_of(int M, int N, int K, int flat, int passes, int splits,
                                             int share, int depth, double alpha, const T *A,
                                             int lda, const T *B, int ldb, double beta, T_C *C,
                                             int ldc, double *P)
{
    const int part = blockIdx.x & (splits - 1), rest = blockIdx.x >> log_of(splits);
    struct view v;
    v.matrix = flat ? B : A;
    v.vectors = flat ? A : B;
    v.C = C;
    v.outs = flat ? N : M;
    v.vecs = flat ? M : N;
    v.P = splits > share ? (sum_t *)P + (size_t)part * v.outs * v.vecs : 0;
    v.alpha = (sum_t)alpha;
    v.beta = (sum_t)beta;
    v.ld = flat ? ldb : lda;
    v.k_step = flat ? (TA ? lda : 1) : (TB ? 1 : ldb);
    v.vec_step = flat ? (TA ? 1 : lda) : (TB ? ldb : 1);
    v.out_step = flat ? 1 : ldc;
    v.c_vec = flat ? ldc : 1;
    v.share = share;
    v.strip = passes > 1 ? rest / passes : rest;
    v.first = passes > 1 ? rest % passes * VECS : 0;
    v.K = K;
    v.begin = part * depth;
    v.end = min(v.begin + depth, K);
    return v;
}

// Loads `wide` adjacent elements: one aligned vector, or one element; zeros if not valid.
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

// Copies the vectors as `stage` does, but element by element, without any alignment.
__device__ EXPANDED void stage_elements(T *to, const struct view *v, int vecs, const T *from,
                                        int length)
{
    const int each = sizeof(T) == 2 ? 8 : 1; // cp.async cannot copy 2 bytes
#pragma unroll 1
    for (int i = threadIdx.x; i < length * vecs; i += NT * each) {
        T x[each];
#pragma unroll
        for (int u = 0; u < each; u++) {
            const int r = (i + u * NT) % vecs, at = (i + u * NT) / vecs;
            const bool valid = at < length && v->first + r < v->vecs;
            const T *one = from + (valid ? r * v->vec_step + at * v->k_step : 0);
            const unsigned place = shared_address(to + r * PITCH(vecs) + at);
            if (sizeof(T) == 8)
                cp_async_8(place, one, valid);
            else if (sizeof(T) == 4)
                cp_async_4(place, one, valid);
            else
                load(x + u, one, 1, valid);
        }
#pragma unroll
        for (int u = 0; u < each; u++)
            if (sizeof(T) == 2 && i + u * NT < length * vecs)
                to[(i + u * NT) % vecs * PITCH(vecs) + (i + u * NT) / vecs] = x[u];
    }
}

// Issues copies of `length` elements of each vector, from `k` on, to shared memory, PITCH(vecs)
// from one vector to the next. They have arrived after cp_async_wait and a barrier.
__device__ EXPANDED void stage(T *to, const struct view *v, int vecs, int k, int length)
{
    const T *from = v->vectors + v->first * v->vec_step + k * v->k_step;
    const int count = min(vecs, v->vecs - v->first);
    if (v->k_step == 1 && (vecs == 1 || v->vec_step % V == 0) && (size_t)from % 16 == 0) {
#pragma unroll 1
        for (int r = 0; r < vecs; r++)
#pragma unroll 1
            for (int i = threadIdx.x * V; i < length; i += NT * V)
                cp_async_16_of(shared_address(to + r * PITCH(vecs) + i),
                               from + (r < count ? r * v->vec_step + i : 0),
                               r < count ? min(length - i, V) * (int)sizeof(T) : 0);
    } else {
        stage_elements(to, v, vecs, from, length);
    }
    cp_async_commit();
}

// ---- The sums ----

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

// Stores the sums of a block, which are in shared memory, 1 << high_log outputs for each vector and
// each of `parts` warps, to C or to P, after adding those of the cluster's other blocks in order.
__device__ EXPANDED void put_all(const struct view *v, sum_t *partial, int parts, int high_log,
                                 int vecs)
{
    const int count = vecs << high_log;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += NT) {
        sum_t sum = partial[i];
#pragma unroll
        for (int p = 1; p < NT / 32; p++)
            sum += p < parts ? partial[p * count + i] : (sum_t)0;
        if (v->share > 1)
            partial[i] = sum;
        else
            put(v, i >> high_log, (v->strip << high_log) + (i & ((1 << high_log) - 1)), sum);
    }
#if __CUDA_ARCH__ >= 900
    if (v->share == 1)
        return;
    cluster_sync();
    for (int i = cluster_rank() * NT + threadIdx.x; i < count; i += v->share * NT) {
        sum_t part[8], sum = 0;
#pragma unroll
        for (int s = 0; s < 8; s++)
            part[s] = s < v->share ? *(const sum_t *)cluster_address(partial + i, s) : (sum_t)0;
#pragma unroll
        for (int s = 0; s < 8; s++)
            sum += part[s];
        put(v, i >> high_log, (v->strip << high_log) + (i & ((1 << high_log) - 1)), sum);
    }
    cluster_sync_relaxed(); // a block must not end while others read its shared memory
#endif
}

// ---- Elements along k: a row of the matrix for each output ----

// The loads of a step: elements `k`, `k` + stride, .. of a row, `wide` at a time, with zeros beyond
// its end. A branch would delay the loads until its condition is known.
__device__ EXPANDED void load_row(T *x, int loads, int wide, const T *row, int k, int stride,
                                  int length)
{
#pragma unroll
    for (int u = 0; u < loads; u++)
        load(x + u * wide, row + k + u * stride, wide, k + u * stride + wide <= length);
}

__device__ EXPANDED void add_row(sum_t *sum, const T *x, int loads, int wide, const T *shared,
                                 int vecs, int k, int stride, int length)
{
#pragma unroll
    for (int u = 0; u < loads; u++) {
        const T *with = shared + (k + u * stride + wide <= length ? k + u * stride : CHUNK / vecs);
#pragma unroll
        for (int r = 0; r < vecs; r++) {
            alignas(16) T y[V];
            if (wide == V)
                *(uint4 *)y = *(const uint4 *)(with + r * PITCH(vecs));
            else
                y[0] = with[r * PITCH(vecs)];
#pragma unroll
            for (int e = 0; e < wide; e++)
                sum[r] += widened(x[u * wide + e]) * widened(y[e]);
        }
    }
}

__device__ EXPANDED void multiply_rows(const struct view *v, T *shared, int lanes_log, int vecs,
                                       int wide)
{
    const int loads = LOADS(vecs, wide), lanes = 1 << lanes_log, stride = lanes * wide;
    const int high_log = NT_LOG - lanes_log, lane = threadIdx.x & (lanes - 1);
    const int mine = threadIdx.x >> lanes_log, out = (v->strip << high_log) + mine;
    const int tails = wide == V ? V / 2 : 0; // loads for the rest of the last vector
    const T *const row = v->matrix + (out < v->outs ? (size_t)out * v->ld : 0);
    sum_t sum[VECS];
#pragma unroll
    for (int r = 0; r < vecs; r++)
        sum[r] = 0;
    for (int k = v->begin; k < v->end; k += CHUNK / vecs) {
        const int length = min(CHUNK / vecs, v->end - k), valid = out < v->outs ? length : 0;
        const int last = valid - valid % wide + lane;
        int at = lane * wide;
        alignas(16) T x[MOST(2 * UNROLL * V, SCALARS)], tail[V];
        __syncthreads(); // the previous chunk has been read
        load_row(x, loads, wide, row + k, at, stride, valid);
        load_row(tail, tails, 1, row + k, last, lanes, valid);
        stage(shared, v, vecs, k, length);
        cp_async_wait(0);
        __syncthreads();
        add_row(sum, tail, tails, 1, shared, vecs, last, lanes, valid);
        for (;;) {
            add_row(sum, x, loads, wide, shared, vecs, at, stride, valid);
            at += loads * stride;
            if (at - lane * wide >= length)
                break;
            load_row(x, loads, wide, row + k, at, stride, valid);
        }
    }
    __syncthreads(); // the last chunk has been read
    sum_t *const partial = (sum_t *)shared;
#pragma unroll
    for (int r = 0; r < vecs; r++) {
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2)
            if (apart < lanes)
                sum[r] += __shfl_xor_sync(0xffffffff, sum[r], apart);
        if (lane % 32 == 0)
            partial[(((lane / 32 * vecs) + r) << high_log) + mine] = sum[r];
    }
    put_all(v, partial, lanes / 32, high_log, vecs);
}

// ---- Elements across k: a column of the matrix for each output ----

// The loads of a step: `wide` columns of rows `at`, `at` + groups, .. of the chunk.
__device__ EXPANDED void load_column(T *x, int loads, int wide, const T *from, int ld, int at,
                                     int groups, int length)
{
#pragma unroll
    for (int u = 0; u < loads; u++)
        load(x + u * wide, from + (size_t)(at + u * groups) * ld, wide, at + u * groups < length);
}

__device__ EXPANDED void add_column(sum_t *sum, const T *x, int loads, int wide, const T *shared,
                                    int vecs, int at, int groups, int length)
{
#pragma unroll
    for (int u = 0; u < loads; u++) {
        const T *with = shared + (at + u * groups < length ? at + u * groups : CHUNK / vecs);
#pragma unroll
        for (int r = 0; r < vecs; r++) {
            const sum_t y = widened(with[r * PITCH(vecs)]);
#pragma unroll
            for (int e = 0; e < wide; e++)
                sum[r * wide + e] += widened(x[u * wide + e]) * y;
        }
    }
}

__device__ EXPANDED void multiply_columns(const struct view *v, T *shared, int lanes_log, int vecs,
                                          int wide)
{
    const int loads = LOADS(vecs, wide), lanes = 1 << lanes_log;
    const int groups_log = NT_LOG - lanes_log, groups = 1 << groups_log;
    const int high_log = lanes_log + (wide == V ? V_LOG : 0);
    const int lane = threadIdx.x & (lanes - 1), group = threadIdx.x >> lanes_log;
    const int out = (v->strip << high_log) + lane * wide;
    // A vector that is partly in the matrix is read as a whole, together with padding after the
    // row, except in the last row, after which the memory may end.
    const bool part = out < v->outs && out + wide > v->outs;
    const T *const column = v->matrix + (out < v->outs ? out : 0);
    sum_t sum[VECS * V];
#pragma unroll
    for (int i = 0; i < vecs * wide; i++)
        sum[i] = 0;
    for (int k = v->begin; k < v->end; k += CHUNK / vecs) {
        const int length = min(CHUNK / vecs, v->end - k);
        const int valid = out >= v->outs ? 0 : length - (part && k + length == v->K);
        const T *from = column + (size_t)k * v->ld;
        int at = group;
        alignas(16) T x[MOST(2 * UNROLL * V, SCALARS)];
        __syncthreads(); // the previous chunk has been read
        load_column(x, loads, wide, from, v->ld, at, groups, valid);
        stage(shared, v, vecs, k, length);
        cp_async_wait(0);
        __syncthreads();
        for (;;) {
            add_column(sum, x, loads, wide, shared, vecs, at, groups, valid);
            at += groups * loads;
            if (at - group >= length)
                break;
            load_column(x, loads, wide, from, v->ld, at, groups, valid);
        }
        if (part && valid < length && group == 0) {
#pragma unroll
            for (int e = 0; e < wide; e++)
                load(x + e, from + (size_t)valid * v->ld + e, 1, out + e < v->outs);
            add_column(sum, x, 1, wide, shared, vecs, valid, groups, length);
        }
    }
    __syncthreads(); // the last chunk has been read
    sum_t *const partial = (sum_t *)shared;
    const int parts = lanes > 32 ? groups : NT / 32, mine = lanes > 32 ? group : threadIdx.x / 32;
#pragma unroll
    for (int r = 0; r < vecs; r++)
#pragma unroll
        for (int e = 0; e < wide; e++) {
            sum_t all = sum[r * wide + e];
#pragma unroll
            for (int apart = 16; apart > 1; apart /= 2)
                if (apart >= lanes)
                    all += __shfl_xor_sync(0xffffffff, all, apart);
            if ((threadIdx.x & 31) < lanes)
                partial[((mine * vecs + r) << high_log) + lane * wide + e] = all;
        }
    put_all(v, partial, parts, high_log, vecs);
}

// ---- The kernels ----

// Writes the zeros after each vector in shared memory, by which elements beyond the end of a row
// are multiplied.
__device__ EXPANDED void clear_ends(T *shared, int vecs)
{
    if (threadIdx.x < V * vecs)
        shared[threadIdx.x / V * PITCH(vecs) + CHUNK / vecs + threadIdx.x % V] = (T)0;
}

__global__ void __launch_bounds__(NT, 4)
    rows_by_vector(int M, int N, int K, int flat, int whole, int passes, int lanes, int splits,
                   int share, int depth, double alpha, const T *A, int lda, const T *B, int ldb,
                   double beta, T_C *C, int ldc, double *P)
{
    wait_for_earlier_grids();
    __shared__ alignas(16) T shared[PITCH(1)];
    const struct view v = view_of(M, N, K, flat, passes, splits, share, depth, alpha, A, lda, B,
                                  ldb, beta, C, ldc, P);
    clear_ends(shared, 1);
    if (whole)
        multiply_rows(&v, shared, log_of(lanes), 1, V);
    else
        multiply_rows(&v, shared, log_of(lanes), 1, 1);
}

__global__ void __launch_bounds__(NT, 2)
    rows_by_vectors(int M, int N, int K, int flat, int whole, int passes, int lanes, int splits,
                    int share, int depth, double alpha, const T *A, int lda, const T *B, int ldb,
                    double beta, T_C *C, int ldc, double *P)
{
    wait_for_earlier_grids();
    __shared__ alignas(16) T shared[PITCH(VECS) * VECS];
    const struct view v = view_of(M, N, K, flat, passes, splits, share, depth, alpha, A, lda, B,
                                  ldb, beta, C, ldc, P);
    clear_ends(shared, VECS);
    if (whole)
        multiply_rows(&v, shared, log_of(lanes), VECS, V);
    else
        multiply_rows(&v, shared, log_of(lanes), VECS, 1);
}

__global__ void __launch_bounds__(NT, 4)
    columns_by_vector(int M, int N, int K, int flat, int whole, int passes, int lanes, int splits,
                      int share, int depth, double alpha, const T *A, int lda, const T *B, int ldb,
                      double beta, T_C *C, int ldc, double *P)
{
    wait_for_earlier_grids();
    __shared__ alignas(16) T shared[PITCH(1)];
    const struct view v = view_of(M, N, K, flat, passes, splits, share, depth, alpha, A, lda, B,
                                  ldb, beta, C, ldc, P);
    clear_ends(shared, 1);
    if (whole)
        multiply_columns(&v, shared, log_of(lanes), 1, V);
    else
        multiply_columns(&v, shared, log_of(lanes), 1, 1);
}

__global__ void __launch_bounds__(NT, 2)
    columns_by_vectors(int M, int N, int K, int flat, int whole, int passes, int lanes, int splits,
                       int share, int depth, double alpha, const T *A, int lda, const T *B, int ldb,
                       double beta, T_C *C, int ldc, double *P)
{
    wait_for_earlier_grids();
    __shared__ alignas(16)
        T shared[MOST(PITCH(VECS) * VECS, NT * VECS * V * (sizeof(sum_t) / sizeof(T)))];
    const struct view v = view_of(M, N, K, flat, passes, splits, share, depth, alpha, A, lda, B,
                                  ldb, beta, C, ldc, P);
    clear_ends(shared, VECS);
    if (whole)
        multiply_columns(&v, shared, log_of(lanes), VECS, V);
    else
        multiply_columns(&v, shared, log_of(lanes), VECS, 1);
}

// C = alpha * (the parts, first to last) + beta * C, so the result is reproducible.
__global__ void __launch_bounds__(NT) add_splits(int M, int N, int flat, int splits, double alpha,
                                                 double beta, T_C *C, int ldc, const double *P)
{
    wait_for_earlier_grids();
    const int outs = flat ? N : M, vecs = flat ? M : N;
    const size_t i = blockIdx.x * (size_t)NT + threadIdx.x, count = (size_t)outs * vecs;
    if (i >= count)
        return;
    sum_t sum = 0;
#pragma unroll 8
    for (int s = 0; s < splits; s++)
        sum += ((const sum_t *)P)[s * count + i];
    const size_t vec = i / outs, out = i % outs;
    T_C *c = C + (flat ? vec : out) * ldc + (flat ? out : vec);
    *c = (T_C)(beta != 0 ? (sum_t)alpha * sum + (sum_t)beta * widened(*c) : (sum_t)alpha * sum);
}

/* ukr_tile.h: the loop of a micro-kernel, once for all instruction sets. SPDX-License-Identifier:
 * MIT
 *
 * A micro-kernel's file defines, before it includes this one:
 *
 *     T, V, LANES            the element, the vector, and how many elements a vector holds
 *     MR, NR                 the tile; NR is a multiple of LANES
 *     Tail                   what tells the real lanes of a ragged last vector from the rest
 *     zero() broadcast(x) load(p) store(p, v) mul(x, y) fmadd(x, y, z): x*y + z
 *     tail_of(n)             the first n lanes, 1 <= n <= LANES
 *     load_tail(p, t, rest)  reads only the lanes in t; the others come from `rest`
 *     store_tail(p, t, v)    writes only the lanes in t
 *
 * and gets `packed` and `strided`, the two functions of a struct ukr (ukr.h).
 *
 * The tile is MR rows of NV vectors, all in registers; a step of k is a rank-1 update:
 *
 *                 B[p, 0:NR]:     b0    b1            NV loads,
 *     A[0:MR, p]: broadcast a0   c00 += a0*b0, c01 += a0*b1
 *                 broadcast a1   c10 += a1*b0, ...    MR broadcasts,
 *                     ...                             MR*NV fused multiply-adds
 *
 * For 14x32 in AVX-512: 16 loads feed 28 FMAs, so the two FMA ports and not the two load ports are
 * the limit, and 28 independent sums cover the FMA's latency of 4 cycles on two ports (8 would do).
 */
#include <stdbool.h>

enum { NV = NR / LANES };
/* C is fetched this many steps before it is needed: some 400 cycles, a trip to memory. */
enum { C_AHEAD = 32 };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 32")

/* Asks for the tile of C. A row may straddle one more cache line than it fills, hence its last
 * element. */
INLINE void prefetch_tile(int m, int n, const T *c, int64_t ldc)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j += 64 / (int)sizeof(T))
            __builtin_prefetch(c + i * ldc + j, 1, 3);
        __builtin_prefetch(c + i * ldc + n - 1, 1, 3);
    }
}

/* Writes one vector of the tile: alpha * x + beta * c, whole or (ragged) its lanes in `tail` only.
 */
INLINE void update(T *c, V x, bool ragged, Tail tail, const T *alpha, const T *beta)
{
    x = mul(broadcast(*alpha), x);
    if (*beta != 0)
        x = fmadd(broadcast(*beta), ragged ? load_tail(c, tail, zero()) : load(c), x);
    if (ragged)
        store_tail(c, tail, x);
    else
        store(c, x);
}

/* m rows of nv vectors, of which the last has n - (nv-1)*LANES lanes. m, nv, ragged, in_place, and
 * the strides of packed panels are constants wherever this is inlined, so that each case becomes
 * straight-line code. */
INLINE void tile(int m, int nv, bool ragged, bool in_place, int n, int64_t k, const T *alpha,
                 const T *a, int64_t a_row, int64_t a_step, const T *b, int64_t b_step,
                 const T *beta, T *c, int64_t ldc)
{
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    V sum[MR][NV];
    UNROLL for (int i = 0; i < m; i++) UNROLL for (int v = 0; v < nv; v++) sum[i][v] = zero();
    int64_t p = 0;
    for (int64_t stop = k - C_AHEAD;; stop = k) {
        for (; p < stop; p++, a += a_step, b += b_step) {
            V bv[NV];
            UNROLL for (int v = 0; v < nv; v++) bv[v] =
                ragged && in_place && v == nv - 1
                    ? load_tail(b + v * LANES, tail, broadcast(b[n - 1]))
                    : load(b + v * LANES);
            UNROLL for (int i = 0; i < m; i++)
            {
                const V ai = broadcast(a[i * a_row]);
                UNROLL for (int v = 0; v < nv; v++) sum[i][v] = fmadd(ai, bv[v], sum[i][v]);
            }
        }
        if (stop == k)
            break;
        prefetch_tile(m, n, c, ldc);
    }
    UNROLL for (int i = 0; i < m; i++) UNROLL for (int v = 0; v < nv; v++)
        update(c + i * ldc + v * LANES, sum[i][v], ragged && v == nv - 1, tail, alpha, beta);
}

/* Every number of rows is code of its own; so is every number of vectors. */
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        tile(i <= MR ? i : 1, nv, true, in_place, n, k, alpha, a, a_row, a_step, b, b_step, beta,  \
             c, ldc);                                                                              \
        break;

INLINE void edge_of(int m, int nv, bool in_place, int n, int64_t k, const T *alpha, const T *a,
                    int64_t a_row, int64_t a_step, const T *b, int64_t b_step, const T *beta, T *c,
                    int64_t ldc)
{
    switch (m) {
        ROWS(1)
        ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12)
            ROWS(13) ROWS(14) ROWS(15) ROWS(16)
    }
}

INLINE void edge(bool in_place, int m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                 int64_t a_step, const T *b, int64_t b_step, const T *beta, T *c, int64_t ldc)
{
    switch ((n + LANES - 1) / LANES) {
    case 1:
        edge_of(m, 1, in_place, n, k, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
        break;
    case 2:
        edge_of(m, NV < 2 ? 1 : 2, in_place, n, k, alpha, a, a_row, a_step, b, b_step, beta, c,
                ldc);
        break;
    case 3:
        edge_of(m, NV < 3 ? 1 : 3, in_place, n, k, alpha, a, a_row, a_step, b, b_step, beta, c,
                ldc);
        break;
    case 4:
        edge_of(m, NV < 4 ? 1 : 4, in_place, n, k, alpha, a, a_row, a_step, b, b_step, beta, c,
                ldc);
        break;
    }
}

_Static_assert(MR <= 16 && NV <= 4 && NR % LANES == 0,
               "ROWS and edge list every case up to 16 x 4");

static void packed(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, const void *b,
                   const void *beta, void *c, int64_t ldc)
{
    if (m == MR && n == NR)
        tile(MR, NV, false, false, NR, k, alpha, a, 1, MR, b, NR, beta, c, ldc);
    else
        edge(false, (int)m, (int)n, k, alpha, a, 1, MR, b, NR, beta, c, ldc);
}

static void strided(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                    int64_t a_row, int64_t a_step, const void *b, int64_t b_step, const void *beta,
                    void *c, int64_t ldc)
{
    if (m == MR && n == NR)
        tile(MR, NV, false, true, NR, k, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
    else
        edge(true, (int)m, (int)n, k, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
}

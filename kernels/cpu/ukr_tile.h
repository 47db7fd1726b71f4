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
 * For 9x48 in AVX-512: 12 loads feed 27 FMAs, so the two FMA ports and not the two load ports are
 * the limit, and 27 independent sums cover the FMA's latency of 4 cycles on two ports (8 would do).
 */
#include <stdbool.h>

enum { NV = NR / LANES, LINE = 64 / sizeof(T) /* elements of a cache line */ };
/* Panels are asked for this many steps before they are needed: a trip to L2, which the hardware's
 * prefetchers do not hide when a step takes in three lines in a dozen cycles. */
enum { A_AHEAD = 24, B_AHEAD = 16 };

#define INLINE static inline __attribute__((always_inline))
/* A loop whose count is a constant and that must become straight-line code. */
#define UNROLLED(i, count) _Pragma("GCC unroll 32") for (int i = 0; i < (count); i++)

/* Asks for a row of the tile of C, which may straddle one more cache line than it fills. */
INLINE void prefetch_row(int n, const T *c)
{
    for (int j = 0; j < n; j += LINE)
        __builtin_prefetch(c + j, 1, 3);
    __builtin_prefetch(c + n - 1, 1, 3);
}

/* Asks for what packed panels hold some steps on. Past their end, it asks in vain, which does no
 * harm. */
INLINE void prefetch_panels(const T *a, const T *b)
{
    __builtin_prefetch(a + A_AHEAD * MR, 0, 3);
    UNROLLED(line, (NR + LINE - 1) / LINE)
    {
        __builtin_prefetch(b + B_AHEAD * NR + line * LINE, 0, 3);
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

/* C comes from L3 or memory. Asked for at once, a tile would take up all the fill buffers that the
 * panels need, so the steps are cut into m stretches, and each begins by asking for one row.
 *
 * m rows of nv vectors, of which the last has n - (nv-1)*LANES lanes. m, nv, ragged, in_place, and
 * the strides of packed panels are constants wherever this is inlined, so that each case becomes
 * straight-line code. */
INLINE void tile(int m, int nv, bool ragged, bool in_place, int n, int64_t k, const T *alpha,
                 const T *a, int64_t a_row, int64_t a_step, const T *b, int64_t b_step,
                 const T *beta, T *c, int64_t ldc)
{
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    V sum[MR][NV];
    UNROLLED(i, m)
    {
        UNROLLED(v, nv) sum[i][v] = zero();
    }
    int64_t p = 0;
    for (int row = 0; row < m; row++) {
        prefetch_row(n, c + row * ldc);
        for (const int64_t stop = k * (row + 1) / m; p < stop; p++, a += a_step, b += b_step) {
            V bv[NV];
            if (!in_place)
                prefetch_panels(a, b);
            UNROLLED(v, nv)
            {
                if (ragged && in_place && v == nv - 1)
                    bv[v] = load_tail(b + v * LANES, tail, broadcast(b[n - 1]));
                else
                    bv[v] = load(b + v * LANES);
            }
            UNROLLED(i, m)
            {
                const V ai = broadcast(a[i * a_row]);
                UNROLLED(v, nv) sum[i][v] = fmadd(ai, bv[v], sum[i][v]);
            }
        }
    }
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            update(c + i * ldc + v * LANES, sum[i][v], ragged && v == nv - 1, tail, alpha, beta);
        }
    }
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
        /* clang-format off */
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8)
        ROWS(9) ROWS(10) ROWS(11) ROWS(12) ROWS(13) ROWS(14) ROWS(15) ROWS(16)
        /* clang-format on */
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

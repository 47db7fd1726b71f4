/* ukr_dot.h: the loop of a micro-kernel on short types, written once for all instruction sets.
 * SPDX-License-Identifier: MIT
 *
 * A micro-kernel's file defines, before it includes this one:
 *
 *     S, V, LANES            the type of the sums, a vector of them, and how many it holds
 *     U                      a vector of LANES units of 4 bytes: STEPS successive elements
 *     MR, NR                 the tile; NR is a multiple of LANES
 *     Tail                   a mask of the real lanes of a partial last vector
 *     zero() broadcast(x) load(p) store(p, v) mul(x, y) madd(x, y, z): x*y + z, on sums
 *     unit(p), units(p)      one unit in all lanes; LANES units
 *     dot(sum, a, b)         sum + the products of the elements of a and b, in each lane
 *     tail_of(n)             the first n lanes, 1 <= n <= LANES
 *     load_tail(p, t)        reads only the lanes in t; the others are 0
 *     store_tail(p, t, v)    writes only the lanes in t
 *
 * This file then defines `packed` and `rows`, functions of a struct ukr (ukr.h, "short types").
 *
 * It is the rank-1 update of ukr_tile.h with a unit in place of an element:
 *
 *                                B: unit p of NR columns:    b0    b1       NV loads,
 *     A: unit p of row 0, a0, in all lanes:     c00 += a0.b0, c01 += a0.b1
 *        unit p of row 1, a1                    c10 += a1.b0, ...           MR broadcasts,
 *            ...                                                            MR*NV dot products */
#include <stdbool.h>

enum { NV = NR / LANES, LINE = 64 };
/* B is prefetched this many units before it is needed, which covers the latency of L2. */
enum { B_AHEAD = 16 };
/* A row of C is prefetched every C_UNITS of the last units, which covers the latency of memory; or
 * every C_UNITS_OF_FEW if there are few units, which covers that of L2. */
enum { C_UNITS = 8, C_UNITS_OF_FEW = 2 };

#define INLINE static inline __attribute__((always_inline))
/* A loop with a constant number of iterations, which must be unrolled completely. */
#define UNROLLED(i, count) _Pragma("GCC unroll 32") for (int i = 0; i < (count); i++)

/* Prefetches a row of the tile of C, which may touch one more cache line than it fills. */
INLINE void prefetch_row(int n, const S *c)
{
    for (int j = 0; j < n; j += LINE / (int)sizeof(S))
        __builtin_prefetch(c + j, 1, 3);
    __builtin_prefetch(c + n - 1, 1, 3);
}

INLINE void prefetch_units(const char *b, int nv)
{
    UNROLLED(line, (nv * LANES * 4 + LINE - 1) / LINE)
    {
        __builtin_prefetch(b + B_AHEAD * NR * 4 + line * LINE, 0, 3);
    }
}

/* Writes alpha * sums + beta * C, for whole vectors or, if `ragged`, with only the lanes in `tail`
 * of the last one. `plain`: alpha is 1 and beta is 0. This is a case of its own because multiplying
 * integers takes five times as long as adding them. */
INLINE void update(int m, int nv, V sum[MR][NV], bool ragged, Tail tail, bool plain, const S *alpha,
                   const S *beta, S *c, int64_t ldc)
{
    const V factor = broadcast(*alpha), old = broadcast(*beta);
    const bool add = !plain && *beta != 0;
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            S *to = c + i * ldc + v * LANES;
            const bool part = ragged && v == nv - 1;
            V x = plain ? sum[i][v] : mul(factor, sum[i][v]);
            if (add)
                x = madd(old, part ? load_tail(to, tail) : load(to), x);
            if (part)
                store_tail(to, tail, x);
            else
                store(to, x);
        }
    }
}

/* Multiplies `count` units, and adds to the sums. */
INLINE void multiply(int m, int nv, V sum[MR][NV], int64_t count, const char **a, int64_t row_bytes,
                     const char **b)
{
    const char *ap = *a, *bp = *b;
    for (int64_t p = 0; p < count; p++, ap += 4, bp += NR * 4) {
        U bv[NV];
        prefetch_units(bp, nv);
        UNROLLED(v, nv) bv[v] = units(bp + v * LANES * 4);
        UNROLLED(i, m)
        {
            const U ai = unit(ap + i * row_bytes);
            UNROLLED(v, nv) sum[i][v] = dot(sum[i][v], ai, bv[v]);
        }
    }
    *a = ap;
    *b = bp;
}

/* Computes m rows of nv vectors, of which the last one has n - (nv-1)*LANES lanes. m, nv and ragged
 * are constants wherever this is inlined, so that each case has no branches. As in ukr_tile.h, C is
 * prefetched row by row during the last units. */
INLINE void tile(int m, int nv, bool ragged, int n, int64_t k, const S *alpha, const char *a,
                 int64_t row_bytes, const S *starts, int64_t start_step, const char *b,
                 const S *beta, S *c, int64_t ldc)
{
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    const int64_t count = (k + STEPS - 1) / STEPS;
    const bool far = count >= 2 * MR * C_UNITS, near = count >= 2 * MR * C_UNITS_OF_FEW;
    const int64_t each = far ? C_UNITS : near ? C_UNITS_OF_FEW : 0;
    V sum[MR][NV];
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            sum[i][v] = broadcast(starts[i * start_step]);
        }
    }
    multiply(m, nv, sum, count - m * each, &a, row_bytes, &b);
    if (each)
        for (int row = 0; row < m; row++) {
            prefetch_row(n, c + row * ldc);
            multiply(m, nv, sum, each, &a, row_bytes, &b);
        }
    if (*alpha == 1 && *beta == 0)
        update(m, nv, sum, ragged, tail, true, alpha, beta, c, ldc);
    else
        update(m, nv, sum, ragged, tail, false, alpha, beta, c, ldc);
}

/* There is code for each number of rows, and for each number of vectors. */
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        tile(i <= MR ? i : 1, nv, true, n, k, alpha, a, row_bytes, starts, start_step, b, beta, c, \
             ldc);                                                                                 \
        break;

INLINE void edge(int m, int nv, int n, int64_t k, const S *alpha, const char *a, int64_t row_bytes,
                 const S *starts, int64_t start_step, const char *b, const S *beta, S *c,
                 int64_t ldc)
{
    switch (m) {
        /* clang-format off */
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9)
        /* clang-format on */
    }
}

_Static_assert(MR <= 9 && NV <= 3 && NR % LANES == 0,
               "ROWS and packed list every case up to 9 x 3");

static void rows(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                 int64_t row_bytes, const void *starts, int64_t start_step, const void *b,
                 const void *beta, void *c, int64_t ldc)
{
    if (m == MR && n == NR)
        tile(MR, NV, false, NR, k, alpha, a, row_bytes, starts, start_step, b, beta, c, ldc);
    else if (n <= LANES)
        edge((int)m, 1, (int)n, k, alpha, a, row_bytes, starts, start_step, b, beta, c, ldc);
    else if (n <= 2 * LANES || NV < 3)
        edge((int)m, 2, (int)n, k, alpha, a, row_bytes, starts, start_step, b, beta, c, ldc);
    else
        edge((int)m, NV, (int)n, k, alpha, a, row_bytes, starts, start_step, b, beta, c, ldc);
}

/* The initial values of the sums are in the heads of the packed rows. */
static void packed(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, const void *b,
                   const void *beta, void *c, int64_t ldc)
{
    const int64_t row_bytes = ukr_row_bytes(k, 4 / STEPS);
    rows(m, n, k, alpha, (const char *)a + UKR_HEAD, row_bytes, a, row_bytes / (int64_t)sizeof(S),
         b, beta, c, ldc);
}

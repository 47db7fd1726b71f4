/* ukr_tile.h: the loop of a micro-kernel, written once for all instruction sets.
 * SPDX-License-Identifier: MIT
 *
 * A micro-kernel's file defines, before it includes this one:
 *
 *     T, V, LANES            the element, the vector, and how many elements a vector holds
 *     MR, NR                 the tile; NR is a multiple of LANES
 *     Tail                   a mask of the real lanes of a partial last vector
 *     zero() broadcast(x) load(p) store(p, v) mul(x, y) fmadd(x, y, z): x*y + z
 *     tail_of(n)             the first n lanes, 1 <= n <= LANES
 *     load_tail(p, t, rest)  reads only the lanes in t; the others come from `rest`
 *     store_tail(p, t, v)    writes only the lanes in t
 *     fmadd_tail(x, y, z, t) x*y + z in the lanes in t; the others may be anything. An instruction
 *                            set that does not change the others may ignore `rest` above
 *
 * and may define HAS_HALVES 1 and
 *
 *     fmadd_half(x, y, z)    x*y + z in the lower half of the lanes; the others may be anything
 *
 * and HAS_STREAM 1 if it has stream(p, v), which stores a vector past the caches, at an aligned
 * address, and HAS_MASKS 1 if it has fmadd_masked(x, y, z, t), which is x*y + z in the lanes in t,
 * and computes nothing in the others; and HAS_WIDE 0 if the library asks it for at most NR columns:
 * more are then computed tile by tile, and the code that does so faster is left out.
 *
 * This file then defines functions of a struct ukr (ukr.h): `packed` and `packed_ahead` here,
 * `strided` in ukr_in_place.h, `strided_transposed` in ukr_transposed.h, and `few_sums` in
 * ukr_few_sums.h.
 *
 * The tile is MR rows of NV vectors, all in registers; a step of k is a rank-1 update:
 *
 *                 B[p, 0:NR]:     b0    b1            NV loads,
 *     A[0:MR, p]: broadcast a0   c00 += a0*b0, c01 += a0*b1
 *                 broadcast a1   c10 += a1*b0, ...    MR broadcasts,
 *                     ...                             MR*NV fused multiply-adds
 *
 * For 9x48 in AVX-512, 12 loads feed 27 FMAs, so the two FMA ports and not the two load ports are
 * the limit; and 27 independent sums cover the FMA's latency of 4 cycles on two ports, for which 8
 * would be enough. */
#include <stdbool.h>
#include <stddef.h>

#ifndef HAS_WIDE
#define HAS_WIDE 1
#endif

enum { NV = NR / LANES, LINE = 64 / sizeof(T) /* elements of a cache line */ };
/* A tile of fewer vectors may have more rows in the same registers: MR*NV sums and NV vectors of B.
 * A tile of operands that are not packed may be wider than NR, so that 64 columns are one tile
 * instead of two. */
enum { ROWS_MOST = 16, WIDEST = NV == 3 && HAS_WIDE ? 4 : NV, STRIDED_COLS = WIDEST * LANES };
#define ROWS_OF(nv) ((MR * NV + NV) / (nv)-1 < ROWS_MOST ? (MR * NV + NV) / (nv)-1 : ROWS_MOST)
#define STRIDED_ROWS                                                                               \
    {                                                                                              \
        ROWS_OF(1), WIDEST < 2 ? 0 : ROWS_OF(2), WIDEST < 3 ? 0 : ROWS_OF(3),                      \
            WIDEST < 4 ? 0 : ROWS_OF(4)                                                            \
    }
/* Panels are prefetched this many steps before they are needed, to cover the latency of L2. The
 * hardware prefetchers do not hide it if a step reads three lines in a dozen cycles. */
enum { A_AHEAD = 24, B_AHEAD = 16 };
/* The same for a B that is not packed: the hardware prefetchers do not follow columns. */
enum { ROWS_AHEAD = 4 };
/* One row of C is prefetched every C_STEPS of the last steps, or more often if there are few
 * steps. */
enum { C_STEPS = 8 };

#ifndef HAS_HALVES
#define HAS_HALVES 0
#define fmadd_half(x, y, z) fmadd(x, y, z)
#endif

#ifndef HAS_STREAM
#define HAS_STREAM 0
#endif

#ifndef HAS_MASKS
#define HAS_MASKS 0
#define fmadd_masked(x, y, z, t) fmadd_tail(x, y, z, t)
#endif

#define INLINE static inline __attribute__((always_inline))
/* A loop with a constant number of iterations, which must be unrolled completely. */
#define UNROLLED(i, count) _Pragma("GCC unroll 32") for (int i = 0; i < (count); i++)

/* Hides from the compiler how x was computed. Otherwise it would keep one address in a register for
 * each row. */
#define OPAQUE(x) __asm__("" : "+r"(x))

/* ONE_LOAD prevents the compiler from loading a vector again for each use. KEPT reserves the
 * register of the vector up to this place; otherwise a sum would be moved to it and back. */
#if defined(__x86_64__)
#define ONE_LOAD(v) __asm__("" : "+v"(v))
#define KEPT(v) __asm__ volatile("" : : "v"(v))
#elif defined(__aarch64__)
#define ONE_LOAD(v) __asm__("" : "+w"(v))
#define KEPT(v) __asm__ volatile("" : : "w"(v))
#else
#define ONE_LOAD(v) (void)(v)
#define KEPT(v) (void)(v)
#endif

/* Keeps stores in the order of their addresses. If the compiler writes the end of a row before its
 * start, stores take a quarter longer (AMD Zen 4), because consecutive stores to one cache line are
 * no longer combined. */
#define IN_ORDER() __asm__ volatile("" : : : "memory")

/* Prefetches a row of the tile of C, which may touch one more cache line than it fills. */
INLINE void prefetch_row(int n, const T *c)
{
    for (int j = 0; j < n; j += LINE)
        __builtin_prefetch(c + j, 1, 3);
    __builtin_prefetch(c + n - 1, 1, 3);
}

/* The number of steps that are unrolled if operands are packed. With vectors of 32 bytes, a step of
 * 12 multiply-adds takes 20 instructions; counting, branching and prefetching for each single step
 * would take 12 more. A core that runs two threads may issue only half as many instructions for
 * each of them, three per cycle, so that these 12 would take 4 cycles, and the multiply-adds take
 * 6. */
enum { STEPS_AT_ONCE = sizeof(V) == 32 ? UKR_AHEAD_STEPS : 1 };

/* Prefetches the packed panels some steps ahead. Beyond the end of a panel the prefetch has no use,
 * but does no harm. */
INLINE void prefetch_panels(const T *a, const T *b)
{
    __builtin_prefetch(a + A_AHEAD * MR, 0, 3);
    UNROLLED(line, (NR + LINE - 1) / LINE)
    {
        __builtin_prefetch(b + B_AHEAD * NR + line * LINE, 0, 3);
    }
}

/* The memory that a caller needs next, and the distance between its rows. For an operand that is
 * not packed only `step` is used: the distance from the current row to the row that is
 * prefetched. */
struct ahead {
    const char *at;
    int64_t step;
    T *panel; /* where the current row is packed to; for PACKING only */
};

/* A row may touch one more cache line than it fills. */
INLINE void prefetch_ahead(struct ahead *ahead)
{
    UNROLLED(line, (NR + LINE - 1) / LINE) __builtin_prefetch(ahead->at + line * 64, 0, 2);
    __builtin_prefetch(ahead->at + NR * sizeof(T) - 1, 0, 2);
    ahead->at += ahead->step;
}

/* The last vector of a tile of operands in place. NO_REST: it is a whole vector. SOME: it has fewer
 * lanes. HALF: it has at most half of the lanes, and a CPU that executes a vector as two halves
 * multiplies one half in half the time. OVERLAPPING: it ends where the tile ends, and so overlaps
 * the vector before it, some of whose sums are computed twice. This is twice as fast if a mask
 * would need additional instructions and the register of a sum. */
enum rest { NO_REST, SOME, HALF, OVERLAPPING };
#define HAS_OVERLAPS(vectors) (sizeof(V) < 64 && (vectors) > 1)

/* The column at which vector v of nv begins, in a tile of n columns. */
INLINE int place(enum rest rest, int nv, int v, int n)
{
    return rest == OVERLAPPING && v == nv - 1 ? n - LANES : v * LANES;
}

/* Whether vector v of nv has fewer lanes. */
INLINE bool is_ragged(enum rest rest, int nv, int v)
{
    return (rest == SOME || rest == HALF) && v == nv - 1;
}

/* Writes one vector of the tile: alpha * x + beta * c, whole or (ragged) its lanes in `tail` only.
 */
INLINE void update(T *c, V x, bool ragged, Tail tail, V alpha, bool add, V beta)
{
    x = mul(alpha, x);
    if (add)
        x = fmadd(beta, ragged ? load_tail(c, tail, zero()) : load(c), x);
    if (ragged)
        store_tail(c, tail, x);
    else
        store(c, x);
}

INLINE void clear(int m, int nv, V sum[ROWS_MOST][WIDEST])
{
    UNROLLED(i, m)
    {
        UNROLLED(v, nv) sum[i][v] = zero();
    }
}

INLINE void update_tile(int m, int nv, V sum[ROWS_MOST][WIDEST], enum rest rest, Tail tail, int n,
                        const T *alpha, bool add, const T *beta, T *c, int64_t ldc)
{
    const V factor = broadcast(*alpha), old = broadcast(*beta);
    UNROLLED(i, m)
    {
        if (rest == OVERLAPPING && add) /* before the vector before it overwrites its first lanes */
            sum[i][nv - 1] = fmadd(old, load(c + n - LANES), mul(factor, sum[i][nv - 1]));
        UNROLLED(v, nv)
        {
            T *to = c + place(rest, nv, v, n);
            if (rest == OVERLAPPING && add && v == nv - 1)
                store(to, sum[i][v]);
            else
                update(to, sum[i][v], is_ragged(rest, nv, v), tail, factor, add, old);
            IN_ORDER();
        }
        c += ldc;
        OPAQUE(c);
    }
}

/* Stores the sums as they are: alpha is 1 and beta is 0. */
INLINE void store_tile(int m, int nv, V sum[ROWS_MOST][WIDEST], enum rest rest, Tail tail, int n,
                       T *c, int64_t ldc)
{
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            if (is_ragged(rest, nv, v))
                store_tail(c + v * LANES, tail, sum[i][v]);
            else
                store(c + place(rest, nv, v, n), sum[i][v]);
            IN_ORDER();
        }
        c += ldc;
        OPAQUE(c);
    }
}

/* If rows of A are not adjacent, one base address serves several rows: x86 has addressing modes for
 * base + 0, 1, 2 and 4 strides, and 3 strides are kept in a register. A tile of six or seven rows
 * of 32-byte vectors has no time to advance a second base, so 5 strides are in a register as
 * well. */
INLINE int rows_of_base(int m)
{
    return sizeof(V) == 32 && m <= 7 ? 7 : 5;
}

struct strides {
    int64_t one, three, five;
};

/* The element of row i of A, of m rows, at the step that `base` points to. */
INLINE T element(const char *const *base, int m, int i, const struct strides *stride)
{
    const int row = i % rows_of_base(m);
    const int64_t offset = row == 3   ? stride->three
                           : row == 5 ? stride->five
                           : row == 6 ? 2 * stride->three
                                      : row * stride->one;
    return *(const T *)(const void *)(base[i / rows_of_base(m)] + offset);
}

/* The place of the operands. PANELS: packed. NEAR and FAR: in place; prefetching a B that is in L1
 * already would cost a small product several percent of its time. STREAMED: B comes from memory.
 * PACKING: B comes from memory, and is also stored to a panel, `ahead->panel`; a tile has time for
 * these stores. */
enum where { PANELS, NEAR, FAR, STREAMED, PACKING };
/* The hardware prefetchers alone load a B of up to this size from L2 in time; half of it if the
 * rows of B are not whole cache lines. */
enum { NEAR_BYTES = 96 << 10 };

/* Prefetches from L2 into L1, or from memory into L2. A vector that does not begin at a cache line
 * ends in the next one, and this is the line that is prefetched: the first line was read by the
 * tile to the left. */
INLINE void prefetch_b(const char *vector, enum where where)
{
    const char *last = vector + sizeof(V) - 1;
    if (where == FAR)
        __builtin_prefetch(last, 0, 3);
    else
        __builtin_prefetch(last, 0, 2);
}

INLINE void panel_step(int m, int nv, V sum[ROWS_MOST][WIDEST], bool ragged, Tail tail, const T *a,
                       const T *b)
{
    V bv[WIDEST];
    UNROLLED(v, nv)
    {
        bv[v] = load(b + v * LANES);
        ONE_LOAD(bv[v]);
    }
    UNROLLED(i, m)
    {
        V ai = broadcast(a[i]);
        ONE_LOAD(ai);
        UNROLLED(v, nv)
        {
            if (ragged && v == nv - 1)
                sum[i][v] = fmadd_tail(ai, bv[v], sum[i][v], tail);
            else
                sum[i][v] = fmadd(ai, bv[v], sum[i][v]);
        }
        KEPT(ai);
    }
    UNROLLED(v, nv) KEPT(bv[v]);
}

/* STEPS_AT_ONCE steps of packed panels. Each cache line of A is prefetched once. */
INLINE void panel_steps(int m, int nv, V sum[ROWS_MOST][WIDEST], bool ragged, Tail tail, const T *a,
                        const T *b, struct ahead *ahead)
{
    UNROLLED(line, (STEPS_AT_ONCE * MR + LINE - 1) / LINE)
    __builtin_prefetch(a + A_AHEAD * MR + line * LINE, 0, 3);
    prefetch_ahead(ahead);
    UNROLLED(step, STEPS_AT_ONCE)
    {
        OPAQUE(a); /* keeps the compiler from loading later steps, which needs too many registers */
        OPAQUE(b);
        __builtin_prefetch(b + (B_AHEAD + step) * NR, 0, 3);
        panel_step(m, nv, sum, ragged, tail, a + step * MR, b + step * NR);
    }
}

/* Multiplies `count` steps, and adds to the sums. The addresses of up to sixteen rows of A are in a
 * few registers; the compiler would otherwise use a pointer for each row, for which there are not
 * enough registers. OPAQUE prevents this.
 *
 * m, nv, rest, where, and the strides of packed panels are constants wherever this is inlined, so
 * that each case has no branches. */
INLINE void multiply(int m, int nv, V sum[ROWS_MOST][WIDEST], enum rest rest, enum where where,
                     Tail tail, int n, int64_t count, const T **a, int64_t a_row, int64_t a_step,
                     const T **b, int64_t b_step, struct ahead *ahead)
{
    enum { BASES = (ROWS_MOST + 4) / 5 };
    const bool ragged = rest == SOME || rest == HALF;
    const T *bp = *b;
    const char *base[BASES];
    const int64_t row = a_row * (int64_t)sizeof(T);
    struct strides stride = {row, 3 * row, 5 * row};
    int64_t rows_ahead = where == NEAR ? 0 : ahead->step, left = count;
    if (where == PANELS && STEPS_AT_ONCE > 1)
        for (; left >= STEPS_AT_ONCE; left -= STEPS_AT_ONCE) {
            panel_steps(m, nv, sum, ragged, tail, *a, bp, ahead);
            *a += STEPS_AT_ONCE * MR;
            bp += STEPS_AT_ONCE * NR;
        }
    count = left;
    UNROLLED(i, BASES) base[i] = (const char *)(const void *)*a + i * rows_of_base(m) * row;
    for (int64_t p = 0; where == PANELS ? p < count : left > 0; p++, left--, bp += b_step) {
        V bv[WIDEST];
        if (where != PANELS) {
            OPAQUE(stride.one);
            OPAQUE(stride.three);
            if (m > 5 && rows_of_base(m) > 5)
                OPAQUE(stride.five);
            UNROLLED(i, (m + rows_of_base(m) - 1) / rows_of_base(m)) OPAQUE(base[i]);
            if (sizeof(V) != 32) /* with 32-byte vectors these are two of 26 instructions */
                OPAQUE(left);
            if (where != NEAR) {
                OPAQUE(rows_ahead);
                UNROLLED(v, nv) prefetch_b((const char *)(bp + v * LANES) + rows_ahead, where);
            }
        } else {
            prefetch_panels((const T *)(const void *)base[0], bp);
            if (p % UKR_AHEAD_STEPS == 0)
                prefetch_ahead(ahead);
        }
        UNROLLED(v, nv)
        {
            if (ragged && where != PANELS && v == nv - 1)
                bv[v] = load_tail(bp + v * LANES, tail, broadcast(bp[n - 1]));
            else
                bv[v] = load(bp + place(rest, nv, v, n));
            if (m > 1 && where != PANELS)
                ONE_LOAD(bv[v]);
            if (where == PACKING)
                store(ahead->panel + v * LANES, bv[v]);
        }
        if (where == PACKING)
            ahead->panel += NR;
        UNROLLED(i, m)
        {
            const V ai = broadcast(element(base, m, i, &stride));
            UNROLLED(v, nv)
            {
                if (rest == HALF && v == nv - 1)
                    sum[i][v] = fmadd_half(ai, bv[v], sum[i][v]);
                else if (ragged && v == nv - 1)
                    sum[i][v] = fmadd_tail(ai, bv[v], sum[i][v], tail);
                else
                    sum[i][v] = fmadd(ai, bv[v], sum[i][v]);
            }
        }
        UNROLLED(i, (m + rows_of_base(m) - 1) / rows_of_base(m))
        base[i] += a_step * (int64_t)sizeof(T);
    }
    *a += count * a_step;
    *b = bp;
}

/* Computes m rows of nv vectors, of which the last one has n - (nv-1)*LANES lanes. C comes from L3
 * or memory. If a tile of C were prefetched at once, it would use all fill buffers, which the
 * panels need. So the last steps are divided into m groups, and each group begins by prefetching
 * one row. The number of these steps is a constant, so that branches are predicted; and they are
 * the last ones because a panel of B would evict from L1 what is prefetched earlier. */
INLINE void tile(int m, int nv, bool ragged, int n, int64_t k, const T *alpha, const T *a,
                 const T *b, const T *beta, T *c, int64_t ldc, struct ahead ahead)
{
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    const enum rest rest = ragged ? SOME : NO_REST;
    V sum[ROWS_MOST][WIDEST];
    clear(m, nv, sum);
    const int64_t apart = k >= m * C_STEPS ? C_STEPS : k / m, asking = m * apart;
    multiply(m, nv, sum, rest, PANELS, tail, n, k - asking, &a, 1, MR, &b, NR, &ahead);
    if (asking)
        for (int row = 0; row < m; row++) {
            prefetch_row(n, c + row * ldc);
            multiply(m, nv, sum, rest, PANELS, tail, n, apart, &a, 1, MR, &b, NR, &ahead);
        }
    if (*beta != 0)
        update_tile(m, nv, sum, rest, tail, n, alpha, true, beta, c, ldc);
    else
        update_tile(m, nv, sum, rest, tail, n, alpha, false, beta, c, ldc);
}

/* There is code for each number of rows, and for each number of vectors. */
/* clang-format off */
#define ALL_ROWS                                                                                   \
    ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8)                                \
    ROWS(9) ROWS(10) ROWS(11) ROWS(12) ROWS(13) ROWS(14) ROWS(15) ROWS(16)
/* clang-format on */

INLINE void edge_of(int m, int nv, int n, int64_t k, const T *alpha, const T *a, const T *b,
                    const T *beta, T *c, int64_t ldc, struct ahead ahead)
{
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        tile(i <= MR ? i : 1, nv, true, n, k, alpha, a, b, beta, c, ldc, ahead);                   \
        break;
    switch (m) {
        ALL_ROWS
    }
#undef ROWS
}

INLINE void edge(int m, int n, int64_t k, const T *alpha, const T *a, const T *b, const T *beta,
                 T *c, int64_t ldc, struct ahead ahead)
{
#define VECTORS(v)                                                                                 \
    case v:                                                                                        \
        edge_of(m, v <= NV ? v : 1, n, k, alpha, a, b, beta, c, ldc, ahead);                       \
        break;
    switch ((n + LANES - 1) / LANES) {
        VECTORS(1) VECTORS(2) VECTORS(3)
    }
#undef VECTORS
}

_Static_assert((int)MR <= (int)ROWS_MOST && NV <= 3 && NR % LANES == 0,
               "ROWS and VECTORS list every case up to 16 x 4");

/* A micro-kernel for small products only (ukr.h) does not use these functions. */
#define UNUSED_BY_SOME __attribute__((unused))

static UNUSED_BY_SOME void packed_ahead(int64_t m, int64_t n, int64_t k, const void *alpha,
                                        const void *a, const void *b, const void *beta, void *c,
                                        int64_t ldc, const void *at, int64_t step)
{
    const struct ahead ahead = {.at = at, .step = step};
    if (m == MR && n == NR)
        tile(MR, NV, false, NR, k, alpha, a, b, beta, c, ldc, ahead);
    else
        edge((int)m, (int)n, k, alpha, a, b, beta, c, ldc, ahead);
}

/* The memory that is prefetched here is in the cache already. */
static UNUSED_BY_SOME void packed(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                                  const void *b, const void *beta, void *c, int64_t ldc)
{
    packed_ahead(m, n, k, alpha, a, b, beta, c, ldc, b, 0);
}

#include "ukr_in_place.h"
#include "ukr_transposed.h"

#include "ukr_few_sums.h"

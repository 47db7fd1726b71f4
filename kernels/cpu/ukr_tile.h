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
 * and computes nothing in the others.
 *
 * This file then defines `packed`, `packed_ahead`, `strided`, `strided_transposed` and `few_sums`,
 * the functions of a struct ukr (ukr.h).
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

enum { NV = NR / LANES, LINE = 64 / sizeof(T) /* elements of a cache line */ };
/* A tile of fewer vectors may have more rows in the same registers: MR*NV sums and NV vectors of B.
 * A tile of operands that are not packed may be wider than NR, so that 64 columns are one tile
 * instead of two. */
enum { ROWS_MOST = 16, WIDEST = NV == 3 ? 4 : NV, STRIDED_COLS = WIDEST * LANES };
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

/* Rows are divided into nearly equal parts: all tiles have `rows` rows or one less. In a tile of
 * very few rows, the multiply-add units would wait for their own results. */
struct rows_cut {
    int rows;
    int64_t tall, parts; /* the first `tall` of the parts have `rows` rows */
};

INLINE struct rows_cut cut_rows(int64_t m, int most)
{
    if (m <= most)
        return (struct rows_cut){(int)m, 1, 1};
    const int64_t parts = (m + most - 1) / most;
    /* A 64-bit division takes as long as several steps of k. */
    const int64_t short_rows = m >> 31 ? m / parts : (uint32_t)m / (uint32_t)parts;
    const int64_t tall = m - parts * short_rows;
    if (tall == 0)
        return (struct rows_cut){(int)short_rows, parts, parts};
    return (struct rows_cut){(int)short_rows + 1, tall, parts};
}

/* The code for operands in place. All widths with a partial last vector share the same code, or
 * have two variants if there are halves; a B of whole vectors may be near or far. */
enum width { RAGGED, RAGGED_HALF, WHOLE_FAR, WHOLE_NEAR, WIDTHS };

/* Computes `count` tiles of m rows and nv vectors, one below the other, from row i of the product
 * on. Calling a function and choosing its code for each single tile would take a tenth of the time
 * of a small product. */
INLINE void tiles(int m, int nv, enum width width, const struct ukr_strided *p, int64_t i,
                  int64_t count)
{
    const bool ragged = width == RAGGED || width == RAGGED_HALF;
    const enum rest some = HAS_OVERLAPS(nv) ? OVERLAPPING : SOME;
    const enum rest rest = !ragged ? NO_REST : width == RAGGED_HALF ? HALF : some;
    const enum where where = width == WHOLE_NEAR ? NEAR : FAR;
    const int n = ragged ? (int)p->n : nv * LANES;
    const int64_t a_row = p->a_row, ldc = p->ldc;
    const T *a = (const T *)p->a + i * a_row, *alpha = p->alpha, *beta = p->beta;
    T *c = (T *)p->c + i * ldc;
    const Tail tail = tail_of(n - (nv - 1) * LANES);
    struct ahead ahead = {.step = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T)};
    for (; count > 0; count--, a += m * a_row, c += m * ldc) {
        V sum[ROWS_MOST][WIDEST];
        const T *a_at = a, *b_at = p->b;
        clear(m, nv, sum);
        multiply(m, nv, sum, rest, where, tail, n, p->k, &a_at, a_row, p->a_step, &b_at, p->b_step,
                 &ahead);
        if (*beta != 0)
            update_tile(m, nv, sum, rest, tail, n, alpha, true, beta, c, ldc);
        else if (*alpha == 1)
            store_tile(m, nv, sum, rest, tail, n, c, ldc);
        else
            update_tile(m, nv, sum, rest, tail, n, alpha, false, beta, c, ldc);
    }
}

/* A C of up to NEAR_C_BYTES is in L2. A C larger than FAR_C_BYTES comes from memory, and is
 * prefetched C_AHEAD elements before it is written. */
enum { NEAR_C_BYTES = 1 << 20, FAR_C_BYTES = 16 << 20, C_AHEAD = 512 / sizeof(T) };

/* Computes `count` tiles of the widest width side by side. They have all m rows of the product.
 * `where` and far_c say where B and C are. */
INLINE void tiles_beside(int m, const struct ukr_strided *p, int64_t count, enum where where,
                         bool far_c)
{
    const T *alpha = p->alpha, *beta = p->beta, *b = p->b;
    T *c = p->c;
    struct ahead ahead = {.step = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T)};
    for (; count > 0; count--, b += STRIDED_COLS, c += STRIDED_COLS) {
        V sum[ROWS_MOST][WIDEST];
        const T *a_at = p->a, *b_at = b;
        if (far_c)
            for (int i = 0; i < m; i++)
                prefetch_row(STRIDED_COLS, c + i * p->ldc + C_AHEAD);
        clear(m, WIDEST, sum);
        multiply(m, WIDEST, sum, NO_REST, where, tail_of(LANES), STRIDED_COLS, p->k, &a_at,
                 p->a_row, p->a_step, &b_at, p->b_step, &ahead);
        if (*beta != 0)
            update_tile(m, WIDEST, sum, NO_REST, tail_of(LANES), STRIDED_COLS, alpha, true, beta, c,
                        p->ldc);
        else if (*alpha == 1)
            store_tile(m, WIDEST, sum, NO_REST, tail_of(LANES), STRIDED_COLS, c, p->ldc);
        else
            update_tile(m, WIDEST, sum, NO_REST, tail_of(LANES), STRIDED_COLS, alpha, false, beta,
                        c, p->ldc);
    }
}

/* Each size of a tile has a function of its own, so that a product of a single tile is one jump to
 * it. */
typedef void tiles_fn(const struct ukr_strided *product, int64_t i, int64_t count);
#define ROWS_HERE(rows, vectors)                                                                   \
    ((vectors) <= WIDEST && (rows) <= ROWS_OF((vectors) <= WIDEST ? (vectors) : WIDEST))
#define TILES(width, vectors, rows)                                                                \
    static void tiles_##width##_##vectors##_##rows(const struct ukr_strided *p, int64_t i,         \
                                                   int64_t count)                                  \
    {                                                                                              \
        if (ROWS_HERE(rows, vectors) && (HAS_HALVES || width != RAGGED_HALF))                      \
            tiles(ROWS_HERE(rows, vectors) ? rows : 1, vectors <= WIDEST ? vectors : 1, width, p,  \
                  i, count);                                                                       \
    }
/* clang-format off */
#define OF_VECTORS(OF, width, vectors)                                                             \
    OF(width, vectors, 1) OF(width, vectors, 2) OF(width, vectors, 3) OF(width, vectors, 4)        \
    OF(width, vectors, 5) OF(width, vectors, 6) OF(width, vectors, 7) OF(width, vectors, 8)        \
    OF(width, vectors, 9) OF(width, vectors, 10) OF(width, vectors, 11) OF(width, vectors, 12)     \
    OF(width, vectors, 13) OF(width, vectors, 14) OF(width, vectors, 15) OF(width, vectors, 16)
#define OF_WIDTH(OF, width)                                                                        \
    OF_VECTORS(OF, width, 1) OF_VECTORS(OF, width, 2) OF_VECTORS(OF, width, 3)                     \
    OF_VECTORS(OF, width, 4)
OF_WIDTH(TILES, RAGGED) OF_WIDTH(TILES, RAGGED_HALF) OF_WIDTH(TILES, WHOLE_FAR) OF_WIDTH(TILES, WHOLE_NEAR)
#define NAMED(width, vectors, rows) [width][(vectors) - 1][(rows) - 1] = tiles_##width##_##vectors##_##rows,
static tiles_fn *const tiles_of[WIDTHS][4][ROWS_MOST] = {
    OF_WIDTH(NAMED, RAGGED) OF_WIDTH(NAMED, RAGGED_HALF) OF_WIDTH(NAMED, WHOLE_FAR) OF_WIDTH(NAMED, WHOLE_NEAR)
};
/* clang-format on */
#undef NAMED
#undef OF_WIDTH
#undef OF_VECTORS
#undef TILES
#undef ROWS_HERE

/* This is not inlined, because a product of a single tile would then save registers that only this
 * function needs. */
static __attribute__((noinline)) void in_parts(const struct ukr_strided *p,
                                               tiles_fn *const *of_rows, int most)
{
    const struct rows_cut cut = cut_rows(p->m, most);
    of_rows[cut.rows - 1](p, 0, cut.tall);
    if (cut.parts > cut.tall)
        of_rows[cut.rows - 2](p, cut.tall * cut.rows, cut.parts - cut.tall);
}

INLINE bool is_far(const struct ukr_strided *p)
{
    const int64_t near = NEAR_BYTES / (int64_t)sizeof(T) / (p->b_step % LINE ? 2 : 1);
    return p->k * p->b_step > near;
}

static enum width width_of(const struct ukr_strided *p)
{
    const int64_t lanes = p->n % LANES;
    if (lanes != 0)
        return HAS_HALVES && lanes <= LANES / 2 ? RAGGED_HALF : RAGGED;
    return is_far(p) ? WHOLE_FAR : WHOLE_NEAR;
}

/* Computes a product with no more columns than a tile has. */
static void narrow(const struct ukr_strided *p)
{
    static const unsigned char most[] = STRIDED_ROWS;
    const unsigned last = (unsigned)(p->n - 1) / LANES;
    tiles_fn *const *of_rows = tiles_of[width_of(p)][last];
    if (p->m <= most[last])
        of_rows[p->m - 1](p, 0, 1);
    else
        in_parts(p, of_rows, most[last]);
}

/* Returns the product of columns j..j+n-1. */
INLINE struct ukr_strided columns_of(const struct ukr_strided *p, int64_t j, int64_t n)
{
    struct ukr_strided part = *p;
    part.n = n;
    part.b = (const T *)p->b + j;
    part.c = (T *)p->c + j;
    return part;
}

/* If the rows of B are not whole vectors of 32 bytes, every other vector lies in two cache lines. A
 * load that misses L1 in both takes so long that it is worth prefetching B from L2, except in tiles
 * of few rows, which have no time for it, and unless there are few steps: with 5 to 300 rows, 0.8
 * to 1 of the time on a Zen 4. */
enum { SPLIT_ROWS = sizeof(V) == 32 ? 5 : ROWS_MOST + 1, SPLIT_STEPS = 64 };

static bool ends_in_three(const struct ukr_strided *p);

/* Computes as many whole tiles side by side as there are. Returns their number of columns. */
INLINE int64_t beside(const struct ukr_strided *p, bool far_c)
{
    const int64_t count = p->n / STRIDED_COLS - ends_in_three(p);
    const bool split = p->b_step % LANES != 0 && p->k >= SPLIT_STEPS && is_far(p);
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        if (i >= SPLIT_ROWS && split)                                                              \
            tiles_beside(i <= ROWS_OF(WIDEST) ? i : 1, p, count, FAR, far_c);                      \
        else                                                                                       \
            tiles_beside(i <= ROWS_OF(WIDEST) ? i : 1, p, count, NEAR, far_c);                     \
        break;
    switch (p->m) {
        ALL_ROWS
    }
#undef ROWS
    return count * STRIDED_COLS;
}

/* The widths of tiles of a single row, in vectors. These tiles are wider than all others, so that
 * they have enough sums to cover the latency of a multiply-add, and read pieces of B's rows that
 * are long enough for the hardware prefetchers. If one or two tiles are enough, they may be as wide
 * as the registers allow (BROADEST); with more of them, this is slower. */
enum { BROAD = 8, BROAD_COLS = BROAD * LANES, BROADEST = sizeof(V) == 64 ? 30 : BROAD };
/* The hardware prefetchers can follow this many rows of B at the same time. They also follow a B
 * that one tile reads from beginning to end, if its rows have SEQUENTIAL vectors or more: to
 * prefetch such a B takes the place of loads. On a Zen 5 it takes 0.87 of the time without, from
 * L2. */
enum { STREAMS = 32, SEQUENTIAL = 16 };

/* The factors of the sums and of C. */
struct scales {
    V alpha, beta;
    bool scales, adds;
};

INLINE struct scales scales_of(const struct ukr_strided *p)
{
    const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;
    return (struct scales){broadcast(alpha), broadcast(beta), alpha != 1 || beta != 0, beta != 0};
}

/* Writes a vector of C, or only the lanes of `tail`. */
INLINE void write_sum(const struct scales *s, T *c, V sum, bool ragged, Tail tail)
{
    if (s->adds)
        update(c, sum, ragged, tail, s->alpha, true, s->beta);
    else if (s->scales)
        update(c, sum, ragged, tail, s->alpha, false, s->beta);
    else if (ragged)
        store_tail(c, tail, sum);
    else
        store(c, sum);
}

/* Computes one row of nv vectors and n columns. The last vector has the lanes of `tail` if it is
 * `ragged`. */
INLINE void broad_tile(const struct ukr_strided *p, enum where where, int nv, bool ragged, int n,
                       const T *b, T *c)
{
    const int64_t ahead = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T);
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    const T *a = p->a;
    V sum[BROADEST];
    UNROLLED(v, nv) sum[v] = zero();
    for (int64_t left = p->k; left > 0; left--, a += p->a_step, b += p->b_step) {
        const V ai = broadcast(*a);
        UNROLLED(v, nv)
        {
            if (where != NEAR)
                prefetch_b((const char *)(b + v * LANES) + ahead, where);
            if (ragged && v == nv - 1)
                sum[v] = fmadd_tail(ai, load_tail(b + v * LANES, tail, broadcast(b[n - 1])), sum[v],
                                    tail);
            else
                sum[v] = fmadd(ai, load(b + v * LANES), sum[v]);
        }
    }
    const struct scales scales = scales_of(p);
    UNROLLED(v, nv) write_sum(&scales, c + v * LANES, sum[v], ragged && v == nv - 1, tail);
}

/* Computes whole tiles side by side. Returns their number of columns. */
static __attribute__((noinline)) int64_t broad_beside(const struct ukr_strided *p, bool far)
{
    int64_t j = 0;
    for (; far && j + BROAD_COLS <= p->n; j += BROAD_COLS)
        broad_tile(p, FAR, BROAD, false, BROAD_COLS, (const T *)p->b + j, (T *)p->c + j);
    for (; j + BROAD_COLS <= p->n; j += BROAD_COLS)
        broad_tile(p, NEAR, BROAD, false, BROAD_COLS, (const T *)p->b + j, (T *)p->c + j);
    return j;
}

/* Computes n columns from column j on, which are 3 to BROADEST vectors. With vectors of 64 bytes
 * masks take no time, so there is no separate code for whole vectors. */
static __attribute__((noinline)) void broad(const struct ukr_strided *p, int64_t j, int n, bool far)
{
    const T *b = (const T *)p->b + j;
    T *c = (T *)p->c + j;
#define OF_VECTORS(i, where, ragged) broad_tile(p, where, (i) <= BROADEST ? i : 1, ragged, n, b, c)
#define VECTORS(i)                                                                                 \
    case i:                                                                                        \
        if ((i) > BROADEST)                                                                        \
            break;                                                                                 \
        if (sizeof(V) == 64 || n % LANES != 0)                                                     \
            far ? OF_VECTORS(i, FAR, true) : OF_VECTORS(i, NEAR, true);                            \
        else                                                                                       \
            far ? OF_VECTORS(i, FAR, false) : OF_VECTORS(i, NEAR, false);                          \
        break;
    switch ((n + LANES - 1) / LANES) {
        /* clang-format off */
        VECTORS(3) VECTORS(4) VECTORS(5) VECTORS(6) VECTORS(7) VECTORS(8) VECTORS(9) VECTORS(10)
        VECTORS(11) VECTORS(12) VECTORS(13) VECTORS(14) VECTORS(15) VECTORS(16) VECTORS(17)
        VECTORS(18) VECTORS(19) VECTORS(20) VECTORS(21) VECTORS(22) VECTORS(23) VECTORS(24)
        VECTORS(25) VECTORS(26) VECTORS(27) VECTORS(28) VECTORS(29) VECTORS(30)
        /* clang-format on */
    }
#undef VECTORS
#undef OF_VECTORS
}

/* Two, three or four rows of C in tiles of up to six, four or three vectors of 32 bytes: as many
 * rows of the tiles above have four, six or eight sums. Each sum waits four cycles for a
 * multiply-add, of which a core starts eight in that time. */
enum { HAS_BROAD = sizeof(V) == 32, MOST_BROAD_ROWS = 4, MOST_BROAD_VECTORS = 6, BROAD_SUMS = 12 };
/* With fewer steps, four rows are as fast in the tiles above. */
enum { LEAST_BROAD_STEPS = 16 };

/* Multiplies vectors of B by m rows of A, each as soon as it has been loaded. Two or three rows of
 * A stay in registers, or, with four, the vectors of B do. */
INLINE void broad_rows_step(int m, int nv, int n, enum where where, int64_t ahead, const T *a,
                            int64_t a_row, const T *b, V sum[MOST_BROAD_ROWS][MOST_BROAD_VECTORS])
{
    V row[MOST_BROAD_ROWS], column[MOST_BROAD_VECTORS];
    if (m < MOST_BROAD_ROWS)
        UNROLLED(i, m) row[i] = broadcast(a[i * a_row]);
    UNROLLED(v, nv)
    {
        const T *at = b + (v == nv - 1 ? n - LANES : v * LANES);
        if (where != NEAR)
            prefetch_b((const char *)at + ahead, where);
        column[v] = load(at);
        if (m < MOST_BROAD_ROWS)
            UNROLLED(i, m) sum[i][v] = fmadd(row[i], column[v], sum[i][v]);
    }
    if (m == MOST_BROAD_ROWS) {
        UNROLLED(i, m)
        {
            const V factor = broadcast(a[i * a_row]);
            UNROLLED(v, nv) sum[i][v] = fmadd(factor, column[v], sum[i][v]);
            IN_ORDER();
        }
    }
}

/* Computes m rows of nv vectors and n columns. The last vector ends where the columns end, and
 * overlaps the one before it. */
INLINE void broad_rows_tile(int m, const struct ukr_strided *p, enum where where, int nv, int n,
                            const T *b, T *c)
{
    const int64_t ahead = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T), a_row = p->a_row;
    const T *a = p->a;
    V sum[MOST_BROAD_ROWS][MOST_BROAD_VECTORS];
    UNROLLED(i, m)
    {
        UNROLLED(v, nv) sum[i][v] = zero();
    }
    for (int64_t left = p->k; left > 0; left--, a += p->a_step, b += p->b_step)
        broad_rows_step(m, nv, n, where, ahead, a, a_row, b, sum);
    const struct scales scales = scales_of(p);
    const Tail all = tail_of(LANES);
    UNROLLED(i, m)
    {
        T *row = c + i * p->ldc;
        /* The last vector reads C before the one before it overwrites its first lanes. */
        V last = sum[i][nv - 1];
        if (scales.adds)
            last = fmadd(scales.beta, load(row + n - LANES), mul(scales.alpha, last));
        else if (scales.scales)
            last = mul(scales.alpha, last);
        UNROLLED(v, nv - 1) write_sum(&scales, row + v * LANES, sum[i][v], false, all);
        store(row + n - LANES, last);
    }
}

#define BROAD_ROWS(rows)                                                                           \
    static __attribute__((noinline)) void broad_rows_##rows(const struct ukr_strided *p,           \
                                                            int64_t j, int n, bool far)            \
    {                                                                                              \
        const T *b = (const T *)p->b + j;                                                          \
        T *c = (T *)p->c + j;                                                                      \
        switch ((n + LANES - 1) / LANES) {                                                         \
            BROAD_TILE(rows, 2)                                                                    \
            BROAD_TILE(rows, 3)                                                                    \
            BROAD_TILE(rows, 4)                                                                    \
            BROAD_TILE(rows, 5)                                                                    \
            BROAD_TILE(rows, 6)                                                                    \
        }                                                                                          \
    }
#define BROAD_TILE(rows, v)                                                                        \
    case v:                                                                                        \
        if (rows * v <= BROAD_SUMS)                                                                \
            broad_rows_tile(rows, p, far ? FAR : NEAR, rows *v <= BROAD_SUMS ? v : 2, n, b, c);    \
        break;
BROAD_ROWS(2)
BROAD_ROWS(3)
BROAD_ROWS(4)
#undef BROAD_TILE
#undef BROAD_ROWS

/* Computes up to four rows of nv vectors, in parts of nearly equal numbers of vectors. */
static void broad_rows(const struct ukr_strided *p)
{
    typedef void broad_fn(const struct ukr_strided *product, int64_t j, int n, bool far);
    static broad_fn *const of_rows[] = {broad_rows_2, broad_rows_3, broad_rows_4};
    const bool far = is_far(p);
    const int most = BROAD_SUMS / (int)p->m;
    int64_t left = (p->n + LANES - 1) / LANES, j = 0;
    for (int64_t parts = (left + most - 1) / most; parts > 0; parts--) {
        const int64_t here = left / parts * LANES;
        of_rows[p->m - 2](p, j, (int)(here < p->n - j ? here : p->n - j), far);
        j += here;
        left -= left / parts;
    }
}

/* Whether the last three vectors of an odd number of them are computed in tiles of four rows: a
 * tile of a single vector has six sums, fewer than cover the latency of a multiply-add. Five rows
 * would be three and two. */
enum { LEAST_ROWS_OF_THREE = 6 };
static bool ends_in_three(const struct ukr_strided *p)
{
    return HAS_BROAD && p->m >= LEAST_ROWS_OF_THREE && p->k >= LEAST_BROAD_STEPS &&
           (p->n + LANES - 1) / LANES % 2 == 1;
}

static void last_three(const struct ukr_strided *p)
{
    const int64_t j = ((p->n + LANES - 1) / LANES - 3) * LANES;
    const struct rows_cut cut = cut_rows(p->m, MOST_BROAD_ROWS);
    struct ukr_strided part = columns_of(p, j, p->n - j);
    for (int64_t i = 0, tile = 0; i < p->m; i += part.m, tile++) {
        part.m = cut.rows - (tile >= cut.tall);
        part.a = (const T *)p->a + i * p->a_row;
        part.c = (T *)p->c + i * p->ldc + j;
        broad_rows(&part);
    }
}

/* Computes the columns from j on in tiles with nearly equal numbers of vectors, all rows of each:
 * five vectors are divided into three and two, not four and one. */
static void column_by_column(const struct ukr_strided *p, int64_t j)
{
    int64_t left = (p->n - j + LANES - 1) / LANES;
    const bool three = ends_in_three(p);
    if (three)
        left -= 3;
    for (int64_t parts = (left + WIDEST - 1) / WIDEST; parts > 0; parts--) {
        const int64_t here = left / parts * LANES;
        const struct ukr_strided part = columns_of(p, j, here < p->n - j ? here : p->n - j);
        narrow(&part);
        j += here;
        left -= left / parts;
    }
    if (three)
        last_three(p);
}

/* Computes all columns for the rows of one tile, then for the next ones, so that a large C is
 * written from beginning to end. */
static void row_by_row(const struct ukr_strided *p)
{
    const struct rows_cut cut = cut_rows(p->m, ROWS_OF(WIDEST));
    const bool far_c = p->m * p->n > FAR_C_BYTES / (int64_t)sizeof(T);
    struct ukr_strided part = *p;
    for (int64_t i = 0, tile = 0; i < p->m; i += part.m, tile++) {
        part.m = cut.rows - (tile >= cut.tall);
        part.a = (const T *)p->a + i * p->a_row;
        part.c = (T *)p->c + i * p->ldc;
        column_by_column(&part, beside(&part, far_c));
    }
}

/* With so few steps and such long rows, a C that is larger than L1_C_BYTES is also written from
 * beginning to end. With vectors of 32 bytes a tile is so narrow that the loop over tiles side by
 * side saves much of the time, whatever the size of C is (measured on AMD Zen 3). */
enum {
    NARROW = sizeof(V) == 32,
    SHORT_STEPS = NARROW ? 16 : 8,
    LONG_ROW_BYTES = NARROW ? 512 : 1280,
    L1_C_BYTES = NARROW ? 0 : 24 << 10
};

static bool is_writing(const struct ukr_strided *p)
{
    return p->k <= SHORT_STEPS && p->n * (int64_t)sizeof(T) >= LONG_ROW_BYTES;
}

#include "ukr_row_along.h"

/* Computes one row of more columns than a tile has. In a tile of two vectors, each multiply-add
 * would wait for the one before it. */
static void one_row(const struct ukr_strided *p)
{
    if (is_row_along(p)) {
        row_along(p);
        return;
    }
    int64_t left = (p->n + LANES - 1) / LANES, j = 0;
    const bool whole = left >= SEQUENTIAL && left <= BROADEST && p->b_step - p->n <= 2 * LINE;
    const bool far = is_far(p) && p->k > STREAMS && !whole;
    if (left > 2 * BROADEST || left == BROAD || (BROADEST == BROAD && left > BROAD)) {
        j = broad_beside(p, far);
        left = (p->n - j + LANES - 1) / LANES;
    }
    if (left <= WIDEST) {
        column_by_column(p, j);
        return;
    }
    if (left > BROADEST) {
        broad(p, j, (int)(left / 2 * LANES), far);
        j += left / 2 * LANES;
    }
    broad(p, j, (int)(p->n - j), far);
}

/* Four vectors would be two parts of two. */
INLINE bool is_broad(const struct ukr_strided *p)
{
    return HAS_BROAD && p->m <= MOST_BROAD_ROWS &&
           (p->m < MOST_BROAD_ROWS || (p->k >= LEAST_BROAD_STEPS && (p->n - 1) / LANES != 3));
}

/* Computes a product with more columns than a tile has. */
static __attribute__((noinline)) void wide(const struct ukr_strided *p)
{
    if (p->m == 1)
        one_row(p);
    else if (is_broad(p))
        broad_rows(p);
    else if (p->m <= ROWS_OF(WIDEST))
        column_by_column(p, beside(p, false));
    else if (p->m * p->n <= (is_writing(p) ? L1_C_BYTES : NEAR_C_BYTES) / (int64_t)sizeof(T))
        column_by_column(p, 0);
    else
        row_by_row(p);
}

#include "ukr_few_steps.h"

/* The most rows of a single vector that are computed without a tile, if masks take no time. */
enum { MOST_OF_VECTOR = 8 };

/* Computes m rows of one vector. A tile would advance addresses of rows and prefetch rows of B,
 * which takes a tenth of the time of so small a product. */
INLINE void rows_of_vector(int m, const struct ukr_strided *p)
{
    const Tail tail = tail_of((int)p->n);
    const int64_t a_row = p->a_row, a_step = p->a_step, b_step = p->b_step;
    const T *a = p->a, *b = p->b;
    T *c = p->c;
    V sum[MOST_OF_VECTOR];
    UNROLLED(i, m) sum[i] = zero();
    for (int64_t left = p->k; left > 0; left--, a += a_step, b += b_step) {
        const V bv = load_tail(b, tail, broadcast(*b));
        UNROLLED(i, m) sum[i] = fmadd_tail(broadcast(a[i * a_row]), bv, sum[i], tail);
    }
    const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;
    const V factor = broadcast(alpha), old = broadcast(beta);
    if (beta != 0)
        UNROLLED(i, m) update(c + i * p->ldc, sum[i], true, tail, factor, true, old);
    else if (alpha == 1)
        UNROLLED(i, m) store_tail(c + i * p->ldc, tail, sum[i]);
    else
        UNROLLED(i, m) update(c + i * p->ldc, sum[i], true, tail, factor, false, old);
}

static __attribute__((noinline)) void row_of_vector(const struct ukr_strided *p)
{
    rows_of_vector(1, p);
}

static __attribute__((noinline)) void few_rows_of_vector(const struct ukr_strided *p)
{
    switch (p->m) {
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        rows_of_vector(i, p);                                                                      \
        break;
        ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8)
#undef ROWS
    }
}

static void strided(const struct ukr_strided *p)
{
    if (HAS_MASKS && p->n <= LANES && p->m <= MOST_OF_VECTOR) {
        if (p->m == 1)
            row_of_vector(p);
        else
            few_rows_of_vector(p);
        return;
    }
    if (is_few_steps(p))
        few_steps[p->k - 1](p);
    else if (p->n <= STRIDED_COLS)
        narrow(p);
    else
        wide(p);
}

/* x*y + z, rounded as in update(). */
INLINE T fused(T x, T y, T z)
{
    const V sum = fmadd(broadcast(x), broadcast(y), broadcast(z));
    return sum[0];
}

/* Writes the transpose of `tile`, which has m rows of n sums that have been multiplied by alpha. If
 * m is small it is a constant, so that the inner loop is unrolled. */
INLINE void write_transposed(int64_t m, int64_t n, const T *tile, int64_t width, const T *beta,
                             T *c, int64_t ldc)
{
    const T old = *beta;
    if (old == 0)
        for (int64_t j = 0; j < n; j++, c += ldc)
            for (int64_t i = 0; i < m; i++)
                c[i] = tile[i * width + j];
    else
        for (int64_t j = 0; j < n; j++, c += ldc)
            for (int64_t i = 0; i < m; i++)
                c[i] = fused(old, c[i], tile[i * width + j]);
}

/* The same if beta is 0, in blocks of four columns and four or two rows. */
typedef T Four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
typedef T Two __attribute__((vector_size(2 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Interleaves two rows: elements of 4 bytes pairwise, and elements of 8 bytes within each half of a
 * vector. On any CPU this is one instruction, and the columns of C are then halves of vectors. */
enum { OF_4_BYTES = sizeof(T) == 4 };

INLINE void interleave(const Four row[2], Four pair[2])
{
    pair[0] = OF_4_BYTES ? __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5)
                         : __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    pair[1] = OF_4_BYTES ? __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7)
                         : __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
}

/* The column of C that begins in the lower or upper half of a pair. */
#define COLUMN(pair, upper) (OF_4_BYTES ? 2 * (pair) + (upper) : (pair) + 2 * (upper))

INLINE void write_four(const Four row[4], T *c, int64_t ldc)
{
    Four first[2], last[2];
    interleave(row, first);
    interleave(row + 2, last);
    UNROLLED(x, 2)
    {
        *(Four *)(void *)(c + COLUMN(x, 0) * ldc) =
            __builtin_shufflevector(first[x], last[x], 0, 1, 4, 5);
        *(Four *)(void *)(c + COLUMN(x, 1) * ldc) =
            __builtin_shufflevector(first[x], last[x], 2, 3, 6, 7);
    }
}

INLINE void write_two(const Four row[2], T *c, int64_t ldc)
{
    Four pair[2];
    interleave(row, pair);
    UNROLLED(x, 2)
    {
        *(Two *)(void *)(c + COLUMN(x, 0) * ldc) = __builtin_shufflevector(pair[x], pair[x], 0, 1);
        *(Two *)(void *)(c + COLUMN(x, 1) * ldc) = __builtin_shufflevector(pair[x], pair[x], 2, 3);
    }
}

INLINE void write_block(int m, const T *tile, int64_t width, T *c, int64_t ldc)
{
    Four row[4];
    UNROLLED(i, m) row[i] = *(const Four *)(const void *)(tile + i * width);
    if (m == 4)
        write_four(row, c, ldc);
    else
        write_two(row, c, ldc);
}

/* Fewer than four last columns are written together with some columns before them, a second time,
 * unless those are in another vector: a load of memory that two stores have written waits for both
 * stores. */
INLINE void write_rows(int m, int64_t n, const T *tile, int64_t width, const T *beta, T *c,
                       int64_t ldc)
{
    if (*beta != 0 || n < 4) {
        write_transposed(m, n, tile, width, beta, c, ldc);
        return;
    }
    int64_t left = n;
    for (; left >= 4; left -= 4, tile += 4, c += 4 * ldc)
        write_block(m, tile, width, c, ldc);
    if (left > 0 && n % LANES > 4)
        write_block(m, tile + left - 4, width, c + (left - 4) * ldc, ldc);
    else if (left > 0)
        write_transposed(m, left, tile, width, beta, c, ldc);
}

static __attribute__((noinline)) void write_columns(int64_t m, int64_t n, const T *tile,
                                                    int64_t width, const T *beta, T *c, int64_t ldc)
{
    enum { AT_A_TIME = 4 };
    for (; m >= AT_A_TIME; m -= AT_A_TIME, tile += AT_A_TIME * width, c += AT_A_TIME)
        write_rows(AT_A_TIME, n, tile, width, beta, c, ldc);
    switch (m) {
    case 3:
        write_transposed(3, n, tile, width, beta, c, ldc);
        break;
    case 2:
        write_rows(2, n, tile, width, beta, c, ldc);
        break;
    case 1:
        write_transposed(1, n, tile, width, beta, c, ldc);
        break;
    }
}

/* The number of vectors of the widest tile that has registers for m rows. */
INLINE int vectors_for(int64_t m)
{
    return WIDEST >= 4 && m <= ROWS_OF(4) ? 4 : WIDEST >= 3 && m <= ROWS_OF(3) ? 3 : 2;
}

#include "ukr_direct_columns.h"

/* The most vectors of a row whose sums stay in registers. */
enum { MOST_APART = 8 };

/* Writes the elements of a row of nv vectors `ldc` apart. The vectors are stored whole before: what
 * is stored with a mask can be loaded only when it has reached L1. */
INLINE void write_apart(int nv, const V *row, const struct ukr_strided *p)
{
    T element[MOST_APART * LANES], *c = p->c;
    UNROLLED(v, nv) store(element + v * LANES, row[v]);
    for (int64_t j = 0; j < nv * LANES && j < p->n; j++)
        c[j * p->ldc] = element[j];
}

/* Computes a single row of C of nv vectors whose elements are `ldc` apart, if beta is 0. */
INLINE void apart_of(int nv, const struct ukr_strided *p)
{
    const Tail tail = tail_of((int)p->n - (nv - 1) * LANES);
    const int64_t a_step = p->a_step, b_step = p->b_step;
    const T *a = p->a, *b = p->b;
    V sum[MOST_APART];
    UNROLLED(v, nv) sum[v] = zero();
    for (int64_t left = p->k; left > 0; left--, a += a_step, b += b_step) {
        const V factor = broadcast(*a);
        UNROLLED(v, nv - 1) sum[v] = fmadd(factor, load(b + v * LANES), sum[v]);
        const V last = load_tail(b + (nv - 1) * LANES, tail, broadcast(*b));
        sum[nv - 1] = fmadd_tail(factor, last, sum[nv - 1], tail);
    }
    const V alpha = broadcast(*(const T *)p->alpha);
    UNROLLED(v, nv) sum[v] = mul(alpha, sum[v]);
    write_apart(nv, sum, p);
}

static __attribute__((noinline)) void few_apart(const struct ukr_strided *p)
{
    switch ((p->n + LANES - 1) / LANES) {
#define VECTORS(v)                                                                                 \
    case v:                                                                                        \
        apart_of(v, p);                                                                            \
        break;
        VECTORS(1) VECTORS(2) VECTORS(3) VECTORS(4) VECTORS(5) VECTORS(6) VECTORS(7) VECTORS(8)
#undef VECTORS
    }
}

/* Writes n elements `ldc` apart, four in each iteration. */
INLINE void scatter(int64_t n, const T *element, T *c, int64_t ldc)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, c += 4 * ldc) {
        UNROLLED(x, 4)
        {
            c[x * ldc] = element[i + x];
            IN_ORDER();
        }
    }
    for (; i < n; i++, c += ldc)
        *c = element[i];
}

/* Computes a single row of C whose elements are `ldc` apart, as one that is contiguous: the columns
 * of a strip are computed in a buffer, which holds C before and after. */
static __attribute__((noinline)) void row_apart(const struct ukr_strided *p)
{
    enum { STRIP = (1 << 10) / sizeof(T) };
    T strip[STRIP];
    for (int64_t j = 0; j < p->n; j += STRIP) {
        struct ukr_strided part = columns_of(p, j, p->n - j < STRIP ? p->n - j : STRIP);
        T *c = (T *)p->c + j * p->ldc;
        if (*(const T *)p->beta != 0)
            for (int64_t i = 0; i < part.n; i++)
                strip[i] = c[i * p->ldc];
        part.c = strip;
        strided(&part);
        scatter(part.n, strip, c, p->ldc);
    }
}

/* Each tile is computed in a small buffer, where its rows are contiguous. All rows are multiplied
 * by the columns of B of one tile before the next columns, so that these columns stay in L1. */
static void strided_transposed(const struct ukr_strided *p)
{
    enum { ROWS = ROWS_OF(2), SUMS = MR * NV + NV };
    if (p->m == 1) {
        if (p->ldc == 1) /* C is contiguous already */
            strided(p);
        else if (p->n <= MOST_APART * LANES && *(const T *)p->beta == 0)
            few_apart(p);
        else
            row_apart(p);
        return;
    }
    if (*(const T *)p->beta == 0 && ukr_is_direct(LANES, p->m, p->k)) {
        direct_columns(p);
        return;
    }
    const struct rows_cut cut = cut_rows(p->m, ROWS);
    const int64_t columns = vectors_for(cut.rows) * LANES;
    const T nothing = 0;
    T tile[SUMS * LANES];
    /* The members are copied one by one: most of them were stored just before, and loading them as
     * vectors would have to wait until the stores have reached the cache. */
    int64_t a_row = p->a_row, k = p->k;
    OPAQUE(a_row);
    OPAQUE(k);
    struct ukr_strided part = {.k = k,
                               .alpha = p->alpha,
                               .a_row = a_row,
                               .a_step = p->a_step,
                               .b_step = p->b_step,
                               .beta = &nothing,
                               .c = tile,
                               .ldc = columns};
    for (int64_t j = 0; j < p->n; j += columns) {
        part.n = p->n - j < columns ? p->n - j : columns;
        part.b = (const T *)p->b + j;
        for (int64_t i = 0; i < p->m; i += cut.rows) {
            part.m = p->m - i < cut.rows ? p->m - i : cut.rows;
            part.a = (const T *)p->a + i * p->a_row;
            narrow(&part);
            write_columns(part.m, part.n, tile, columns, p->beta, (T *)p->c + j * p->ldc + i,
                          p->ldc);
        }
    }
}

#include "ukr_few_sums.h"

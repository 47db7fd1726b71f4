/* ukr_in_place.h: `strided`, which multiplies operands that are not packed. It is a part of
 * ukr_tile.h, which includes it. SPDX-License-Identifier: MIT
 *
 * The tiles are those of ukr_tile.h; this file divides a product into them:
 *
 *     at most one vector, few rows    no tile at all (ukr_rows_of_vector.h)
 *     few steps                       no tile either (ukr_few_steps.h)
 *     no wider than a tile            narrow(): tiles one below the other
 *     one to four rows                wide(): tiles of more vectors (ukr_broad.h), or, for one row
 *                                     and a large B, sums in L1 (ukr_row_along.h)
 *     other                           wide(): tiles side by side, and below the next ones */

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

/* Rows of B that are spread over more than this are mostly not in L2, and are prefetched earlier:
 * 0.94 to 0.98 of the time on a Xeon where C has few columns and is computed transposed. */
enum { FAR_B_BYTES = 512 << 10, FAR_ROWS_AHEAD = 12 };

/* The bytes from a row of B to the one that is prefetched. */
INLINE int64_t rows_ahead(const struct ukr_strided *p)
{
    const int64_t row_bytes = p->b_step * (int64_t)sizeof(T);
    return (p->k * row_bytes > FAR_B_BYTES ? FAR_ROWS_AHEAD : ROWS_AHEAD) * row_bytes;
}

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
    struct ahead ahead = {.step = rows_ahead(p)};
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
 * prefetched C_AHEAD elements before it is written, as is a C for whose lines stores wait: on a
 * Xeon with vectors of 64 bytes, 5 to 16 steps and a C in L3 take 0.85 to 0.9 of the time. */
enum { NEAR_C_BYTES = 1 << 20, FAR_C_BYTES = 16 << 20, C_AHEAD = 512 / sizeof(T) };

/* Computes `count` tiles of the widest width side by side. They have all m rows of the product.
 * `where` and far_c say where B and C are. */
INLINE void tiles_beside(int m, const struct ukr_strided *p, int64_t count, enum where where,
                         bool far_c)
{
    const T *alpha = p->alpha, *beta = p->beta, *b = p->b;
    T *c = p->c;
    struct ahead ahead = {.step = rows_ahead(p)};
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

#include "ukr_broad.h"

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
    const bool far_c =
        p->m * p->n > FAR_C_BYTES / (int64_t)sizeof(T) || p->stores_wait == UKR_STORES_WAIT;
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

/* Computes more rows than a tile has, of more columns. */
INLINE void many_rows(const struct ukr_strided *p)
{
    if (p->m * p->n <= (is_writing(p) ? L1_C_BYTES : NEAR_C_BYTES) / (int64_t)sizeof(T))
        column_by_column(p, 0);
    else
        row_by_row(p);
}

/* Computes `end` rows in broad tiles, and those before them in others. */
static __attribute__((noinline)) void many_and_broad_rows(const struct ukr_strided *p, int64_t end)
{
    struct ukr_strided part = *p;
    part.m -= end;
    if (part.m > 0)
        many_rows(&part);
    for (int64_t i = part.m; i < p->m; i += part.m) {
        part.m = p->m - i < MOST_BROAD_ROWS ? p->m - i : MOST_BROAD_ROWS;
        part.a = (const T *)p->a + i * p->a_row;
        part.c = (T *)p->c + i * p->ldc;
        broad_rows(&part);
    }
}

/* Computes a product with more columns than a tile has. */
static __attribute__((noinline)) void wide(const struct ukr_strided *p)
{
    const int64_t end = broad_end(p);
    if (p->m == 1)
        one_row(p);
    else if (is_broad(p))
        broad_rows(p);
    else if (p->m <= ROWS_OF(WIDEST))
        column_by_column(p, beside(p, false));
    else if (end > 0)
        many_and_broad_rows(p, end);
    else
        many_rows(p);
}

#include "ukr_few_steps.h"
#include "ukr_rows_of_vector.h"

static void strided(const struct ukr_strided *p)
{
    if (HAS_MASKS && p->n <= LANES && p->m <= MOST_OF_VECTOR) {
        if (p->m == 1)
            row_of_vector(p);
        else
            few_rows_of_vector(p);
        return;
    }
    if (is_in_strips(p))
        few_in_strips(p);
    else if (is_few_steps(p))
        in_few_steps(p);
    else if (p->n <= STRIDED_COLS)
        narrow(p);
    else if (HAS_WIDE)
        wide(p);
    else
        column_by_column(p, 0);
}

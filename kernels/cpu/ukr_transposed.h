/* ukr_transposed.h: `strided_transposed`, which computes the transpose of C: the rows of the
 * product are the columns of C. It is a part of ukr_tile.h, which includes it.
 * SPDX-License-Identifier: MIT */

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
#include "ukr_row_apart.h"

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
        else if (p->stores_wait == UKR_STORES_WAIT)
            row_far_apart(p);
        else
            row_apart(p);
        return;
    }
    if (*(const T *)p->beta == 0 && ukr_is_direct(LANES, p->m, p->n, p->k)) {
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

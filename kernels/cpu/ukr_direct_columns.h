/* ukr_direct_columns.h: writes C transposed from registers. It is a part of ukr_tile.h, which
 * includes it. SPDX-License-Identifier: MIT
 *
 *     for pairs of vectors of B           they are read again for each group, and stay in L1
 *       for groups of four rows of A      eight sums cover the latency of a multiply-add
 *         multiply, transpose the sums, write
 *
 * Otherwise each tile would be written to a buffer and read back, which takes most of the time if
 * there are few steps. If there are 32 registers, a group has eight rows: each vector of B is
 * loaded half as often, and each store is twice as long. */

/* The rows of A of a group, and the vectors of B of a pair. */
enum { GROUP = UKR_DIRECT_GROUP, PAIR = 2 };
#ifdef __AVX512VL__
enum { LARGE_GROUP = 2 * GROUP };
#include "ukr_eight_rows.h"
#else
enum { LARGE_GROUP = GROUP };
INLINE void write_eight(const V *row, int64_t count, T *c, int64_t ldc)
{
    (void)row, (void)count, (void)c, (void)ldc;
}
#endif

/* Lanes 4q to 4q+3 of a vector. */
#define LANES_FROM(x, q)                                                                           \
    __builtin_shufflevector(x, x, (4 * (q)) % LANES, (4 * (q) + 1) % LANES, (4 * (q) + 2) % LANES, \
                            (4 * (q) + 3) % LANES)
INLINE void quarter_of(const V *x, int q, Four *to)
{
    *to = q == 0   ? LANES_FROM(*x, 0)
          : q == 1 ? LANES_FROM(*x, 1)
          : q == 2 ? LANES_FROM(*x, 2)
                   : LANES_FROM(*x, 3);
}

/* Writes the transpose of m rows of four elements, of which `count` columns are written; m is 2, 3
 * or 4. */
INLINE void write_columns_of(int m, const Four row[GROUP], int64_t count, T *c, int64_t ldc)
{
    Four first[2], last[2];
    interleave(row, first);
    interleave(row + 2, last);
    UNROLLED(column, 4)
    {
        if (column >= count)
            return;
        const int pair = OF_4_BYTES ? column / 2 : column % 2;
        const bool upper = OF_4_BYTES ? column % 2 : column / 2;
        const Four whole = upper ? __builtin_shufflevector(first[pair], last[pair], 2, 3, 6, 7)
                                 : __builtin_shufflevector(first[pair], last[pair], 0, 1, 4, 5);
        T *to = c + column * ldc;
        if (m == 4) {
            *(Four *)(void *)to = whole;
        } else {
            *(Two *)(void *)to = __builtin_shufflevector(whole, whole, 0, 1);
            if (m == 3)
                to[2] = whole[2];
        }
    }
}

/* Writes the transpose of m vectors of sums, of which `count` lanes are written. */
INLINE void write_sums(int m, const V sum[LARGE_GROUP], int64_t count, T *c, int64_t ldc)
{
    if (m > GROUP) {
        write_eight(sum, count, c, ldc);
        return;
    }
    UNROLLED(q, LANES / 4)
    {
        Four row[GROUP];
        UNROLLED(i, GROUP) quarter_of(&sum[i < m ? i : m - 1], q, &row[i]);
        if (count >= 4 * q + 4)
            write_columns_of(m, row, 4, c + 4 * q * ldc, ldc);
        else if (count > 4 * q)
            write_columns_of(m, row, count - 4 * q, c + 4 * q * ldc, ldc);
    }
}

/* Multiplies m rows of A by nv vectors of B, of which the last one has `count` lanes. */
INLINE void direct_group(int m, int nv, bool ragged, int64_t count, const struct ukr_strided *p,
                         const T *a, const T *b, T *c)
{
    const Tail tail = tail_of(ragged ? (int)count : LANES);
    const T alpha = *(const T *)p->alpha;
    const int64_t a_row = p->a_row, a_step = p->a_step, b_step = p->b_step;
    V sum[PAIR][LARGE_GROUP];
    UNROLLED(v, nv)
    {
        UNROLLED(i, m) sum[v][i] = zero();
    }
    /* A second base: with one pointer for each of eight rows, some would not be in registers. */
    const T *upper = a + (m > GROUP ? GROUP * a_row : 0);
    OPAQUE(upper);
    for (int64_t left = p->k; left > 0; left--, a += a_step, upper += a_step, b += b_step) {
        V bv[PAIR];
        UNROLLED(v, nv)
        bv[v] = ragged && v == nv - 1 ? load_tail(b + v * LANES, tail, broadcast(b[v * LANES]))
                                      : load(b + v * LANES);
        UNROLLED(i, m)
        {
            const V ai = broadcast(i < GROUP ? a[i * a_row] : upper[(i - GROUP) * a_row]);
            UNROLLED(v, nv)
            sum[v][i] = ragged && v == nv - 1 ? fmadd_tail(ai, bv[v], sum[v][i], tail)
                                              : fmadd(ai, bv[v], sum[v][i]);
        }
    }
    if (alpha != 1) {
        const V factor = broadcast(alpha);
        UNROLLED(v, nv)
        {
            UNROLLED(i, m) sum[v][i] = mul(factor, sum[v][i]);
        }
    }
    UNROLLED(v, nv)
    write_sums(m, sum[v], v == nv - 1 ? count : LANES, c + v * LANES * p->ldc, p->ldc);
}

/* Multiplies all rows of A by nv vectors of B from column j on. If the last group has too few rows,
 * it is moved up, and some rows are computed a second time. */
INLINE void direct_rows(int nv, bool ragged, int64_t count, const struct ukr_strided *p, int64_t j)
{
    const T *a = p->a, *b = (const T *)p->b + j;
    T *c = (T *)p->c + j * p->ldc;
    if (p->m == 2) {
        direct_group(2, nv, ragged, count, p, a, b, c);
        return;
    }
    if (p->m == 3) {
        direct_group(3, nv, ragged, count, p, a, b, c);
        return;
    }
    int64_t i = 0;
    for (; (int)LARGE_GROUP > (int)GROUP && i + LARGE_GROUP <= p->m; i += LARGE_GROUP)
        direct_group(LARGE_GROUP, nv, ragged, count, p, a + i * p->a_row, b, c + i);
    const int64_t rest = p->m - i;
    if ((int)LARGE_GROUP > (int)GROUP && i > 0 && rest > GROUP) {
        i = p->m - LARGE_GROUP;
        direct_group(LARGE_GROUP, nv, ragged, count, p, a + i * p->a_row, b, c + i);
        return;
    }
    while (i < p->m) {
        i = i + GROUP > p->m ? p->m - GROUP : i;
        direct_group(GROUP, nv, ragged, count, p, a + i * p->a_row, b, c + i);
        i += GROUP;
    }
}

static __attribute__((noinline)) void direct_columns(const struct ukr_strided *p)
{
    int64_t j = 0;
    for (; j + PAIR * LANES <= p->n; j += PAIR * LANES)
        direct_rows(PAIR, false, LANES, p, j);
    if (j + LANES < p->n)
        direct_rows(PAIR, true, p->n - j - LANES, p, j);
    else if (j + LANES == p->n)
        direct_rows(1, false, LANES, p, j);
    else if (j < p->n)
        direct_rows(1, true, p->n - j, p, j);
}

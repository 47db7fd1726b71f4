/* ukr_rows_of_vector.h: up to eight rows of C that are no wider than one vector, without a tile. It
 * is a part of ukr_tile.h. SPDX-License-Identifier: MIT */

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

/* ukr_row_apart.h: a single row of sums whose elements are far apart in C: a column of a row-major
 * C. It is a part of ukr_tile.h. SPDX-License-Identifier: MIT */

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

/* ukr_row_apart.h: a single row of sums whose elements are far apart in C: a column of a row-major
 * C. It is a part of ukr_tile.h. SPDX-License-Identifier: MIT */

/* The most vectors of a row whose sums stay in registers. */
enum { MOST_APART = 8 };

/* Writes n elements `ldc` apart. Four are loaded at a time: to load and store each by itself takes
 * three times as long on a Zen 5. */
INLINE void scatter(int64_t n, const T *element, T *c, int64_t ldc)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, c += 4 * ldc) {
        const Four four = *(const Four *)(const void *)(element + i);
        UNROLLED(x, 4) c[x * ldc] = four[x];
    }
    for (; i < n; i++, c += ldc)
        *c = element[i];
}

/* Writes the elements of a row of nv vectors `ldc` apart. The vectors are stored whole before: what
 * is stored with a mask can be loaded only when it has reached L1. */
INLINE void write_apart(int nv, const V *row, const struct ukr_strided *p)
{
    T element[MOST_APART * LANES];
    UNROLLED(v, nv) store(element + v * LANES, row[v]);
    scatter(p->n < nv * LANES ? p->n : nv * LANES, element, p->c, p->ldc);
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

/* The same of sums that are multiplied by alpha, and to which C multiplied by beta is added. */
static __attribute__((noinline)) void scatter_scaled(const struct ukr_strided *p, int64_t n,
                                                     const T *sum, T *c)
{
    const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;
    for (int64_t i = 0; i < n; i++, c += p->ldc)
        *c = beta == 0 ? alpha * sum[i] : fused(beta, *c, alpha * sum[i]);
}

/* Computes a single row of C whose elements are `ldc` apart: the sums of a strip of at most `most`
 * columns are computed in a buffer, where they are contiguous. */
INLINE void strips_apart(const struct ukr_strided *p, int64_t most, T *strip)
{
    const bool plain = *(const T *)p->alpha == 1 && *(const T *)p->beta == 0;
    const T one = 1, nothing = 0;
    for (int64_t j = 0; j < p->n; j += most) {
        struct ukr_strided part = columns_of(p, j, p->n - j < most ? p->n - j : most);
        T *c = (T *)p->c + j * p->ldc;
        part.alpha = &one;
        part.beta = &nothing;
        part.c = strip;
        strided(&part);
        if (plain)
            scatter(part.n, strip, c, p->ldc);
        else
            scatter_scaled(p, part.n, strip, c);
    }
}

/* Wide strips read long pieces of B's rows from L2; from farther away narrow ones take 0.7 to 0.9
 * of the time on a Zen 5. */
static __attribute__((noinline)) void row_apart(const struct ukr_strided *p)
{
    enum { STRIP = (2 << 10) / sizeof(T), NARROW_STRIP = STRIP / 2 };
    const bool near = p->k * p->n <= ALONG_KB_BYTES / (int64_t)sizeof(T);
    T strip[STRIP];
    strips_apart(p, near ? STRIP : NARROW_STRIP, strip);
}

/* Where L3 is far (UKR_STORES_WAIT), the longest pieces that the stack has memory for take 0.85 of
 * the time of narrow strips. */
static __attribute__((noinline)) void row_far_apart(const struct ukr_strided *p)
{
    enum { LONG_STRIP = (4 << 10) / sizeof(T) };
    T strip[LONG_STRIP];
    strips_apart(p, LONG_STRIP, strip);
}

/* ukr_dots.h: dot products of rows with rows, once for all instruction sets. SPDX-License-Identifier:
 * MIT
 *
 * To be included after ukr_tile.h. It gives `dots`, the third function of a struct ukr (ukr.h). The
 * vectors run along k, where both
 * operands lie side by side; each sum of the tile is a vector of LANES partial sums:
 *
 *                       B: DOTS_COLS rows      b0 b1 ... b7      one load each
 *     A: DOTS_ROWS rows   a0                  s00 s01 ... s07    += a0*b0, a0*b1 ...
 *                         a1                  s10 s11 ... s17
 *                         a2                  s20 s21 ... s27
 *
 * 3 x 8 in AVX-512: 11 loads feed 24 multiply-adds. */
enum { DOTS_ROWS = 3, DOTS_COLS = MR * NV >= 24 ? 8 : 4 };
/* A comes from memory: it is asked for this many elements on. */
enum { DOTS_AHEAD = 512 / sizeof(T) };

INLINE T sum_of(V v)
{
    T lanes[LANES];
    store(lanes, v);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    return lanes[0];
}

/* m and n are constants wherever this is inlined. The order of adding goes by k alone. */
INLINE void dots_tile(int m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                      const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    V sum[DOTS_ROWS][DOTS_COLS];
    UNROLLED(i, m)
    {
        UNROLLED(j, n) sum[i][j] = zero();
    }
    const int64_t whole = k / LANES * LANES;
    for (int64_t p = 0; p < whole; p += LANES) {
        V av[DOTS_ROWS];
        UNROLLED(i, m)
        {
            av[i] = load(a + i * a_row + p);
            __builtin_prefetch(a + i * a_row + p + DOTS_AHEAD, 0, 3);
        }
        UNROLLED(j, n)
        {
            const V bv = load(b + j * b_row + p);
            UNROLLED(i, m) sum[i][j] = fmadd(av[i], bv, sum[i][j]);
        }
    }
    if (whole < k) {
        const Tail tail = tail_of((int)(k - whole));
        UNROLLED(i, m)
        {
            const V av = load_tail(a + i * a_row + whole, tail, zero());
            UNROLLED(j, n)
            {
                const V bv = load_tail(b + j * b_row + whole, tail, zero());
                sum[i][j] = fmadd(av, bv, sum[i][j]);
            }
        }
    }
    UNROLLED(i, m)
    {
        UNROLLED(j, n)
        {
            T *to = c + i * c_row + j * c_col;
            const T x = *alpha * sum_of(sum[i][j]);
            *to = *beta == 0 ? x : *beta * *to + x;
        }
    }
}

#define DOTS(cols)                                                                                 \
    case cols:                                                                                     \
        dots_tile(m, cols <= DOTS_COLS ? cols : 1, k, alpha, a, a_row, b, b_row, beta, c, c_row,   \
                  c_col);                                                                          \
        break;

INLINE void dots_of(int m, int64_t n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                    const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    switch (n) {
        /* clang-format off */
        DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7) DOTS(8)
        /* clang-format on */
    }
}

static void dots(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int64_t a_row,
                 const void *b, int64_t b_row, const void *beta, void *c, int64_t c_row,
                 int64_t c_col)
{
    if (m == DOTS_ROWS) {
        dots_of(DOTS_ROWS, n, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);
        return;
    }
    for (int64_t i = 0; i < m; i++)
        dots_of(1, n, k, alpha, (const T *)a + i * a_row, a_row, b, b_row, beta, (T *)c + i * c_row,
                c_row, c_col);
}

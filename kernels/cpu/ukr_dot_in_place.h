/* ukr_dot_in_place.h: products of short types whose operands are read in place, for AVX-512.
 * SPDX-License-Identifier: MIT
 *
 * A micro-kernel's file includes this after ukr_dot.h. In addition to what ukr_dot.h needs, it
 * defines before that:
 *
 *     ELEMENT                           bytes of an element: 4 / STEPS
 *     gathered(b, step, steps, tail)    the units of the lanes in `tail`, interleaved from `steps`
 *                                       rows of B that are `step` bytes apart; the others are 0
 *     run_of(p, bytes)                  64 bytes along k, of which the first `bytes` are read; the
 *                                       others are 0
 *     flipped(u, mask)                  the exclusive or of u and `mask`
 *     scaled(alpha, x, start, beta, c)  *c = alpha * (x + start) + beta * *c, which is not read if
 *                                       beta is 0
 *
 * This file then defines `in_place` and `dots`, functions of a struct ukr. The sums of `in_place`
 * are added in the same order as those of packed panels, unit by unit, and have the same bits. */

enum { WIDE = 8, WIDE_ROWS = 2 };

/* A unit of `steps` elements along k of a row of A. */
INLINE int32_t gathered_unit(const char *a, int64_t a_step, int64_t steps)
{
    uint32_t unit_bits = 0;
    UNROLLED(s, STEPS)
    {
        uint32_t element_bits = 0;
        if (s < steps)
            memcpy(&element_bits, a + s * a_step, ELEMENT);
        unit_bits |= element_bits << s * ELEMENT * 8;
    }
    return (int32_t)unit_bits;
}

/* Multiplies one unit, and adds to the sums. `steps` is a constant, except in the last unit. */
INLINE void multiply_unit(int m, int nv, V *sum, int64_t steps, bool whole_rows, const char *a,
                          int64_t a_row, int64_t a_step, const char *b, int64_t b_step,
                          int32_t flip, Tail tail)
{
    U bv[WIDE];
    UNROLLED(v, nv)
    {
        const Tail lanes = v == nv - 1 ? tail : tail_of(LANES);
        bv[v] = flipped(gathered(b + v * LANES * ELEMENT, b_step, steps, lanes), flip);
    }
    UNROLLED(i, m)
    {
        const char *row = a + i * a_row;
        const int32_t bits = gathered_unit(row, a_step, steps);
        const U ai = whole_rows ? unit(row) : unit((const char *)&bits);
        UNROLLED(v, nv) sum[i * nv + v] = dot(sum[i * nv + v], ai, bv[v]);
    }
}

/* Computes m rows of nv vectors, as in ukr_dot.h. */
INLINE void tile_in_place(int m, int nv, bool whole_rows, int n, int64_t k, const S *alpha,
                          const char *a, int64_t a_row, int64_t a_step, const S *starts,
                          int64_t start_step, const char *b, int64_t b_step, int32_t flip,
                          const S *beta, S *c, int64_t ldc)
{
    const Tail tail = tail_of(n - (nv - 1) * LANES);
    const V factor = broadcast(*alpha), old = broadcast(*beta);
    const bool plain = *alpha == 1 && *beta == 0, add = *beta != 0;
    V sum[MR * NV > WIDE_ROWS * WIDE ? MR * NV : WIDE_ROWS * WIDE];
    UNROLLED(i, m)
    {
        UNROLLED(v, nv) sum[i * nv + v] = broadcast(starts[i * start_step]);
    }
    int64_t p = 0;
    for (; p + STEPS <= k; p += STEPS, a += STEPS * a_step, b += STEPS * b_step)
        multiply_unit(m, nv, sum, STEPS, whole_rows, a, a_row, a_step, b, b_step, flip, tail);
    if (p < k)
        multiply_unit(m, nv, sum, k - p, false, a, a_row, a_step, b, b_step, flip, tail);
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            S *to = c + v * LANES;
            const Tail lanes = v == nv - 1 ? tail : tail_of(LANES);
            V x = plain ? sum[i * nv + v] : mul(factor, sum[i * nv + v]);
            if (add)
                x = madd(old, load_tail(to, lanes), x);
            store_tail(to, lanes, x);
        }
        c += ldc;
    }
}

#define IN_PLACE(i, vectors)                                                                       \
    case i:                                                                                        \
        if (a_step == ELEMENT)                                                                     \
            tile_in_place(i, vectors, true, n, k, alpha, a, a_row, ELEMENT, starts, start_step, b, \
                          b_step, flip, beta, c, ldc);                                             \
        else                                                                                       \
            tile_in_place(i, vectors, false, n, k, alpha, a, a_row, a_step, starts, start_step, b, \
                          b_step, flip, beta, c, ldc);                                             \
        break;

/* There is code for each number of rows. */
#define ROWS_OF(vectors)                                                                           \
    static __attribute__((noinline)) void in_place_##vectors(                                      \
        int m, int n, int64_t k, const S *alpha, const char *a, int64_t a_row, int64_t a_step,     \
        const S *starts, int64_t start_step, const char *b, int64_t b_step, int32_t flip,          \
        const S *beta, S *c, int64_t ldc)                                                          \
    {                                                                                              \
        switch (m) {                                                                               \
            IN_PLACE(1, vectors)                                                                   \
            IN_PLACE(2, vectors)                                                                   \
            IN_PLACE(3, vectors)                                                                   \
            IN_PLACE(4, vectors)                                                                   \
            IN_PLACE(5, vectors)                                                                   \
            IN_PLACE(6, vectors)                                                                   \
            IN_PLACE(7, vectors)                                                                   \
            IN_PLACE(8, vectors)                                                                   \
            IN_PLACE(9, vectors)                                                                   \
        }                                                                                          \
    }

ROWS_OF(1)
ROWS_OF(2)
ROWS_OF(3)

/* Tiles of one or two rows are as wide as the registers allow, so that long pieces of B's rows are
 * read. */
static __attribute__((noinline)) void in_place_wide(int m, int n, int64_t k, const S *alpha,
                                                    const char *a, int64_t a_row, int64_t a_step,
                                                    const S *starts, int64_t start_step,
                                                    const char *b, int64_t b_step, int32_t flip,
                                                    const S *beta, S *c, int64_t ldc)
{
    switch (m) {
        IN_PLACE(1, WIDE)
        IN_PLACE(2, WIDE)
    }
}

static void in_place(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                     int64_t a_row, int64_t a_step, const void *starts, int64_t start_step,
                     const void *b, int64_t b_step, int32_t flip, const void *beta, void *c,
                     int64_t ldc)
{
    const char *at = b;
    S *to = c;
    while (n > 0) {
        const bool wide = m <= WIDE_ROWS && n > (WIDE - 1) * LANES;
        const int64_t most = wide ? WIDE * LANES : NR;
        const int here = (int)(n < most ? n : most), nv = (here + LANES - 1) / LANES;
        (wide      ? in_place_wide
         : nv == 1 ? in_place_1
         : nv == 2 ? in_place_2
                   : in_place_3)((int)m, here, k, alpha, a, a_row, a_step, starts, start_step, at,
                                 b_step, flip, beta, to, ldc);
        at += here * ELEMENT, to += here, n -= here;
    }
}

/* Adds the lanes of each of x[0] to x[7]. Each step adds neighbouring lanes and combines two
 * vectors into one, so that all eight sums take 16 shuffles. */
INLINE void eight_sums(const V x[8], S sums[8])
{
    typedef S Sums __attribute__((vector_size(64)));
    typedef S Half __attribute__((vector_size(32)));
    Sums pair[4], four[2];
    UNROLLED(i, 4)
    {
        const Sums even = (Sums)x[2 * i], odd = (Sums)x[2 * i + 1];
        pair[i] = __builtin_shufflevector(even, odd, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12,
                                          28, 13, 29) +
                  __builtin_shufflevector(even, odd, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14,
                                          30, 15, 31);
    }
    UNROLLED(i, 2)
    four[i] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 0, 1, 16, 17, 4, 5, 20, 21, 8,
                                      9, 24, 25, 12, 13, 28, 29) +
              __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 2, 3, 18, 19, 6, 7, 22, 23, 10,
                                      11, 26, 27, 14, 15, 30, 31);
    const Sums eight = __builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18,
                                               19, 20, 21, 22, 23) +
                       __builtin_shufflevector(four[0], four[1], 8, 9, 10, 11, 12, 13, 14, 15, 24,
                                               25, 26, 27, 28, 29, 30, 31);
    const Half all = __builtin_shufflevector(eight, eight, 0, 1, 2, 3, 8, 9, 10, 11) +
                     __builtin_shufflevector(eight, eight, 4, 5, 6, 7, 12, 13, 14, 15);
    memcpy(sums, &all, sizeof all);
}

/* Computes the dot products of one row of A with `count` rows of B. Only n of these rows exist, at
 * most 8; the last one takes the place of the others. */
INLINE void dots_of(int count, int64_t n, int64_t k, const char *a, const char *b, int64_t b_row,
                    int32_t flip, S sums[8])
{
    enum { RUN = LANES * 4, EIGHT = 8 };
    V sum[EIGHT];
    const char *rows_of_b[EIGHT];
    UNROLLED(j, EIGHT)
    {
        sum[j] = broadcast(0);
        rows_of_b[j] = b + (j < n ? j : n - 1) * b_row;
    }
    const int64_t bytes = k * ELEMENT;
    int64_t at = 0;
    for (; at + RUN <= bytes; at += RUN) {
        const U av = units(a + at);
        UNROLLED(j, count)
        sum[j] = dot(sum[j], av, flipped(units(rows_of_b[j] + at), flip));
    }
    if (at < bytes) {
        const U av = run_of(a + at, bytes - at);
        UNROLLED(j, count)
        sum[j] = dot(sum[j], av, flipped(run_of(rows_of_b[j] + at, bytes - at), flip));
    }
    eight_sums(sum, sums);
}

static void dots(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int64_t a_row,
                 const void *starts, int64_t start_step, const void *b, int64_t b_row, int32_t flip,
                 const void *beta, void *c, int64_t c_row, int64_t c_col)
{
    enum { FOUR = 4, EIGHT = 8 };
    const S *from = starts;
    for (int64_t j = 0; j < n; j += EIGHT)
        for (int64_t i = 0; i < m; i++) {
            const char *row = (const char *)a + i * a_row, *rows_of_b = (const char *)b + j * b_row;
            const int64_t here = n - j < EIGHT ? n - j : EIGHT;
            S sums[EIGHT], *to = (S *)c + i * c_row + j * c_col;
            if (here == 1)
                dots_of(1, here, k, row, rows_of_b, b_row, flip, sums);
            else if (here <= FOUR)
                dots_of(FOUR, here, k, row, rows_of_b, b_row, flip, sums);
            else
                dots_of(EIGHT, here, k, row, rows_of_b, b_row, flip, sums);
            for (int64_t x = 0; x < here; x++, to += c_col)
                scaled(*(const S *)alpha, sums[x], from[i * start_step], *(const S *)beta, to);
        }
}

/* ukr_dots.h: dot products of rows with rows, once for all instruction sets.
 * SPDX-License-Identifier: MIT
 *
 * It is included after ukr_tile.h, and needs in addition
 *
 *     sum_of(v)              the sum of its lanes
 *
 * It gives `dots`, a function of a struct ukr (ukr.h). The vectors run along k, where both
 * operands are contiguous; each sum of the tile is a vector of LANES partial sums:
 *
 *                       B: up to 8 rows        b0 b1 ... b7      one load each
 *     A: up to 3 rows      a0                  s00 s01 ... s07    += a0*b0, a0*b1 ...
 *                          a1                  s10 s11 ... s17
 *                          a2                  s20 s21 ... s27
 *
 * 3 x 8 in AVX-512: 11 loads feed 24 multiply-adds. 16 registers hold 3 x 4, and more rows of B
 * take two passes over A, which comes from memory in the first and from L1 in the second. */
enum { DOTS_ROWS = 3, DOTS_COLS = 8, DOTS_WIDE = MR * NV >= 24 ? 8 : 4 };
/* A is prefetched this many elements ahead. */
enum { DOTS_AHEAD = 2048 / sizeof(T) };

/* Prevents a compiler from loading a vector again for each use. */
#if defined(__x86_64__)
#define ONE_LOAD(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define ONE_LOAD(v) __asm__("" : "+w"(v))
#else
#define ONE_LOAD(v) (void)(v)
#endif

/* m, n and `passes` are constants wherever this is inlined. The elements of each row of A that are
 * `ahead` elements further are prefetched; in the first of two passes, the first half of them. */
INLINE void dots_steps(int m, int n, V sums[DOTS_ROWS][DOTS_WIDE], int64_t begin, int64_t end,
                       const T *a, int64_t a_row, const T *b, int64_t b_row, int64_t ahead,
                       int passes)
{
    for (int64_t p = begin; p < end; p += LANES) {
        V av[DOTS_ROWS];
        UNROLLED(i, m)
        {
            av[i] = load(a + i * a_row + p);
            __builtin_prefetch(a + i * a_row + p / passes + ahead, 0, 3);
        }
        UNROLLED(j, n)
        {
            V bv = load(b + j * b_row + p);
            if (m > 1)
                ONE_LOAD(bv);
            UNROLLED(i, m) sums[i][j] = fmadd(av[i], bv, sums[i][j]);
        }
    }
}

/* Near the end of the rows, the next rows are prefetched; with two passes, all the time. The order
 * of the additions depends on k alone. */
INLINE void dots_tile(int m, int n, int pass, int passes, int64_t k, const T *alpha, const T *a,
                      int64_t a_row, const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row,
                      int64_t c_col)
{
    V sums[DOTS_ROWS][DOTS_WIDE];
    UNROLLED(i, m)
    {
        UNROLLED(j, n) sums[i][j] = zero();
    }
    const int64_t whole = k / LANES * LANES;
    const int64_t turn = passes == 1 && whole > DOTS_AHEAD ? whole - DOTS_AHEAD : 0;
    if (passes == 1)
        dots_steps(m, n, sums, 0, turn, a, a_row, b, b_row, DOTS_AHEAD, 1);
    dots_steps(m, n, sums, turn, whole, a, a_row, b, b_row,
               m * a_row - turn + whole * pass / passes, passes);
    if (whole < k) {
        const Tail tail = tail_of((int)(k - whole));
        UNROLLED(i, m)
        {
            const V av = load_tail(a + i * a_row + whole, tail, zero());
            UNROLLED(j, n)
            {
                const V bv = load_tail(b + j * b_row + whole, tail, zero());
                sums[i][j] = fmadd(av, bv, sums[i][j]);
            }
        }
    }
    UNROLLED(i, m)
    {
        UNROLLED(j, n)
        {
            T *to = c + i * c_row + j * c_col;
            const T x = *alpha * sum_of(sums[i][j]);
            *to = *beta == 0 ? x : *beta * *to + x;
        }
    }
}

INLINE void dots_row(int m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row, const T *b,
                     int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    const int passes = n <= DOTS_WIDE ? 1 : 2, wide = (n + passes - 1) / passes;
    dots_tile(m, wide, 0, passes, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);
    if (passes == 2)
        dots_tile(m, n - wide, 1, passes, k, alpha, a, a_row, b + wide * b_row, b_row, beta,
                  c + wide * c_col, c_row, c_col);
}

INLINE void dots_of(int64_t m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                    const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    if (m == DOTS_ROWS) {
        dots_row(DOTS_ROWS, n, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);
        return;
    }
    for (int64_t i = 0; i < m; i++)
        dots_row(1, n, k, alpha, a + i * a_row, a_row, b, b_row, beta, c + i * c_row, c_row, c_col);
}

static void dots(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int64_t a_row,
                 const void *b, int64_t b_row, const void *beta, void *c, int64_t c_row,
                 int64_t c_col)
{
#define DOTS(cols)                                                                                 \
    case cols:                                                                                     \
        dots_of(m, cols, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);                     \
        break;
    switch (n) {
        /* clang-format off */
        DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7) DOTS(8)
        /* clang-format on */
    }
#undef DOTS
}

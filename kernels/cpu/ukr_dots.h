/* ukr_dots.h: dot products of rows with rows, written once for all instruction sets.
 * SPDX-License-Identifier: MIT
 *
 * It is included after ukr_tile.h, and needs in addition
 *
 *     sums_of_4(a, b, c, d, to)   to[0] = the sum of the lanes of a, and so on; the order of the
 *                                 additions is the same for each of the four
 *
 * It defines `dots` and `few_dots`, functions of a struct ukr (ukr.h). The vectors run along k, in
 * which both operands are contiguous; each sum of the tile is a vector of LANES partial sums:
 *
 *                       B: up to 8 rows        b0 b1 ... b3      one load each
 *     A: up to 8 rows      a0                  s00 s01 ... s03    += a0*b0, a0*b1 ...
 *                          a1                  s10 s11 ... s13
 *                          ...
 *
 * A tile has as many rows of A as there are registers for their sums. Each vector of B is then
 * loaded the fewest times, and there are enough independent sums to cover the latency of a
 * multiply-add. The remaining rows are computed by tiles of 4, 2 and 1 rows. */
/* The largest number of columns of a tile, and the registers for sums. The other registers are for
 * vectors of A and one vector of B. */
enum { DOTS_WIDE = MR * NV >= 24 ? 8 : 4, DOTS_SUMS = MR * NV >= 24 ? 24 : 11 };
enum { DOTS_WIDE_OF_4 = DOTS_SUMS / 4 < DOTS_WIDE ? DOTS_SUMS / 4 : DOTS_WIDE };
#define DOTS_ROWS(n) ((n)*8 <= DOTS_SUMS ? 8 : (n)*4 <= DOTS_SUMS ? 4 : 3)

/* A matrix that fits into L2 but not into L1, with rows of up to DOTS_SHORT_BYTES, is multiplied by
 * a single column in tiles of four rows. Each tile then begins near the end of the one before it,
 * to which the hardware prefetchers have advanced. This was measured on an AMD Zen 4. For float it
 * is no faster, because there are half as many steps for each sum whose lanes are added. */
enum { DOTS_SHORT_BYTES = 1536, DOTS_LEAST_BYTES = 32 << 10, DOTS_MOST_BYTES = 512 << 10 };

INLINE bool dots_are_by_four(int64_t m, int64_t k)
{
    const int64_t row_bytes = k * (int64_t)sizeof(T);
    return sizeof(V) == 64 && sizeof(T) == 8 && row_bytes <= DOTS_SHORT_BYTES &&
           m * row_bytes > DOTS_LEAST_BYTES && m * row_bytes <= DOTS_MOST_BYTES;
}

/* One step: the vectors of one operand stay in registers while those of the other one are loaded.
 * The sum of row x of the former and row y of the latter is sums[x * stay_sum + y * pass_sum]. */
INLINE void dots_step(int stay, int pass, int stay_sum, int pass_sum, V *sums, const T *s,
                      int64_t s_row, const T *p, int64_t p_row)
{
    V sv[8];
    UNROLLED(x, stay)
    {
        sv[x] = load(s + x * s_row);
        if (pass > 1)
            ONE_LOAD(sv[x]);
    }
    UNROLLED(y, pass)
    {
        V pv = load(p + y * p_row);
        if (stay > 1)
            ONE_LOAD(pv);
        UNROLLED(x, stay)
        {
            V *sum = &sums[x * stay_sum + y * pass_sum];
            *sum = fmadd(sv[x], pv, *sum);
        }
    }
}

/* m and n are constants wherever this is inlined. The operand with fewer rows stays in registers:
 * for a tile of eight by three there would not be enough registers otherwise. Nothing is
 * prefetched, because the hardware prefetchers follow the rows of a tile as fast, and the load
 * units are free for the tile. */
INLINE void dots_steps(int m, int n, V *sums, int64_t whole, const T *a, int64_t a_row, const T *b,
                       int64_t b_row)
{
    for (int64_t p = 0; p < whole; p += LANES) {
        if (m <= n)
            dots_step(m, n, n, 1, sums, a + p, a_row, b + p, b_row);
        else
            dots_step(n, m, 1, n, sums, b + p, b_row, a + p, a_row);
    }
}

/* The last steps, fewer than a vector has lanes. The other lanes of both operands are zero. */
INLINE void dots_tail(int m, int n, V *sums, int64_t left, const T *a, int64_t a_row, const T *b,
                      int64_t b_row)
{
    const Tail tail = tail_of((int)left);
    V av[8];
    UNROLLED(i, m) av[i] = load_tail(a + i * a_row, tail, zero());
    UNROLLED(j, n)
    {
        const V bv = load_tail(b + j * b_row, tail, zero());
        UNROLLED(i, m) sums[i * n + j] = fmadd(av[i], bv, sums[i * n + j]);
    }
}

/* GCC 12 omits vzeroupper around the call of a function whose registers it knows. The micro-kernel
 * would then return with the upper halves of vectors in use, and the caller's next SSE instruction
 * took 120 ns. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNKNOWN_REGISTERS __attribute__((noinline, noipa))
#else
#define UNKNOWN_REGISTERS __attribute__((noinline))
#endif

/* Writes the tile of C from its m*n sums. One function serves tiles of all sizes. */
static UNKNOWN_REGISTERS void dots_write(int64_t m, int64_t n, const T *sums, const T *alpha,
                                         const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    const T factor = *alpha, old = *beta;
    if (old == 0) {
        for (; m > 0; m--, c += c_row)
            for (int64_t j = 0; j < n; j++)
                c[j * c_col] = factor * *sums++;
        return;
    }
    for (; m > 0; m--, c += c_row)
        for (int64_t j = 0; j < n; j++)
            c[j * c_col] = old * c[j * c_col] + factor * *sums++;
}

/* A tile of C as lines, which are its rows or its columns, whichever are contiguous. Sum x of line
 * i is sums[i * line + x * step]. */
struct dots_lines {
    const V *sums;
    int lines, length, line, step;
    T *c;
    int64_t c_line;
};

typedef T Quad __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
typedef T Pair __attribute__((vector_size(2 * sizeof(T)), aligned(sizeof(T)), may_alias));

INLINE void dots_times(const T *alpha, V a, V b, V c, V d, Quad *values)
{
    T total[4];
    sums_of_4(a, b, c, d, total);
    *values = *alpha * *(const Quad *)(const void *)total;
}

INLINE void dots_write_quads(struct dots_lines l, const T *alpha)
{
    UNROLLED(i, l.lines)
    UNROLLED(q, l.length / 4)
    {
        const V *x = l.sums + i * l.line + 4 * q * l.step;
        Quad values;
        dots_times(alpha, x[0], x[l.step], x[2 * l.step], x[3 * l.step], &values);
        *(Quad *)(void *)(l.c + i * l.c_line + 4 * q) = values;
    }
}

/* Writes one to three elements, from lane `first` on. */
INLINE void dots_write_few(int first, int count, const Quad *values, T *c)
{
    if (count >= 2)
        *(Pair *)(void *)c = (Pair){(*values)[first], (*values)[first + 1]};
    if (count & 1)
        c[count - 1] = (*values)[first + count - 1];
}

/* Writes the last one to three elements of each line. The lanes of the sums of several lines are
 * added together. */
INLINE void dots_write_ends(struct dots_lines l, const T *alpha)
{
    const int quads = l.length / 4 * 4, left = l.length - quads;
    if (left == 0)
        return;
    const int together = 4 / left, groups = (l.lines + together - 1) / together;
    UNROLLED(group, groups)
    {
        const int i = group * together;
        const V *x[4];
        UNROLLED(lane, 4)
        {
            const int next = i + lane / left; /* or the first line again, which is not written */
            const int of = next < l.lines && lane / left < together ? next : i;
            x[lane] = l.sums + of * l.line + (quads + lane % left) * l.step;
        }
        Quad values;
        dots_times(alpha, *x[0], *x[1], *x[2], *x[3], &values);
        UNROLLED(t, together)
        if (i + t < l.lines)
            dots_write_few(t * left, left, &values, l.c + (i + t) * l.c_line + quads);
    }
}

/* Adds the lanes of the sums, and writes the tile of C. */
INLINE void dots_finish(int m, int n, V *sums, const T *alpha, const T *beta, T *c, int64_t c_row,
                        int64_t c_col)
{
    if (*beta == 0 && (c_col == 1 || c_row == 1)) {
        const struct dots_lines rows = {sums, m, n, n, 1, c, c_row},
                                cols = {sums, n, m, 1, n, c, c_col};
        if (c_col == 1) {
            dots_write_quads(rows, alpha);
            dots_write_ends(rows, alpha);
        } else {
            dots_write_quads(cols, alpha);
            dots_write_ends(cols, alpha);
        }
        return;
    }
    T total[8 * DOTS_WIDE];
    UNROLLED(group, (m * n + 3) / 4)
    {
        const int x = 4 * group, last = m * n - 1;
        sums_of_4(sums[x], sums[x < last ? x + 1 : last], sums[x + 1 < last ? x + 2 : last],
                  sums[x + 2 < last ? x + 3 : last], total + x);
    }
    dots_write(m, n, total, alpha, beta, c, c_row, c_col);
}

/* Computes a tile. The order of the additions depends on k alone. */
INLINE void dots_tile(int m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                      const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
    V sums[8 * DOTS_WIDE];
    UNROLLED(x, m * n) sums[x] = zero();
    const int64_t whole = k / LANES * LANES;
    dots_steps(m, n, sums, whole, a, a_row, b, b_row);
    if (whole < k)
        dots_tail(m, n, sums, k - whole, a + whole, a_row, b + whole, b_row);
    dots_finish(m, n, sums, alpha, beta, c, c_row, c_col);
}

/* Computes as many tiles of `rows` rows as there are. Returns the number of their rows. */
INLINE int64_t dots_tiles(int rows, int n, int64_t m, int64_t k, const T *alpha, const T *a,
                          int64_t a_row, const T *b, int64_t b_row, const T *beta, T *c,
                          int64_t c_row, int64_t c_col)
{
    int64_t i = 0;
    for (; i + rows <= m; i += rows)
        dots_tile(rows, n, k, alpha, a + i * a_row, a_row, b, b_row, beta, c + i * c_row, c_row,
                  c_col);
    return i;
}

/* With so few columns, the last rows are one tile: those of two tiles have so few sums that each
 * multiply-add would wait for the one before it. */
enum { DOTS_FEW = 2 };

INLINE bool dots_are_last(int n, int64_t m)
{
    return m < DOTS_ROWS(n) && (m == 3 || m > 4);
}

static __attribute__((noinline)) void dots_last(int n, int64_t m, int64_t k, const T *alpha,
                                                const T *a, int64_t a_row, const T *b,
                                                int64_t b_row, const T *beta, T *c, int64_t c_row,
                                                int64_t c_col)
{
#define DOTS_LAST(rows, cols)                                                                      \
    case 8 * (rows) + (cols):                                                                      \
        if ((rows) < DOTS_ROWS(cols))                                                              \
            dots_tile(rows, cols, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);            \
        break;
    switch (8 * m + n) {
        /* clang-format off */
        DOTS_LAST(3, 1) DOTS_LAST(5, 1) DOTS_LAST(6, 1) DOTS_LAST(7, 1)
        DOTS_LAST(3, 2) DOTS_LAST(5, 2) DOTS_LAST(6, 2) DOTS_LAST(7, 2)
        /* clang-format on */
    }
#undef DOTS_LAST
}

INLINE void dots_of(int n, int64_t m, int64_t k, const T *alpha, const T *a, int64_t a_row,
                    const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row, int64_t c_col)
{
#define DOTS_TILES(rows)                                                                           \
    if (((rows) == DOTS_ROWS(n) && !(n == 1 && dots_are_by_four(m, k))) ||                         \
        ((rows) < DOTS_ROWS(n) && (rows) != 3)) {                                                  \
        const int64_t done =                                                                       \
            dots_tiles(rows, n, m, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);           \
        m -= done, a += done * a_row, c += done * c_row;                                           \
    }
    DOTS_TILES(8)
    if (n <= DOTS_FEW && dots_are_last(n, m)) {
        dots_last(n, m, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);
        return;
    }
    DOTS_TILES(4)
    DOTS_TILES(3)
    DOTS_TILES(2)
    DOTS_TILES(1)
#undef DOTS_TILES
}

/* Computes up to DOTS_WIDE columns of C. */
INLINE void dots_columns(int64_t m, int64_t n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                         const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row,
                         int64_t c_col)
{
#define DOTS(cols)                                                                                 \
    case cols:                                                                                     \
        dots_of(cols <= DOTS_WIDE ? cols : 1, m, k, alpha, a, a_row, b, b_row, beta, c, c_row,     \
                c_col);                                                                            \
        break;
    switch (n) {
        /* clang-format off */
        DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7) DOTS(8)
        /* clang-format on */
    }
#undef DOTS
}

/* Columns are divided into as few groups as possible, because each group reads A once. If there are
 * several groups, none is narrower than half of the widest: a tile of fewer columns loads more
 * vectors for each multiply-add. Four rows are one tile of a narrower group, but two tiles of the
 * widest, the second one with a single row. */
static void dots(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int64_t a_row,
                 const void *b, int64_t b_row, const void *beta, void *c, int64_t c_row,
                 int64_t c_col)
{
    const int64_t most = m == 4 ? DOTS_WIDE_OF_4 : DOTS_WIDE;
    const T *bj = b;
    T *cj = c;
    for (int64_t left = n, wide; left > 0; left -= wide) {
        const int64_t spared = left - most / 2;
        wide = left <= most ? left : spared < most ? spared : most;
        dots_columns(m, wide, k, alpha, a, a_row, bj, b_row, beta, cj, c_row, c_col);
        bj += wide * b_row, cj += wide * c_col;
    }
}

/* With so few sums, each multiply-add would wait for the one before it. So each sum has several
 * vectors of partial sums, which are used in turn, and are added in pairs. */
enum { DOTS_TURNS = 4, DOTS_TURNS_OF_MORE = 2 };

INLINE void few_dots_of(int m, int n, int64_t k, const T *alpha, const T *a, int64_t a_row,
                        const T *b, int64_t b_row, const T *beta, T *c, int64_t c_row,
                        int64_t c_col)
{
    const int turns = m * n < UKR_FEW_DOTS ? DOTS_TURNS : DOTS_TURNS_OF_MORE;
    V sums[DOTS_TURNS][UKR_FEW_DOTS];
    UNROLLED(turn, turns)
    {
        UNROLLED(x, m * n) sums[turn][x] = zero();
    }
    const T *ap = a, *bp = b;
    int64_t left = k;
    for (; left >= turns * LANES; left -= turns * LANES)
        UNROLLED(turn, turns)
        {
            dots_steps(m, n, sums[turn], LANES, ap, a_row, bp, b_row);
            ap += LANES;
            bp += LANES;
        }
    UNROLLED(turn, turns - 1)
    {
        if (left >= LANES) {
            dots_steps(m, n, sums[turn], LANES, ap, a_row, bp, b_row);
            ap += LANES;
            bp += LANES;
            left -= LANES;
        }
    }
    if (left > 0)
        dots_tail(m, n, sums[turns - 1], left, ap, a_row, bp, b_row);
    const V one = broadcast(1);
    UNROLLED(x, m * n)
    {
        sums[0][x] = fmadd(one, sums[0][x], sums[1][x]);
        if (turns == DOTS_TURNS)
            sums[0][x] = fmadd(one, sums[0][x], fmadd(one, sums[2][x], sums[3][x]));
    }
    dots_finish(m, n, sums[0], alpha, beta, c, c_row, c_col);
}

static void few_dots(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                     int64_t a_row, const void *b, int64_t b_row, const void *beta, void *c,
                     int64_t c_row, int64_t c_col)
{
#define FEW_DOTS(rows, cols)                                                                       \
    case 8 * (rows) + (cols):                                                                      \
        few_dots_of(rows, cols, k, alpha, a, a_row, b, b_row, beta, c, c_row, c_col);              \
        break;
    switch (8 * m + n) {
        FEW_DOTS(1, 1)
        FEW_DOTS(1, 2)
        FEW_DOTS(1, 3)
        FEW_DOTS(2, 1)
        FEW_DOTS(3, 1)
        FEW_DOTS(2, 2)
        FEW_DOTS(1, 4)
        FEW_DOTS(4, 1)
    }
#undef FEW_DOTS
}

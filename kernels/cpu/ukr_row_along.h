/* ukr_row_along.h: one row of C, with a B that does not fit into L1. SPDX-License-Identifier: MIT
 *
 * It is included by ukr_tile.h, whose tiles keep their sums in registers and read B a few vectors
 * at a time down its rows. Each step then loads one or two cache lines of another row, which the
 * hardware prefetchers do not follow well. One row of C has so few sums that they can be stored in
 * L1 instead, while a few rows of B at a time are read from beginning to end:
 *
 *     B   row 0   ------------------------>         sums   ======================== of all columns
 *         row 1   ------------------------>
 *          ...                                      The first rows begin the sums, and the last
 *         row 7   ------------------------>         rows write C.
 *
 * Each sum is added in the order of k, as in a tile, so that the result is the same in every bit.
 * With vectors of 32 bytes this is 1.1 to 1.5 times as fast from L2 and L3 (AMD Zen 3, Intel Xeon),
 * and with vectors of 64 bytes, whose tiles are wider, up to 1.2 times (Xeon).
 *
 * With vectors of 64 bytes there are registers for the sums of a whole KB of a row. To read one KB
 * of each of the eight rows after the other, and to prefetch the next lines, takes 0.8 to 0.9 of
 * the time on a Zen 5 where B is in L2, and 1.1 times as long where it is larger than
 * ALONG_KB_BYTES. The first and the last rows are so few that they are not worth this code. */
enum { ALONG_ROWS = 8, ALONG_VECTORS = 2, ALONG_MOST = sizeof(V) == 64 ? 16 : ALONG_VECTORS };
enum { ALONG_KB_BYTES = 1 << 20 };
enum { LINES_AHEAD = 128 / sizeof(T) };
/* The number of sums that stay in L1: in C itself, or in a buffer if C is multiplied by beta or the
 * sums by alpha. */
enum { ALONG_SUMS_IN_C = (16 << 10) / sizeof(T), ALONG_SUMS = (4 << 10) / sizeof(T) };
/* With fewer sums, the sums of a vector would wait for ALONG_ROWS multiply-adds and for the stores
 * of the rows before. If all sums fit into one wide tile, that tile is as fast. A B that is a
 * little larger than L1 can be read as fast down its rows, and so can few rows, which the
 * prefetchers follow all at the same time. */
enum { ALONG_LEAST = (sizeof(V) == 64 ? BROADEST + 1 : 12) * LANES, ALONG_NEAR_BYTES = 48 << 10 };
/* The same where whole KB are read. The widest tiles take 1.2 times as long from L2. */
enum { ALONG_LEAST_OF_KB = (sizeof(V) == 64 ? BROADEST - 1 : 12) * LANES };

static bool is_row_along(const struct ukr_strided *p)
{
    const int64_t b_bytes = p->k * p->n * (int64_t)sizeof(T);
    return p->k > STREAMS &&
           p->n >= (b_bytes <= ALONG_KB_BYTES ? ALONG_LEAST_OF_KB : ALONG_LEAST) &&
           b_bytes > ALONG_NEAR_BYTES;
}

/* Which rows of B are added: the first ones begin the sums, the next ones load and store them, and
 * the last ones write C. */
enum along { FIRST_ROWS, NEXT_ROWS, LAST_ROWS };

/* The rows of B that are read at a time, and the elements of A that they are multiplied by. */
struct rows_along {
    const T *at[ALONG_ROWS];
    V factor[ALONG_ROWS];
};

/* Adds nv vectors of `rows` rows of B from column j on to the sums; or, if it is `ragged`, one
 * vector with the lanes of `tail` at the end of C, whose sums are in `rest`. */
INLINE void add_rows(enum along when, int rows, int nv, bool ragged, Tail tail, int lanes,
                     const struct rows_along *b, int64_t j, T *sums, T *rest, T *c,
                     const struct scales *scales)
{
    V sum[ALONG_MOST];
    UNROLLED(v, nv)
    {
        if (when == FIRST_ROWS)
            sum[v] = zero();
        else
            sum[v] = ragged ? load(rest) : load(sums + j + v * LANES);
    }
    UNROLLED(i, rows)
    UNROLLED(v, nv)
    {
        const T *at = b->at[i] + j + v * LANES;
        if (nv > ALONG_VECTORS) {
            __builtin_prefetch(at + LINES_AHEAD, 0, 3);
            IN_ORDER();
        }
        if (ragged)
            sum[v] = fmadd_tail(b->factor[i], load_tail(at, tail, broadcast(at[lanes - 1])), sum[v],
                                tail);
        else
            sum[v] = fmadd(b->factor[i], load(at), sum[v]);
    }
    UNROLLED(v, nv)
    {
        if (when == LAST_ROWS)
            write_sum(scales, c + j + v * LANES, sum[v], ragged, tail);
        else if (ragged)
            store(rest, sum[v]);
        else
            store(sums + j + v * LANES, sum[v]);
    }
}

/* Adds whole vectors, nv at a time, from column j on, as long as there are so many. Returns the
 * column after them. */
INLINE int64_t add_vectors(enum along when, int rows, int nv, const struct ukr_strided *p,
                           const struct rows_along *b, int64_t j, T *sums, T *rest,
                           const struct scales *scales)
{
    const Tail all = tail_of(LANES);
    for (; j + nv * LANES <= p->n; j += nv * LANES)
        add_rows(when, rows, nv, false, all, LANES, b, j, sums, rest, p->c, scales);
    return j;
}

/* Adds `rows` rows of B from row `first` on. */
INLINE void along_rows_of(enum along when, int rows, const struct ukr_strided *p, int64_t first,
                          T *sums, T *rest)
{
    const struct scales scales = scales_of(p);
    struct rows_along b;
    UNROLLED(i, rows)
    {
        b.at[i] = (const T *)p->b + (first + i) * p->b_step;
        b.factor[i] = broadcast(((const T *)p->a)[(first + i) * p->a_step]);
    }
    int64_t j = 0;
    if (when == NEXT_ROWS && ALONG_MOST > ALONG_VECTORS &&
        p->k * p->n <= ALONG_KB_BYTES / (int64_t)sizeof(T)) {
        j = add_vectors(when, rows, ALONG_MOST, p, &b, j, sums, rest, &scales);
        j = add_vectors(when, rows, ALONG_MOST / 2, p, &b, j, sums, rest, &scales);
        j = add_vectors(when, rows, ALONG_MOST / 4, p, &b, j, sums, rest, &scales);
    }
    j = add_vectors(when, rows, ALONG_VECTORS, p, &b, j, sums, rest, &scales);
    j = add_vectors(when, rows, 1, p, &b, j, sums, rest, &scales);
    const int lanes = (int)(p->n - j);
    if (lanes > 0)
        add_rows(when, rows, 1, true, tail_of(lanes), lanes, &b, j, sums, rest, p->c, &scales);
}

/* Computes a strip of C with no more columns than there are sums. */
static __attribute__((noinline)) void strip_along(const struct ukr_strided *p, T *sums)
{
    T rest[LANES] = {0};
    const int rows = (int)((p->k - 1) % ALONG_ROWS) + 1;
    switch (rows) {
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        along_rows_of(FIRST_ROWS, i, p, 0, sums, rest);                                            \
        break;
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8)
#undef ROWS
    }
    int64_t first = rows;
    for (; first + ALONG_ROWS < p->k; first += ALONG_ROWS)
        along_rows_of(NEXT_ROWS, ALONG_ROWS, p, first, sums, rest);
    along_rows_of(LAST_ROWS, ALONG_ROWS, p, first, sums, rest);
}

/* The buffer is not in the frame of the function that the other rows need. */
static __attribute__((noinline)) void row_along_in_buffer(const struct ukr_strided *p)
{
    T buffer[ALONG_SUMS];
    for (int64_t j = 0; j < p->n; j += ALONG_SUMS) {
        const struct ukr_strided strip =
            columns_of(p, j, p->n - j < ALONG_SUMS ? p->n - j : ALONG_SUMS);
        strip_along(&strip, buffer);
    }
}

static __attribute__((noinline)) void row_along(const struct ukr_strided *p)
{
    if (*(const T *)p->alpha != 1 || *(const T *)p->beta != 0) {
        row_along_in_buffer(p);
        return;
    }
    for (int64_t j = 0; j < p->n; j += ALONG_SUMS_IN_C) {
        const struct ukr_strided strip =
            columns_of(p, j, p->n - j < ALONG_SUMS_IN_C ? p->n - j : ALONG_SUMS_IN_C);
        strip_along(&strip, strip.c);
    }
}

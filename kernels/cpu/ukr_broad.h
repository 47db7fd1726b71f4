/* ukr_broad.h: tiles of one to four rows, which are wider than all others. It is a part of
 * ukr_tile.h. SPDX-License-Identifier: MIT
 *
 * Each sum waits for its multiply-add of the step before, about four cycles, in which a core can
 * start eight others. So a tile of few rows has as many vectors as it has registers for. */

/* The widths of tiles of a single row, in vectors. These tiles are wider than all others, so that
 * they have enough sums to cover the latency of a multiply-add, and read pieces of B's rows that
 * are long enough for the hardware prefetchers. If one or two tiles are enough, they may be as wide
 * as the registers allow (BROADEST); with more of them, this is slower. */
enum { BROAD = 8, BROAD_COLS = BROAD * LANES, BROADEST = sizeof(V) == 64 ? 30 : BROAD };
/* The hardware prefetchers can follow this many rows of B at the same time. They also follow a B
 * that one tile reads from beginning to end, if its rows have SEQUENTIAL vectors or more: to
 * prefetch such a B takes the place of loads. On a Zen 5 it takes 0.87 of the time without, from
 * L2. */
enum { STREAMS = 32, SEQUENTIAL = 16 };

/* The factors of the sums and of C. */
struct scales {
    V alpha, beta;
    bool scales, adds;
};

INLINE struct scales scales_of(const struct ukr_strided *p)
{
    const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;
    return (struct scales){broadcast(alpha), broadcast(beta), alpha != 1 || beta != 0, beta != 0};
}

/* Writes a vector of C, or only the lanes of `tail`. */
INLINE void write_sum(const struct scales *s, T *c, V sum, bool ragged, Tail tail)
{
    if (s->adds)
        update(c, sum, ragged, tail, s->alpha, true, s->beta);
    else if (s->scales)
        update(c, sum, ragged, tail, s->alpha, false, s->beta);
    else if (ragged)
        store_tail(c, tail, sum);
    else
        store(c, sum);
}

/* Computes one row of nv vectors and n columns. The last vector has the lanes of `tail` if it is
 * `ragged`. */
INLINE void broad_tile(const struct ukr_strided *p, enum where where, int nv, bool ragged, int n,
                       const T *b, T *c)
{
    const int64_t ahead = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T);
    const Tail tail = tail_of(ragged ? n - (nv - 1) * LANES : LANES);
    const T *a = p->a;
    V sum[BROADEST];
    UNROLLED(v, nv) sum[v] = zero();
    for (int64_t left = p->k; left > 0; left--, a += p->a_step, b += p->b_step) {
        const V ai = broadcast(*a);
        UNROLLED(v, nv)
        {
            if (where != NEAR)
                prefetch_b((const char *)(b + v * LANES) + ahead, where);
            if (ragged && v == nv - 1)
                sum[v] = fmadd_tail(ai, load_tail(b + v * LANES, tail, broadcast(b[n - 1])), sum[v],
                                    tail);
            else
                sum[v] = fmadd(ai, load(b + v * LANES), sum[v]);
        }
    }
    const struct scales scales = scales_of(p);
    UNROLLED(v, nv) write_sum(&scales, c + v * LANES, sum[v], ragged && v == nv - 1, tail);
}

/* Computes whole tiles side by side. Returns their number of columns. */
static __attribute__((noinline)) int64_t broad_beside(const struct ukr_strided *p, bool far)
{
    int64_t j = 0;
    for (; far && j + BROAD_COLS <= p->n; j += BROAD_COLS)
        broad_tile(p, FAR, BROAD, false, BROAD_COLS, (const T *)p->b + j, (T *)p->c + j);
    for (; j + BROAD_COLS <= p->n; j += BROAD_COLS)
        broad_tile(p, NEAR, BROAD, false, BROAD_COLS, (const T *)p->b + j, (T *)p->c + j);
    return j;
}

/* Computes n columns from column j on, which are 3 to BROADEST vectors. With vectors of 64 bytes
 * masks take no time, so there is no separate code for whole vectors. */
static __attribute__((noinline)) void broad(const struct ukr_strided *p, int64_t j, int n, bool far)
{
    const T *b = (const T *)p->b + j;
    T *c = (T *)p->c + j;
#define OF_VECTORS(i, where, ragged) broad_tile(p, where, (i) <= BROADEST ? i : 1, ragged, n, b, c)
#define VECTORS(i)                                                                                 \
    case i:                                                                                        \
        if ((i) > BROADEST)                                                                        \
            break;                                                                                 \
        if (sizeof(V) == 64 || n % LANES != 0)                                                     \
            far ? OF_VECTORS(i, FAR, true) : OF_VECTORS(i, NEAR, true);                            \
        else                                                                                       \
            far ? OF_VECTORS(i, FAR, false) : OF_VECTORS(i, NEAR, false);                          \
        break;
    switch ((n + LANES - 1) / LANES) {
        /* clang-format off */
        VECTORS(3) VECTORS(4) VECTORS(5) VECTORS(6) VECTORS(7) VECTORS(8) VECTORS(9) VECTORS(10)
        VECTORS(11) VECTORS(12) VECTORS(13) VECTORS(14) VECTORS(15) VECTORS(16) VECTORS(17)
        VECTORS(18) VECTORS(19) VECTORS(20) VECTORS(21) VECTORS(22) VECTORS(23) VECTORS(24)
        VECTORS(25) VECTORS(26) VECTORS(27) VECTORS(28) VECTORS(29) VECTORS(30)
        /* clang-format on */
    }
#undef VECTORS
#undef OF_VECTORS
}

/* Two, three or four rows of C in tiles of up to six, four or three vectors of 32 bytes: as many
 * rows of the tiles above have four, six or eight sums. Each sum waits four cycles for a
 * multiply-add, of which a core starts eight in that time. */
enum { HAS_BROAD = sizeof(V) == 32, MOST_BROAD_ROWS = UKR_BROAD_ROWS };
enum { MOST_BROAD_VECTORS = 6, BROAD_SUMS = 12 };
/* With fewer steps, four rows are as fast in the tiles above. */
enum { LEAST_BROAD_STEPS = 16 };

/* Multiplies vectors of B by m rows of A, each as soon as it has been loaded. Two or three rows of
 * A stay in registers, or, with four, the vectors of B do. */
INLINE void broad_rows_step(int m, int nv, int n, enum where where, int64_t ahead, const T *a,
                            int64_t a_row, const T *b, V sum[MOST_BROAD_ROWS][MOST_BROAD_VECTORS])
{
    V row[MOST_BROAD_ROWS], column[MOST_BROAD_VECTORS];
    if (m < MOST_BROAD_ROWS)
        UNROLLED(i, m) row[i] = broadcast(a[i * a_row]);
    UNROLLED(v, nv)
    {
        const T *at = b + (v == nv - 1 ? n - LANES : v * LANES);
        if (where != NEAR)
            prefetch_b((const char *)at + ahead, where);
        column[v] = load(at);
        if (m < MOST_BROAD_ROWS)
            UNROLLED(i, m) sum[i][v] = fmadd(row[i], column[v], sum[i][v]);
    }
    if (m == MOST_BROAD_ROWS) {
        UNROLLED(i, m)
        {
            const V factor = broadcast(a[i * a_row]);
            UNROLLED(v, nv) sum[i][v] = fmadd(factor, column[v], sum[i][v]);
            IN_ORDER();
        }
    }
}

/* Computes m rows of nv vectors and n columns. The last vector ends where the columns end, and
 * overlaps the one before it. */
INLINE void broad_rows_tile(int m, const struct ukr_strided *p, enum where where, int nv, int n,
                            const T *b, T *c)
{
    const int64_t ahead = ROWS_AHEAD * p->b_step * (int64_t)sizeof(T), a_row = p->a_row;
    const T *a = p->a;
    V sum[MOST_BROAD_ROWS][MOST_BROAD_VECTORS];
    UNROLLED(i, m)
    {
        UNROLLED(v, nv) sum[i][v] = zero();
    }
    for (int64_t left = p->k; left > 0; left--, a += p->a_step, b += p->b_step)
        broad_rows_step(m, nv, n, where, ahead, a, a_row, b, sum);
    const struct scales scales = scales_of(p);
    const Tail all = tail_of(LANES);
    UNROLLED(i, m)
    {
        T *row = c + i * p->ldc;
        /* The last vector reads C before the one before it overwrites its first lanes. */
        V last = sum[i][nv - 1];
        if (scales.adds)
            last = fmadd(scales.beta, load(row + n - LANES), mul(scales.alpha, last));
        else if (scales.scales)
            last = mul(scales.alpha, last);
        UNROLLED(v, nv - 1) write_sum(&scales, row + v * LANES, sum[i][v], false, all);
        store(row + n - LANES, last);
    }
}

#define BROAD_ROWS(rows)                                                                           \
    static __attribute__((noinline)) void broad_rows_##rows(const struct ukr_strided *p,           \
                                                            int64_t j, int n, bool far)            \
    {                                                                                              \
        const T *b = (const T *)p->b + j;                                                          \
        T *c = (T *)p->c + j;                                                                      \
        switch ((n + LANES - 1) / LANES) {                                                         \
            BROAD_TILE(rows, 2)                                                                    \
            BROAD_TILE(rows, 3)                                                                    \
            BROAD_TILE(rows, 4)                                                                    \
            BROAD_TILE(rows, 5)                                                                    \
            BROAD_TILE(rows, 6)                                                                    \
        }                                                                                          \
    }
#define BROAD_TILE(rows, v)                                                                        \
    case v:                                                                                        \
        if (rows * v <= BROAD_SUMS)                                                                \
            broad_rows_tile(rows, p, far ? FAR : NEAR, rows *v <= BROAD_SUMS ? v : 2, n, b, c);    \
        break;
BROAD_ROWS(2)
BROAD_ROWS(3)
BROAD_ROWS(4)
#undef BROAD_TILE
#undef BROAD_ROWS

/* Computes up to four rows of nv vectors, in parts of nearly equal numbers of vectors. */
static void broad_rows(const struct ukr_strided *p)
{
    typedef void broad_fn(const struct ukr_strided *product, int64_t j, int n, bool far);
    static broad_fn *const of_rows[] = {broad_rows_2, broad_rows_3, broad_rows_4};
    const bool far = is_far(p);
    const int most = BROAD_SUMS / (int)p->m;
    int64_t left = (p->n + LANES - 1) / LANES, j = 0;
    for (int64_t parts = (left + most - 1) / most; parts > 0; parts--) {
        const int64_t here = left / parts * LANES;
        of_rows[p->m - 2](p, j, (int)(here < p->n - j ? here : p->n - j), far);
        j += here;
        left -= left / parts;
    }
}

/* Whether the last three vectors of an odd number of them are computed in tiles of four rows: a
 * tile of a single vector has six sums, fewer than cover the latency of a multiply-add. Five rows
 * would be three and two. */
enum { LEAST_ROWS_OF_THREE = 6 };
static bool ends_in_three(const struct ukr_strided *p)
{
    return HAS_BROAD && HAS_WIDE && p->m >= LEAST_ROWS_OF_THREE && p->k >= LEAST_BROAD_STEPS &&
           (p->n + LANES - 1) / LANES % 2 == 1;
}

static void last_three(const struct ukr_strided *p)
{
    const int64_t j = ((p->n + LANES - 1) / LANES - 3) * LANES;
    const struct rows_cut cut = cut_rows(p->m, MOST_BROAD_ROWS);
    struct ukr_strided part = columns_of(p, j, p->n - j);
    for (int64_t i = 0, tile = 0; i < p->m; i += part.m, tile++) {
        part.m = cut.rows - (tile >= cut.tall);
        part.a = (const T *)p->a + i * p->a_row;
        part.c = (T *)p->c + i * p->ldc + j;
        broad_rows(&part);
    }
}

/* The last rows of more rows than a tile has, which are one or two broad tiles of three or four
 * rows: all others are then in tiles of six rows. Nearly equal tiles of four or five rows have too
 * few sums, and take as long for each row as 1.06 of these. Five rows would be two broad tiles, so
 * that B is read once more. All rows of three vectors are broad tiles (last_three). */
INLINE int64_t broad_end(const struct ukr_strided *p)
{
    enum { MOST = ROWS_OF(WIDEST), HAS_END = HAS_BROAD && HAS_WIDE && MOST == MOST_BROAD_ROWS + 2 };
    if (!HAS_END || p->m <= MOST || p->n <= 3 * LANES || p->k < LEAST_BROAD_STEPS)
        return 0;
    const int64_t rest = p->m % MOST;
    return rest == 0 || rest > MOST_BROAD_ROWS ? 0 : rest < 3 ? MOST + rest : rest;
}

/* ukr_few_steps.h: products with few steps of k, on operands in place. It is a part of ukr_tile.h,
 * which includes it. SPDX-License-Identifier: MIT
 *
 * Writing C takes most of the time, and preparing a tile nearly as much. So there are no tiles: C
 * is written row by row, and each vector of C is computed completely, in one register, before the
 * next one.
 *
 *     narrow C:                        wide C:
 *     B stays in registers             a few rows of A stay in registers, as broadcasts
 *       for rows of C                    for vectors of these rows of C
 *         broadcast A's row                load B's vectors
 *         multiply, write the row          multiply, write one vector of each row
 *
 * The sums are added from zero on, in the order of k, as in a tile, so that they are the same in
 * every bit. */

/* The largest number of steps of k, and that of a wide C; the registers for the rows of A of a wide
 * C, which are half of all, and for the vectors of B of a narrow C. */
#ifdef __AVX512VL__
enum { FEW_STEPS = 12, FEW_STEPS_OF_WIDE = 8, FEW_REGISTERS = 16, FEW_OF_B = 24 };
#else
enum { FEW_STEPS = 6, FEW_STEPS_OF_WIDE = 6, FEW_REGISTERS = 8, FEW_OF_B = 8 };
#endif
/* The largest number of vectors in a row of a narrow C, and of rows of a wide C that are written
 * together. */
enum { FEW_VECTORS = HAS_WIDE ? 4 : NV, FEW_ROWS = 4 };
INLINE int few_rows(int k)
{
    return FEW_REGISTERS / k < FEW_ROWS ? FEW_REGISTERS / k : FEW_ROWS;
}

/* The limits for a wide C. A C larger than FEW_ASKED_BYTES comes from L3 or from memory, and one
 * larger than FEW_C_BYTES from L3, which matters if there are more than MANY steps. Such a C is
 * written faster in tiles, which prefetch it. But if stores wait, with one step rows of up to
 * FEW_ROW_BYTES are faster in aligned stores, up to FEW_ALIGNED_BYTES; and with vectors of 64
 * bytes, two to MANY steps and a B in L1, a few rows at a time that are prefetched, up to
 * FEW_FAR_BYTES. A B larger than FEW_B_BYTES is not in L1: tiles read it less often than a few rows
 * at a time do, except that for LEAST_ROWS to MOST_ROWS rows the latter is faster if C stays in L2
 * (FEW_L2_BYTES). If a narrow C has more steps than a wide one may have, loading all vectors of B
 * first is worth its time from LEAST_ROWS rows on. */
enum { FEW_ASKED_BYTES = 8 << 20, FEW_FAR_BYTES = sizeof(V) == 64 ? 16 << 20 : 8 << 20 };
enum { FEW_ALIGNED_BYTES = sizeof(V) == 64 ? 16 << 20 : 1 << 30, FEW_ROW_BYTES = 8 << 10 };
enum { FEW_C_BYTES = 2 << 20, FEW_B_BYTES = 24 << 10 };
enum { MANY = 4, LEAST_ROWS = 16, MOST_ROWS = 64, FEW_L2_BYTES = 960 << 10 };

INLINE int64_t few_bytes(const struct ukr_strided *p)
{
    return p->m * p->n * (int64_t)sizeof(T);
}

/* Whether C is written past the caches. */
INLINE bool few_passes(const struct ukr_strided *p)
{
    return HAS_STREAM && p->stores_wait == UKR_STORES_PASS && *(const T *)p->alpha == 1 &&
           *(const T *)p->beta == 0;
}

/* The values that each vector of C needs. In the functions below, `plain` is a constant: alpha is 1
 * and beta is 0. */
struct few {
    V factor, old;
    bool adds;
    Tail tail;
};

INLINE void few_write(const struct few *f, bool plain, bool ragged, T *c, V sum)
{
    if (!plain && f->adds)
        update(c, sum, ragged, f->tail, f->factor, true, f->old);
    else if (!plain)
        update(c, sum, ragged, f->tail, f->factor, false, f->old);
    else if (ragged)
        store_tail(c, f->tail, sum);
    else
        store(c, sum);
    IN_ORDER();
}

/* Computes one vector of C. */
INLINE V few_sum(int k, bool ragged, Tail tail, const V *a, const V *b)
{
    V sum = zero();
    UNROLLED(p, k) sum = ragged ? fmadd_tail(a[p], b[p], sum, tail) : fmadd(a[p], b[p], sum);
    return sum;
}

/* Loads the vector of a row of B at b. The last vector of a row is loaded with a mask. */
INLINE V few_load(const struct few *f, bool ragged, const T *b)
{
    return ragged ? load_tail(b, f->tail, broadcast(*b)) : load(b);
}

/* Computes all rows of a narrow C, of nv vectors. */
INLINE void few_narrow(int nv, int k, bool ragged, bool plain, const struct ukr_strided *p,
                       const struct few *f)
{
    const T *a = p->a;
    T *c = p->c;
    const int n = (int)p->n;
    const bool overlaps = plain && ragged && HAS_OVERLAPS(nv), masked = ragged && !overlaps;
    const enum rest rest = overlaps ? OVERLAPPING : NO_REST;
    V b[FEW_VECTORS][FEW_STEPS];
    UNROLLED(s, k)
    {
        UNROLLED(v, nv)
        b[v][s] = few_load(f, masked && v == nv - 1,
                           (const T *)p->b + s * p->b_step + place(rest, nv, v, n));
    }
    const int64_t a_row = p->a_row, a_step = p->a_step, ldc = p->ldc;
    for (int64_t left = p->m; left > 0; left--, a += a_row, c += ldc) {
        V ai[FEW_STEPS];
        UNROLLED(s, k) ai[s] = broadcast(a[s * a_step]);
        UNROLLED(v, nv)
        {
            const bool last = masked && v == nv - 1;
            few_write(f, plain, last, c + place(rest, nv, v, n),
                      few_sum(k, last, f->tail, ai, b[v]));
        }
    }
}

/* C is prefetched so many bytes before it is written, if it comes from L2 and if it comes from
 * beyond; 0: not at all. */
enum { ASKS_NOT = 0, ASKS_L2 = 256, ASKS_FAR = 512 };

INLINE void few_ask_for(const T *c, int ahead)
{
    if (ahead != ASKS_NOT)
        __builtin_prefetch((const char *)c + ahead, 1);
}

/* Computes m rows of a wide C from row i on. `asks`, a constant: how C is prefetched. */
INLINE void few_wide(int m, int k, bool plain, int asks, const struct ukr_strided *p,
                     const struct few *f, int64_t i)
{
    const T *a = (const T *)p->a + i * p->a_row, *b = p->b;
    T *c = (T *)p->c + i * p->ldc;
    V ai[FEW_ROWS][FEW_STEPS];
    UNROLLED(x, m)
    {
        UNROLLED(s, k) ai[x][s] = broadcast(a[x * p->a_row + s * p->a_step]);
    }
    const int64_t b_step = p->b_step, ldc = p->ldc;
    int64_t left = p->n;
    for (; left >= LANES; left -= LANES, b += LANES, c += LANES) {
        V bv[FEW_STEPS];
        UNROLLED(s, k) bv[s] = load(b + s * b_step);
        UNROLLED(x, m) few_ask_for(c + x * ldc, asks);
        UNROLLED(x, m)
        few_write(f, plain, false, c + x * ldc, few_sum(k, false, f->tail, ai[x], bv));
    }
    if (left > 0) {
        V bv[FEW_STEPS];
        UNROLLED(s, k) bv[s] = few_load(f, true, b + s * b_step);
        UNROLLED(x, m) few_write(f, plain, true, c + x * ldc, few_sum(k, true, f->tail, ai[x], bv));
    }
}

/* The vectors of a cache line. */
enum { AT_ONCE = LINE / LANES };

/* Computes the vector of C that is below the vector of B at b. */
INLINE V few_sum_at(int k, const V *a, const T *b, int64_t b_step)
{
    V bv[FEW_STEPS];
    UNROLLED(s, k) bv[s] = load(b + s * b_step);
    return few_sum(k, false, tail_of(LANES), a, bv);
}

/* Computes row i of a wide C with one step of k, if alpha is 1 and beta is 0. The stores are
 * aligned and fill one cache line after another, except for the first ones and the last ones, which
 * overlap those beside them. `asks`: as in few_wide. */
INLINE void few_aligned_row(const struct ukr_strided *p, int asks, int64_t i)
{
    const T *b = p->b;
    T *c = (T *)p->c + i * p->ldc;
    const V a = broadcast(((const T *)p->a)[i * p->a_row]);
    UNROLLED(v, AT_ONCE) store(c + v * LANES, few_sum_at(1, &a, b + v * LANES, 0));
    int64_t j = LINE - (int64_t)((uintptr_t)c / sizeof(T)) % LINE;
    for (; j + LINE <= p->n; j += LINE) {
        few_ask_for(c + j, asks);
        UNROLLED(v, AT_ONCE)
        {
            store(c + j + v * LANES, few_sum_at(1, &a, b + j + v * LANES, 0));
            IN_ORDER();
        }
    }
    for (; j + LANES <= p->n; j += LANES)
        store(c + j, few_sum_at(1, &a, b + j, 0));
    if (j < p->n)
        store(c + p->n - LANES, few_sum_at(1, &a, b + p->n - LANES, 0));
}

#if HAS_STREAM
/* Writes columns j..end-1 of a row of C, which are fewer than those of a cache line. */
INLINE void few_of_line(int k, const struct ukr_strided *p, const V *a, T *c, int64_t j,
                        int64_t end)
{
    const T *b = p->b;
    for (; j + LANES <= end; j += LANES)
        store(c + j, few_sum_at(k, a, b + j, p->b_step));
    if (j < end) {
        const struct few f = {.tail = tail_of((int)(end - j))};
        V bv[FEW_STEPS];
        UNROLLED(s, k) bv[s] = few_load(&f, true, b + j + s * p->b_step);
        store_tail(c + j, f.tail, few_sum(k, true, f.tail, a, bv));
    }
}

/* Computes the cache lines of row i of C that begin in columns j..end-1, and the columns before the
 * first whole line and after the last one. Those lines are shared with other rows, so they are
 * written by way of the caches. */
INLINE void few_streamed_lines(int k, const struct ukr_strided *p, int64_t i, int64_t j,
                               int64_t end)
{
    const T *at = (const T *)p->a + i * p->a_row, *b = p->b;
    T *c = (T *)p->c + i * p->ldc;
    const int64_t head = -(int64_t)((uintptr_t)c / sizeof(T)) & (LINE - 1);
    const int64_t last = end + head < p->n ? end + head : p->n, b_step = p->b_step;
    V a[FEW_STEPS];
    UNROLLED(s, k) a[s] = broadcast(at[s * p->a_step]);
    if (j == 0)
        few_of_line(k, p, a, c, 0, head);
    for (j += head; j + LINE <= last; j += LINE) {
        UNROLLED(v, AT_ONCE)
        {
            stream(c + j + v * LANES, few_sum_at(k, a, b + j + v * LANES, b_step));
            IN_ORDER();
        }
    }
    if (last == p->n && j < p->n)
        few_of_line(k, p, a, c, j, p->n);
}

/* Computes a wide C that no cache holds, if alpha is 1 and beta is 0. Stores past the caches fill
 * whole lines, which then need not be read from memory first. All rows are multiplied by so many
 * columns of B that these stay in L1. */
INLINE void few_streamed(int k, const struct ukr_strided *p)
{
    enum { B_BYTES = 16 << 10 };
    const int64_t columns = B_BYTES / (int)sizeof(T) / k & -(int64_t)LINE;
    for (int64_t j = 0; j < p->n; j += columns)
        for (int64_t i = 0; i < p->m; i++)
            few_streamed_lines(k, p, i, j, j + columns);
    __builtin_ia32_sfence(); /* before another thread learns that C is complete */
}
#endif

/* Computes a wide C, a few rows at a time. */
INLINE void few_rows_together(int k, bool plain, int asks, const struct ukr_strided *p,
                              const struct few *f)
{
    const int rows = few_rows(k);
    int64_t i = 0;
    for (; i + rows <= p->m; i += rows)
        few_wide(rows, k, plain, asks, p, f, i);
    switch (p->m - i) {
    case 3:
        if (rows > 3)
            few_wide(3, k, plain, asks, p, f, i);
        break;
    case 2:
        if (rows > 2)
            few_wide(2, k, plain, asks, p, f, i);
        break;
    case 1:
        if (rows > 1)
            few_wide(1, k, plain, asks, p, f, i);
        break;
    }
}

/* Whether vectors of C cross cache lines. */
INLINE bool is_across_lines(const struct ukr_strided *p)
{
    const uint64_t row_bytes = (uint64_t)p->ldc * sizeof(T);
    return (((uintptr_t)p->c | row_bytes) & (sizeof(V) - 1)) != 0;
}

/* Computes a wide C. If the stores wait for lines of C (ukr.h), these are prefetched. If, moreover,
 * vectors cross cache lines, so that each line is written by two stores, then with very few steps
 * it is better to write one row after another, and with 32 bytes and one step to align the stores.
 * Measured on a Xeon with C in L2, relative to a few rows at a time without prefetching: 0.5 of the
 * time with 32 bytes and one or two steps, 0.6 with three, 0.7 with four; with 64 bytes and three
 * steps 0.7, with five to eight 0.8. A C that no cache holds is written past the caches: on a Zen
 * 4, 24 to 60 MB and one to four steps take 0.65 to 1 of the time of tiles. */
INLINE void few_wide_rows(int k, bool plain, const struct ukr_strided *p, const struct few *f)
{
    enum { SINGLE_ROWS_STEPS = 3 };
#if HAS_STREAM
    if (plain && few_passes(p)) {
        few_streamed(k, p);
        return;
    }
#endif
    const bool far = few_bytes(p) > FEW_ASKED_BYTES;
    if (FEW_FAR_BYTES > FEW_ASKED_BYTES && far && k > 1) {
        few_rows_together(k, plain, ASKS_FAR, p, f);
    } else if (sizeof(V) < 32 || !p->stores_wait) {
        few_rows_together(k, plain, ASKS_NOT, p, f);
    } else if (far && k == 1 && plain) {
        for (int64_t i = 0; i < p->m; i++)
            few_aligned_row(p, ASKS_FAR, i);
    } else if (sizeof(V) == 32 && k == 1 && plain && is_across_lines(p)) {
        for (int64_t i = 0; i < p->m; i++)
            few_aligned_row(p, ASKS_NOT, i);
    } else if (sizeof(V) == 64 && k <= SINGLE_ROWS_STEPS && is_across_lines(p)) {
        for (int64_t i = 0; i < p->m; i++)
            few_wide(1, k, plain, ASKS_NOT, p, f, i);
    } else {
        few_rows_together(k, plain, ASKS_L2, p, f);
    }
}

INLINE void few_steps_of(int k, bool plain, const struct ukr_strided *p, const struct few *f)
{
#define VECTORS(v)                                                                                 \
    case v:                                                                                        \
        if ((v) > FEW_VECTORS)                                                                     \
            break;                                                                                 \
        if ((v)*k > FEW_OF_B)                                                                      \
            return;                                                                                \
        if (p->n % LANES != 0)                                                                     \
            few_narrow((v) <= FEW_VECTORS ? v : 1, k, true, plain, p, f);                          \
        else                                                                                       \
            few_narrow((v) <= FEW_VECTORS ? v : 1, k, false, plain, p, f);                         \
        return;
    switch ((p->n + LANES - 1) / LANES) {
        VECTORS(1) VECTORS(2) VECTORS(3) VECTORS(4)
    }
#undef VECTORS
    if (HAS_WIDE && k <= FEW_STEPS_OF_WIDE)
        few_wide_rows(k, plain, p, f);
}

#define FEW(steps)                                                                                 \
    static __attribute__((noinline)) void few_steps_##steps(const struct ukr_strided *p)           \
    {                                                                                              \
        const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;                          \
        const int rest = (int)(p->n % LANES);                                                      \
        const struct few f = {broadcast(alpha), broadcast(beta), beta != 0,                        \
                              tail_of(rest ? rest : LANES)};                                       \
        if (alpha == 1 && beta == 0)                                                               \
            few_steps_of(steps, true, p, &f);                                                      \
        else                                                                                       \
            few_steps_of(steps, false, p, &f);                                                     \
    }
/* clang-format off */
FEW(1) FEW(2) FEW(3) FEW(4) FEW(5) FEW(6)
#ifdef __AVX512VL__
FEW(7) FEW(8) FEW(9) FEW(10) FEW(11) FEW(12)
#endif
/* clang-format on */
#undef FEW

        static ukr_strided_fn *const few_steps[] = {
            few_steps_1, few_steps_2, few_steps_3, few_steps_4,  few_steps_5,  few_steps_6,
#ifdef __AVX512VL__
            few_steps_7, few_steps_8, few_steps_9, few_steps_10, few_steps_11, few_steps_12,
#endif
};

/* With vectors of 32 bytes, whether a wide C is written while its next lines are prefetched because
 * stores wait for them. On a Xeon, two to four steps then take 0.75 to 0.95 of the time of tiles
 * where C or B is large, and more steps 0.7 to 1 where C is in L3 and B in L1. */
INLINE bool are_rows_asked_for(const struct ukr_strided *p)
{
    return HAS_WIDE && sizeof(V) == 32 && p->stores_wait == UKR_STORES_WAIT &&
           p->n > FEW_VECTORS * LANES;
}

/* Whether the functions of this file are faster than tiles. */
INLINE bool is_few_steps(const struct ukr_strided *p)
{
    const int64_t wide = (p->n + LANES - 1) / LANES, bytes = sizeof(T), c = few_bytes(p);
    if ((uint64_t)p->k - 1 >= FEW_STEPS)
        return false;
    if (FEW_REGISTERS < 16 && p->k > 1 && (p->k > MANY || are_rows_asked_for(p)))
        return are_rows_asked_for(p) &&
               (p->k <= MANY || (p->k * p->n * bytes <= FEW_B_BYTES && c > FEW_C_BYTES));
    if (wide <= FEW_VECTORS)
        return wide * p->k <= FEW_OF_B && (p->k <= FEW_STEPS_OF_WIDE || p->m >= LEAST_ROWS);
    if (!HAS_WIDE || p->k > FEW_STEPS_OF_WIDE || p->stores_wait == UKR_STORES_OF_TILES)
        return false;
    if (few_passes(p))
        return true;
    const bool near_b = p->k * p->n * bytes <= FEW_B_BYTES;
    if (FEW_REGISTERS < 16 && !near_b)
        return false;
    if (p->k == 1)
        return c <= FEW_ASKED_BYTES ||
               (p->stores_wait && p->n * bytes <= FEW_ROW_BYTES && c <= FEW_ALIGNED_BYTES &&
                *(const T *)p->alpha == 1 && *(const T *)p->beta == 0);
    if (p->k <= MANY)
        return c <= (near_b && p->stores_wait ? FEW_FAR_BYTES : FEW_ASKED_BYTES);
    return near_b ? c <= FEW_C_BYTES : c <= FEW_L2_BYTES && p->m >= LEAST_ROWS && p->m <= MOST_ROWS;
}

/* A larger B than this, or with vectors of 32 bytes than FEW_B_BYTES, is divided into parts of its
 * columns that stay in L1 while all rows are multiplied by them: it would come from L2 for each few
 * rows otherwise. Fewer rows than LEAST_ROWS read it too few times, and a C that comes from beyond
 * L3 is written faster from beginning to end. 0.75 to 1 of the time on a Zen 5. */
enum { FEW_PART_BYTES = 16 << 10 };

INLINE bool is_few_in_parts(const struct ukr_strided *p)
{
    const int64_t b_bytes = p->k * p->n * (int64_t)sizeof(T);
    if (p->m < LEAST_ROWS)
        return false;
    return sizeof(V) == 64 ? b_bytes > FEW_PART_BYTES && few_bytes(p) <= FEW_ASKED_BYTES
                           : b_bytes > FEW_B_BYTES && p->k > 1 && are_rows_asked_for(p);
}

static __attribute__((noinline)) void few_in_parts(const struct ukr_strided *p)
{
    const int64_t b_bytes = p->k * p->n * (int64_t)sizeof(T), lanes = LANES;
    const int64_t parts = (b_bytes + FEW_PART_BYTES - 1) / FEW_PART_BYTES;
    const int64_t columns = ((p->n + lanes - 1) / lanes + parts - 1) / parts * lanes;
    for (int64_t j = 0; j < p->n; j += columns) {
        const struct ukr_strided part = columns_of(p, j, columns < p->n - j ? columns : p->n - j);
        few_steps[p->k - 1](&part);
    }
}

/* A wide C may be divided into strips of so few columns that each is a narrow one, whose B stays in
 * registers: it is then neither loaded for each few rows nor does a tile begin and end in so few
 * steps. On a Zen 5, which multiplies as many vectors as it stores in five steps, tiles take 1.1 to
 * 1.25 times as long. Few rows load B too few times, and a C from memory is prefetched by tiles. */
enum { STRIP_ROWS = 8 };

/* Whether the rows of C begin at nearly the same place of a page. Their lines in a strip then share
 * so few sets of L1 that they evict one another before they are complete, and strips take twice as
 * long as tiles, which have fewer rows. */
INLINE bool rows_share_sets(const struct ukr_strided *p)
{
    enum { PAGE = 4096, BESIDE = 32 };
    return ((uint64_t)p->ldc * sizeof(T) + BESIDE) % PAGE < 2 * BESIDE;
}

INLINE bool is_in_strips(const struct ukr_strided *p)
{
    return sizeof(V) == 64 && p->stores_wait == UKR_STORES_OF_TILES &&
           (uint64_t)p->k - 1 < FEW_STEPS && p->m >= STRIP_ROWS && p->n > FEW_VECTORS * LANES &&
           few_bytes(p) <= FAR_C_BYTES && !rows_share_sets(p);
}

/* Computes m rows from row i on, so few that their lines of C stay in a cache: the first and the
 * last line of a row of a strip are also those of the strips beside it. */
static void few_strips_of(const struct ukr_strided *p, int64_t i, int64_t m)
{
    const int64_t of_b = FEW_OF_B / p->k, widest = of_b < FEW_VECTORS ? of_b : FEW_VECTORS;
    int64_t left = (p->n + LANES - 1) / LANES, j = 0;
    for (int64_t strips = (left + widest - 1) / widest; strips > 0; strips--) {
        const int64_t here = left / strips, n = here * LANES;
        struct ukr_strided strip = columns_of(p, j, n < p->n - j ? n : p->n - j);
        strip.m = m;
        strip.a = (const T *)p->a + i * p->a_row;
        strip.c = (T *)strip.c + i * p->ldc;
        few_steps[p->k - 1](&strip);
        left -= here;
        j += n;
    }
}

static __attribute__((noinline)) void few_in_strips(const struct ukr_strided *p)
{
    enum { ROWS_AT_ONCE = 64 };
    for (int64_t i = 0; i < p->m; i += ROWS_AT_ONCE)
        few_strips_of(p, i, p->m - i < ROWS_AT_ONCE ? p->m - i : ROWS_AT_ONCE);
}

/* Computes a product for which the functions of this file are faster. */
INLINE void in_few_steps(const struct ukr_strided *p)
{
    if (is_few_in_parts(p))
        few_in_parts(p);
    else
        few_steps[p->k - 1](p);
}

/* ukr_few_steps.h: products of few steps of k, on operands in place. Included by ukr_tile.h, of
 * which it is a part. SPDX-License-Identifier: MIT
 *
 * Writing C takes most of the time, and preparing a tile nearly as much. So there are no tiles: C
 * is written row after row, and each vector of it is computed in one go, in one register.
 *
 *     narrow C:                        wide C:
 *     B stays in registers             a few rows of A stay in registers, as broadcasts
 *       for rows of C                    for vectors of their rows of C
 *         broadcast A's row                load B's vectors
 *         multiply, write the row          multiply, write one vector of each row
 *
 * The sums are the same as in a tile, from zero on, in the order of k. */

/* The most steps of k, and those of a wide C; the registers for what stays in them: half of all. */
#ifdef __AVX512VL__
enum { FEW_STEPS = 12, FEW_STEPS_OF_WIDE = 8, FEW_REGISTERS = 16, FEW_OF_B = 24 };
#else
enum { FEW_STEPS = 4, FEW_STEPS_OF_WIDE = 4, FEW_REGISTERS = 8, FEW_OF_B = 8 };
#endif
/* The vectors of a row of a narrow C; the rows of a wide one that are written side by side. */
enum { FEW_VECTORS = 4, FEW_ROWS = 4 };
INLINE int few_rows(int k)
{
    return FEW_REGISTERS / k < FEW_ROWS ? FEW_REGISTERS / k : FEW_ROWS;
}

/* What each vector of C needs. `plain`, a constant: alpha is 1 and beta 0. */
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

/* One vector of C. */
INLINE V few_sum(int k, bool ragged, Tail tail, const V *a, const V *b)
{
    V sum = zero();
    UNROLLED(p, k) sum = ragged ? fmadd_tail(a[p], b[p], sum, tail) : fmadd(a[p], b[p], sum);
    return sum;
}

/* The vector of B's row at b, of which the last one is read with a mask. */
INLINE V few_load(const struct few *f, bool ragged, const T *b)
{
    return ragged ? load_tail(b, f->tail, broadcast(*b)) : load(b);
}

/* All rows, of nv vectors. */
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

/* Asks for the line of C that is written 256 bytes later. On a Xeon stores of 32 bytes to a C in L2
 * take half the time with it; those of 64 bytes take as long as without. */
INLINE void few_ask_for(const T *c)
{
    enum { AHEAD = 256 };
    if (sizeof(V) == 32)
        __builtin_prefetch((const char *)c + AHEAD, 1);
}

/* m rows from row i on, of any number of vectors. `asks`, a constant: for C ahead. */
INLINE void few_wide(int m, int k, bool plain, bool asks, const struct ukr_strided *p,
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
        if (asks)
            few_ask_for(c);
        UNROLLED(x, m)
        few_write(f, plain, false, c + x * ldc, few_sum(k, false, f->tail, ai[x], bv));
    }
    if (left > 0) {
        V bv[FEW_STEPS];
        UNROLLED(s, k) bv[s] = few_load(f, true, b + s * b_step);
        UNROLLED(x, m) few_write(f, plain, true, c + x * ldc, few_sum(k, true, f->tail, ai[x], bv));
    }
}

/* Whether vectors of C lie across two lines. */
INLINE bool is_across_lines(const struct ukr_strided *p)
{
    const uint64_t row_bytes = (uint64_t)p->ldc * sizeof(T);
    return (((uintptr_t)p->c | row_bytes) & (sizeof(V) - 1)) != 0;
}

INLINE void few_wide_rows(int k, bool plain, const struct ukr_strided *p, const struct few *f)
{
    if (p->single_rows && (sizeof(V) == 32 || is_across_lines(p))) {
        for (int64_t i = 0; i < p->m; i++)
            few_wide(1, k, plain, true, p, f, i);
        return;
    }
    const int rows = few_rows(k);
    int64_t i = 0;
    for (; i + rows <= p->m; i += rows)
        few_wide(rows, k, plain, false, p, f, i);
    switch (p->m - i) {
    case 3:
        if (rows > 3)
            few_wide(3, k, plain, false, p, f, i);
        break;
    case 2:
        if (rows > 2)
            few_wide(2, k, plain, false, p, f, i);
        break;
    case 1:
        if (rows > 1)
            few_wide(1, k, plain, false, p, f, i);
        break;
    }
}

INLINE void few_steps_of(int k, bool plain, const struct ukr_strided *p, const struct few *f)
{
#define VECTORS(v)                                                                                 \
    case v:                                                                                        \
        if ((v)*k > FEW_OF_B)                                                                      \
            return;                                                                                \
        if (p->n % LANES != 0)                                                                     \
            few_narrow(v, k, true, plain, p, f);                                                   \
        else                                                                                       \
            few_narrow(v, k, false, plain, p, f);                                                  \
        return;
    switch ((p->n + LANES - 1) / LANES) {
        VECTORS(1) VECTORS(2) VECTORS(3) VECTORS(4)
    }
#undef VECTORS
    if (k <= FEW_STEPS_OF_WIDE)
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
FEW(1) FEW(2) FEW(3) FEW(4)
#ifdef __AVX512VL__
FEW(5) FEW(6) FEW(7) FEW(8) FEW(9) FEW(10) FEW(11) FEW(12)
#endif
/* clang-format on */
#undef FEW

        static ukr_strided_fn *const few_steps[] = {
            few_steps_1, few_steps_2,  few_steps_3,  few_steps_4,
#ifdef __AVX512VL__
            few_steps_5, few_steps_6,  few_steps_7,  few_steps_8,
            few_steps_9, few_steps_10, few_steps_11, few_steps_12,
#endif
};

/* Of a wide C: a larger one comes from memory, or from L3 if there are more than MANY steps, and is
 * written faster in tiles, which prefetch it. A larger B is not in L1: tiles read it less often
 * than few rows at a time do, which pays for a medium number of rows if C stays in L2. With more
 * steps than a wide C may have, loading the vectors of a narrow one pays from LEAST_ROWS on. */
enum { FEW_FAR_BYTES = 8 << 20, FEW_C_BYTES = 2 << 20, FEW_B_BYTES = 24 << 10 };
enum { MANY = FEW_STEPS_OF_WIDE / 2, LEAST_ROWS = 16, MOST_ROWS = 64, FEW_L2_BYTES = 960 << 10 };

/* Whether this is faster than tiles. */
INLINE bool is_few_steps(const struct ukr_strided *p)
{
    const int64_t wide = (p->n + LANES - 1) / LANES, bytes = sizeof(T), c = p->m * p->n * bytes;
    if ((uint64_t)p->k - 1 >= FEW_STEPS)
        return false;
    if (wide <= FEW_VECTORS)
        return wide * p->k <= FEW_OF_B && (p->k <= FEW_STEPS_OF_WIDE || p->m >= LEAST_ROWS);
    if (p->k > FEW_STEPS_OF_WIDE)
        return false;
    const bool near_b = p->k * p->n * bytes <= FEW_B_BYTES;
    if (FEW_REGISTERS < 16 && !near_b)
        return false;
    if (p->k <= MANY)
        return c <= FEW_FAR_BYTES;
    return near_b ? c <= FEW_C_BYTES : c <= FEW_L2_BYTES && p->m >= LEAST_ROWS && p->m <= MOST_ROWS;
}

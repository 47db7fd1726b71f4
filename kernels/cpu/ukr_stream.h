/* ukr_stream.h: micro-kernels for a B that comes from memory or from L3.
 * SPDX-License-Identifier: MIT
 *
 * It is included after ukr_tile.h, and defines `thin` and `packing`, functions of a struct ukr
 * (ukr.h), for all instruction sets. A core reaches the full speed of memory only if loads are
 * requested some 100 nanoseconds before they are needed. B is read
 *
 *     along     a few rows of B at a time, from beginning to end, as the hardware prefetchers
 *               follow them; the loop over tiles is in this file, so that nothing delays the loads
 *               of the next tile
 *     down      one tile's width at a time, so that sums stay in registers; the elements
 *               STREAM_AHEAD rows further are prefetched, and after the last row those of the next
 *               tile
 *
 * If many rows of A follow, the first of them also store B as a packed panel. A tile spends its
 * time multiplying, so additional loads and stores take little time, while packing separately takes
 * a twentieth of a product of 512. */
enum { THIN_STEPS = 8, STREAM_AHEAD = 40 };
/* If a panel is one cache line wide, no B is read down its rows (gr_gemm_has_wide_panels). */
enum { IS_DOWN = NR * sizeof(T) >= 128 };
enum { ALONG_AHEAD_BYTES = 1024, ALONG_AHEAD = ALONG_AHEAD_BYTES / sizeof(T) };

/* Transposes m rows of A: A[i, p] becomes transposed[p*m + i]. */
INLINE void turn(int m, int64_t k, const T *a, int64_t a_row, int64_t a_step, T *transposed)
{
    for (int i = 0; i < m; i++)
        for (int64_t p = 0; p < k; p++)
            transposed[p * m + i] = a[i * a_row + p * a_step];
}

/* Computes a tile of nv vectors and THIN_STEPS steps, and prefetches the memory `ahead` bytes
 * further. */
INLINE void along_tile(int m, int nv, const T *alpha, const T *a, const T *b, int64_t b_step,
                       int64_t ahead, bool add, const T *beta, T *c, int64_t ldc)
{
    V sum[ROWS_MOST][WIDEST];
    clear(m, nv, sum);
    for (int p = 0; p < THIN_STEPS; p++) {
        V bv[WIDEST];
        UNROLLED(v, nv)
        {
            __builtin_prefetch((const char *)(b + v * LANES) + ahead, 0, 3);
            bv[v] = load(b + v * LANES);
        }
        UNROLLED(i, m)
        {
            const V ai = broadcast(a[p * m + i]);
            UNROLLED(v, nv) sum[i][v] = fmadd(ai, bv[v], sum[i][v]);
        }
        b += b_step;
    }
    update_tile(m, nv, sum, NO_REST, tail_of(LANES), nv * LANES, alpha, add, beta, c, ldc);
}

/* Computes whole tiles along THIN_STEPS rows of B. Returns their number of columns. Near the end of
 * the rows, beyond which columns may belong to another thread, the next rows are prefetched. */
INLINE int64_t along_with(int m, bool add, int64_t n, const T *alpha, const T *a, int64_t a_row,
                          int64_t a_step, const T *b, int64_t b_step, const T *beta, T *c,
                          int64_t ldc)
{
    T transposed[THIN_STEPS * MR];
    turn(m, THIN_STEPS, a, a_row, a_step, transposed);
    const int64_t next_rows = (THIN_STEPS * b_step - n) * (int64_t)sizeof(T);
    int64_t j = 0;
    for (; j + NR <= n; j += NR)
        along_tile(m, NV, alpha, transposed, b + j, b_step,
                   ALONG_AHEAD_BYTES + (j + ALONG_AHEAD < n ? 0 : next_rows), add, beta, c + j,
                   ldc);
    return j;
}

INLINE int64_t along(int m, int64_t n, const T *alpha, const T *a, int64_t a_row, int64_t a_step,
                     const T *b, int64_t b_step, const T *beta, T *c, int64_t ldc)
{
    if (*beta != 0)
        return along_with(m, true, n, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
    return along_with(m, false, n, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
}

/* The memory that a tile prefetches: rows of B further down and, in its last steps, `next`. */
struct prefetch {
    int64_t last; /* the number of last steps */
    struct ahead below, beside;
};

INLINE struct prefetch prefetch_of(int64_t k, const T *b, int64_t b_step, const T *next, T *panel)
{
    const int64_t row = b_step * (int64_t)sizeof(T), last = k < STREAM_AHEAD ? k : STREAM_AHEAD;
    const int64_t apart = (int64_t)((intptr_t)next - (intptr_t)b);
    return (struct prefetch){
        last,
        {.step = STREAM_AHEAD * row, .panel = panel},
        {.step = apart - (k - last) * row, .panel = panel ? panel + (k - last) * NR : NULL}};
}

/* Computes one tile's width of B, from the first row to the last. The next one begins at `next`. */
INLINE void down(int m, int64_t k, const T *alpha, const T *a, const T *b, int64_t b_step,
                 const T *next, const T *beta, T *c, int64_t ldc)
{
    const Tail all = tail_of(LANES);
    struct prefetch prefetch = prefetch_of(k, b, b_step, next, NULL);
    V sum[ROWS_MOST][WIDEST];
    clear(m, NV, sum);
    multiply(m, NV, sum, NO_REST, STREAMED, all, NR, k - prefetch.last, &a, 1, m, &b, b_step,
             &prefetch.below);
    multiply(m, NV, sum, NO_REST, STREAMED, all, NR, prefetch.last, &a, 1, m, &b, b_step,
             &prefetch.beside);
    if (*beta != 0)
        update_tile(m, NV, sum, NO_REST, all, NR, alpha, true, beta, c, ldc);
    else
        update_tile(m, NV, sum, NO_REST, all, NR, alpha, false, beta, c, ldc);
}

INLINE int64_t down_all(int m, int64_t n, int64_t k, const T *alpha, const T *a, const T *b,
                        int64_t b_step, const T *beta, T *c, int64_t ldc)
{
    int64_t j = 0;
    for (; j + NR <= n; j += NR)
        down(m, k, alpha, a, b + j, b_step, b + (j + 2 * NR <= n ? j + NR : 0), beta, c + j, ldc);
    return j;
}

/* Computes whole tiles. Returns their number of columns. */
INLINE int64_t thin_tiles(const struct ukr_strided *p)
{
    const T *alpha = p->alpha, *a = p->a, *b = p->b, *beta = p->beta;
    T *c = p->c;
    const int64_t m = p->m, n = p->n, k = p->k;
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        if (i <= MR && k == THIN_STEPS)                                                            \
            return along(i <= MR ? i : 1, n, alpha, a, p->a_row, p->a_step, b, p->b_step, beta, c, \
                         p->ldc);                                                                  \
        if (IS_DOWN && i <= MR && i > UKR_THIN_FEW && k > THIN_STEPS)                              \
            return down_all(i <= MR ? i : 1, n, k, alpha, a, b, p->b_step, beta, c, p->ldc);       \
        break;
    switch (m) {
        ALL_ROWS
    }
#undef ROWS
    return 0;
}

/* Columns after the whole tiles, and all columns if there are too few steps, are computed like any
 * other operands in place. */
static void thin(const struct ukr_strided *p)
{
    const int64_t done = thin_tiles(p);
    const struct ukr_strided rest = columns_of(p, done, p->n - done);
    if (rest.n > 0)
        strided(&rest);
}

/* The rows of C are prefetched one by one, as in tile(), each before C_APART of the last steps. */
enum { C_APART = STREAM_AHEAD / MR < C_STEPS ? STREAM_AHEAD / MR : C_STEPS };

INLINE void packing_tile(int64_t k, const T *alpha, const T *a, int64_t a_row, int64_t a_step,
                         const T *b, int64_t b_step, const T *next, const T *beta, T *c,
                         int64_t ldc, T *panel)
{
    const Tail all = tail_of(LANES);
    struct prefetch prefetch = prefetch_of(k, b, b_step, next, panel);
    const int64_t apart = prefetch.last < STREAM_AHEAD ? 0 : C_APART;
    V sum[ROWS_MOST][WIDEST];
    clear(MR, NV, sum);
    multiply(MR, NV, sum, NO_REST, PACKING, all, NR, k - prefetch.last, &a, a_row, a_step, &b,
             b_step, &prefetch.below);
    multiply(MR, NV, sum, NO_REST, PACKING, all, NR, prefetch.last - MR * apart, &a, a_row, a_step,
             &b, b_step, &prefetch.beside);
    if (apart)
        for (int row = 0; row < MR; row++) {
            prefetch_row(NR, c + row * ldc);
            multiply(MR, NV, sum, NO_REST, PACKING, all, NR, C_APART, &a, a_row, a_step, &b, b_step,
                     &prefetch.beside);
        }
    if (*beta != 0)
        update_tile(MR, NV, sum, NO_REST, all, NR, alpha, true, beta, c, ldc);
    else
        update_tile(MR, NV, sum, NO_REST, all, NR, alpha, false, beta, c, ldc);
}

/* If A is packed, its strides are constants, so that it has code of its own. */
static void packing(int64_t k, const void *alpha, const void *a, int64_t a_row, int64_t a_step,
                    const void *b, int64_t b_step, const void *next, const void *beta, void *c,
                    int64_t ldc, void *panel)
{
    if (a_row == 1 && a_step == MR)
        packing_tile(k, alpha, a, 1, MR, b, b_step, next, beta, c, ldc, panel);
    else
        packing_tile(k, alpha, a, a_row, a_step, b, b_step, next, beta, c, ldc, panel);
}

/* ukr_thin.h: few rows of A times whole rows of B, once for all instruction sets. SPDX-License-Identifier: MIT
 *
 * To be included after ukr_tile.h. It gives `thin`, a function of a struct ukr (ukr.h). A tile is as of
 * run_strided, but the loop along the rows of B is in here, with a few steps of k inside it:
 *
 *                    B: THIN_STEPS rows at most, each a stream from memory
 *                       | tile | tile | tile | ...  ->
 *     A: m x steps      | C    |      |      |
 *
 * Between two tiles no branch is guessed wrong, so that the loads of the next run ahead of the sums of this one:
 * a call for each tile kept memory waiting for half of the time. */
enum { THIN_STEPS = UKR_THIN_STEPS };
#ifndef THIN_AHEAD
#define THIN_AHEAD 1024
#endif

/* One step: a[i] is A's element of row i. */
INLINE void thin_step(int m, int nv, V sum[ROWS_MOST][WIDEST], bool ragged, Tail tail, int n,
                      const T *a, const T *b)
{
    V bv[WIDEST];
    UNROLLED(v, nv) __builtin_prefetch((const char *)b + THIN_AHEAD + v * (int)sizeof(V), 0, 3);
    UNROLLED(v, nv)
    bv[v] = ragged ? load_tail(b + v * LANES, tail, broadcast(b[n - 1])) : load(b + v * LANES);
    UNROLLED(i, m)
    {
        const V ai = broadcast(a[i]);
        UNROLLED(v, nv)
        sum[i][v] = ragged ? fmadd_tail(ai, bv[v], sum[i][v], tail) : fmadd(ai, bv[v], sum[i][v]);
    }
}

/* A's elements lie in the order of use. */
INLINE void thin_tile(int m, int nv, bool ragged, Tail tail, int n, int steps, const T *alpha,
                      const T *a, const T *b, int64_t b_step, bool add, const T *beta, T *c,
                      int64_t ldc)
{
    V sum[ROWS_MOST][WIDEST];
    clear(m, nv, sum);
    if (steps == THIN_STEPS) {
        UNROLLED(p, THIN_STEPS)
        thin_step(m, nv, sum, ragged, tail, n, a + p * m, b + p * b_step);
    } else {
        for (int p = 0; p < steps; p++)
            thin_step(m, nv, sum, ragged, tail, n, a + p * m, b + p * b_step);
    }
    OPAQUE(alpha);
    OPAQUE(beta);
    update_tile(m, nv, sum, ragged, tail, alpha, add, beta, c, ldc);
}

/* m, steps and add are constants wherever this is inlined, but for the steps of a last few. */
INLINE void thin_rows(int m, int steps, bool add, int64_t n, const T *alpha, const T *a,
                      int64_t a_row, int64_t a_step, const T *b, int64_t b_step, const T *beta,
                      T *c, int64_t ldc)
{
    T turned[THIN_STEPS * MR];
    for (int p = 0; p < steps; p++)
        for (int i = 0; i < m; i++)
            turned[p * m + i] = a[i * a_row + p * a_step];
    int64_t j = 0;
    for (; j + NR <= n; j += NR)
        thin_tile(m, NV, false, tail_of(LANES), NR, steps, alpha, turned, b + j, b_step, add, beta,
                  c + j, ldc);
    for (; j + LANES <= n; j += LANES)
        thin_tile(m, 1, false, tail_of(LANES), LANES, steps, alpha, turned, b + j, b_step, add,
                  beta, c + j, ldc);
    if (j < n)
        thin_tile(m, 1, true, tail_of((int)(n - j)), (int)(n - j), steps, alpha, turned, b + j,
                  b_step, add, beta, c + j, ldc);
}

INLINE void thin_steps(int m, int64_t n, int steps, const T *alpha, const T *a, int64_t a_row,
                       int64_t a_step, const T *b, int64_t b_step, const T *beta, T *c, int64_t ldc)
{
    if (steps == THIN_STEPS && *beta != 0)
        thin_rows(m, THIN_STEPS, true, n, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
    else if (steps == THIN_STEPS)
        thin_rows(m, THIN_STEPS, false, n, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
    else
        thin_rows(m, steps, *beta != 0, n, alpha, a, a_row, a_step, b, b_step, beta, c, ldc);
}

/* Rows in equal parts, none of more than MR. */
static void thin(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int64_t a_row,
                 int64_t a_step, const void *b, int64_t b_step, const void *beta, void *c,
                 int64_t ldc)
{
    const T *a_at = a;
    T *c_at = c;
    for (int64_t parts = (m + MR - 1) / MR; parts > 0; parts--) {
        const int64_t rows = m / parts;
        switch (rows) {
#define ROWS(i)                                                                                    \
    case i:                                                                                        \
        thin_steps(i <= MR ? i : 1, n, (int)k, alpha, a_at, a_row, a_step, b, b_step, beta, c_at,  \
                   ldc);                                                                           \
        break;
            ALL_ROWS
#undef ROWS
        }
        m -= rows;
        a_at += rows * a_row;
        c_at += rows * ldc;
    }
}

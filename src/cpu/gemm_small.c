/* gemm_small.c: small products, for which packing does not pay.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

/* Up to 96^3 a packed copy is read too few times to earn back what it costs. */
static const double PACKING_PAYS = 96.0 * 96.0 * 96.0;

/* Rounded up. The smallest products have one tile each way, and no time for a division. */
static int64_t parts_of(int64_t whole, int64_t most)
{
    return whole <= most ? 1 : (whole + most - 1) / most;
}

/* Columns j..j+n-1, which are `vectors` vectors: rows in equal parts, so that the last is no
 * sliver, which would leave the multiply-add units waiting for their own results. */
static void multiply_columns(const struct product *p, int64_t j, int64_t n, int64_t vectors)
{
    const struct ukr *u = p->ukr;
    const int64_t parts = parts_of(p->m, u->strided_rows[vectors - 1]);
    const int64_t rows = parts == 1 ? p->m : parts_of(p->m, parts);
    for (int64_t i = 0; i < p->m; i += rows) {
        const int64_t m = p->m - i < rows ? p->m - i : rows;
        char *c = p->c + (i * p->ldc + j) * p->bytes;
        u->run_strided(m, n, p->k, &p->alpha, p->a + i * p->a_row * p->bytes, p->a_row, p->a_col,
                       p->b + j * p->bytes, p->b_row, &p->beta, c, p->ldc);
        if (p->finishes)
            gr_gemm_finish(p, c, p->ldc, i, m, j, n);
    }
}

/* The micro-kernel loads whole vectors along j, so the columns of B must lie side by side. */
bool gr_gemm_is_small(const struct product *p)
{
    return p->b_col == 1 && (double)p->m * (double)p->n * (double)p->k <= PACKING_PAYS;
}

/* Vectors of columns in equal parts too: four are two and two, not three and one. */
bool gr_gemm_small(const struct product *p)
{
    const struct ukr *u = p->ukr;
    if (p->a_panels || p->b_panels || !gr_gemm_is_small(p))
        return false;
    const int shift = __builtin_ctzll((unsigned long long)u->lanes); /* a power of two */
    const int64_t vectors = (p->n + u->lanes - 1) >> shift, parts = parts_of(p->n, u->nr);
    int64_t left = vectors, j = 0;
    for (int64_t part = parts; part > 0; part--) {
        const int64_t here = part == 1 ? left : left / part, end = j + (here << shift);
        const int64_t n = (end < p->n ? end : p->n) - j;
        multiply_columns(p, j, n, here);
        left -= here;
        j = end;
    }
    return true;
}

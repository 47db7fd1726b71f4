/* gemm_small.c: small products, for which packing does not pay.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

/* Up to 96^3 a packed copy is read too few times to earn back what it costs. */
static const double PACKING_PAYS = 96.0 * 96.0 * 96.0;

/* The micro-kernel loads whole vectors along j, so the columns of B must lie side by side. */
bool gr_gemm_is_small(const struct product *p)
{
    return p->b_col == 1 && (double)p->m * (double)p->n * (double)p->k <= PACKING_PAYS;
}

bool gr_gemm_small(const struct product *p)
{
    const struct ukr *u = p->ukr;
    if (p->a_panels || p->b_panels || !gr_gemm_is_small(p))
        return false;
    for (int64_t j = 0; j < p->n; j += u->nr) {
        const int64_t n = p->n - j < u->nr ? p->n - j : u->nr;
        for (int64_t i = 0; i < p->m; i += u->mr) {
            const int64_t m = p->m - i < u->mr ? p->m - i : u->mr;
            char *c = p->c + (i * p->ldc + j) * p->bytes;
            u->run_strided(m, n, p->k, &p->alpha, p->a + i * p->a_row * p->bytes, p->a_row,
                           p->a_col, p->b + j * p->bytes, p->b_row, &p->beta, c, p->ldc);
            if (p->finishes)
                gr_gemm_finish(p, c, p->ldc, i, m, j, n);
        }
    }
    return true;
}

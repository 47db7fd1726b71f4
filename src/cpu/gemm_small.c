/* gemm_small.c: products for which packing does not pay: none at all, and small ones.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

/* Up to 96^3 a packed copy is read too few times to earn back what it costs. */
static const double PACKING_PAYS = 96.0 * 96.0 * 96.0;

/* The two types differ in nothing but T. */
#define DEFINE_SCALE(T)                                                                            \
    static void scale_##T(T *c, int64_t m, int64_t n, int64_t ldc, T beta)                         \
    {                                                                                              \
        for (int64_t i = 0; i < m; i++, c += ldc)                                                  \
            for (int64_t j = 0; j < n; j++)                                                        \
                c[j] = beta == 0 ? 0 : beta * c[j];                                                \
    }
DEFINE_SCALE(float)
DEFINE_SCALE(double)

void gr_gemm_scale(const struct product *p)
{
    if (p->bytes == 4 && p->beta.f32 != 1)
        scale_float((float *)p->c, p->m, p->n, p->ldc, p->beta.f32);
    if (p->bytes == 8 && p->beta.f64 != 1)
        scale_double((double *)p->c, p->m, p->n, p->ldc, p->beta.f64);
}

/* The micro-kernel loads whole vectors along j, so the columns of B must lie side by side. */
bool gr_gemm_is_small(const struct product *p)
{
    return p->b_col == 1 && (double)p->m * (double)p->n * (double)p->k <= PACKING_PAYS;
}

void gr_gemm_small(const struct product *p)
{
    const struct ukr *u = p->ukr;
    for (int64_t j = 0; j < p->n; j += u->nr) {
        const int64_t n = p->n - j < u->nr ? p->n - j : u->nr;
        for (int64_t i = 0; i < p->m; i += u->mr) {
            const int64_t m = p->m - i < u->mr ? p->m - i : u->mr;
            u->run_strided(m, n, p->k, &p->alpha, p->a + i * p->a_row * p->bytes, p->a_row,
                           p->a_col, p->b + j * p->bytes, p->b_row, &p->beta,
                           p->c + (i * p->ldc + j) * p->bytes, p->ldc);
        }
    }
}

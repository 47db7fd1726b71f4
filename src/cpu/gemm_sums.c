/* gemm_sums.c: adds the sum of a part of k to C. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#define DEFINE_ADD(T, name)                                                                        \
    static void add_##name(T beta, T *c, int64_t ldc, const T *sum, int64_t ld, int64_t m,         \
                           int64_t n)                                                              \
    {                                                                                              \
        for (int64_t i = 0; i < m; i++, c += ldc, sum += ld)                                       \
            for (int64_t j = 0; j < n; j++)                                                        \
                c[j] = beta == 0 ? sum[j] : beta * c[j] + sum[j];                                  \
    }
DEFINE_ADD(float, f32)
DEFINE_ADD(double, f64)

void gr_gemm_add(const struct gr_product *p, const union gr_number *beta, char *c, int64_t ldc,
                 const char *sum, int64_t ld, int64_t m, int64_t n)
{
    if (p->bytes == 4)
        add_f32(beta->f32, (float *)c, ldc, (const float *)sum, ld, m, n);
    else
        add_f64(beta->f64, (double *)c, ldc, (const double *)sum, ld, m, n);
}

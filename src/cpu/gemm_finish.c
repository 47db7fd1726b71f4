/* gemm_finish.c: the epilogue, applied to a part of C while it is in the cache.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include <math.h>

/* x * Phi(x), by erfc, which does not cancel where Phi is small. Phi(-40) is 0 in any type, and
 * 0 * -inf would not be. */
static double gelu(double x)
{
    return x < -40 ? 0 * -1.0 : 0.5 * x * erfc(x * -0.70710678118654752440);
}

#define GELU_F32(x) ((float)gelu(x))
#define GELU_S32(x) (x) /* refused beforehand */

/* Signed sums wrap: they are added as U, their unsigned kin. */
#define DEFINE_FINISH(T, U, GELU)                                                                  \
    static void bias_##T(const struct product *p, T *c, int64_t i, int64_t j, int64_t n)           \
    {                                                                                              \
        const T *bias = (const T *)p->bias + i * p->bias_row + j * p->bias_col;                    \
        for (int64_t x = 0; x < n; x++)                                                            \
            c[x] = (T)((U)c[x] + (U)bias[x * p->bias_col]);                                        \
    }                                                                                              \
                                                                                                   \
    static void activate_##T(enum gradus_activation activation, T *c, int64_t n)                   \
    {                                                                                              \
        if (activation == GRADUS_RELU)                                                             \
            for (int64_t x = 0; x < n; x++)                                                        \
                c[x] = c[x] < 0 ? 0 : c[x];                                                        \
        if (activation == GRADUS_GELU)                                                             \
            for (int64_t x = 0; x < n; x++)                                                        \
                c[x] = GELU(c[x]);                                                                 \
    }                                                                                              \
                                                                                                   \
    static void finish_##T(const struct product *p, T *c, int64_t ld, int64_t i, int64_t m,        \
                           int64_t j, int64_t n)                                                   \
    {                                                                                              \
        for (const int64_t end = i + m; i < end; i++, c += ld) {                                   \
            if (p->bias)                                                                           \
                bias_##T(p, c, i, j, n);                                                           \
            activate_##T(p->activation, c, n);                                                     \
        }                                                                                          \
    }
DEFINE_FINISH(float, float, GELU_F32)
DEFINE_FINISH(double, double, gelu)
DEFINE_FINISH(int32_t, uint32_t, GELU_S32)

void gr_gemm_finish(const struct product *p, void *tile, int64_t ld, int64_t i, int64_t m,
                    int64_t j, int64_t n)
{
    if (p->sum_type == GRADUS_F64)
        finish_double(p, tile, ld, i, m, j, n);
    else if (p->sum_type == GRADUS_S32)
        finish_int32_t(p, tile, ld, i, m, j, n);
    else
        finish_float(p, tile, ld, i, m, j, n);
}

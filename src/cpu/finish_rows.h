/* finish_rows.h: the loops of the epilogue, compiled once for each width of vectors.
 * SPDX-License-Identifier: MIT
 *
 * The including file is compiled with the flags of its ISA, and without contraction of
 * multiplications and additions, so that the bits of an element do not depend on its position in a
 * vector. */
#ifndef CPU_FINISH_ROWS_H
#define CPU_FINISH_ROWS_H

#include "cpu/gemm.h"

#include <math.h>
#include <string.h>

/* e^-y for 0 <= y < 500, with a relative error of 1e-10: 2^n * e^r with |r| <= ln 2 / 2, and e^r by
 * its series. Adding 1.5 * 2^52 rounds to a whole number, which is then in the lowest bits. */
static inline double exp_minus(double y)
{
    const double rounder = 0x1.8p52;
    const double shifted = y * -0x1.71547652b82fep0 + rounder, n = shifted - rounder;
    const double r = -y - n * 0x1.62e42fefa39efp-1;
    const double series =
        1 +
        r * (1 +
             r * (1. / 2 +
                  r * (1. / 6 +
                       r * (1. / 24 + r * (1. / 120 +
                                           r * (1. / 720 + r * (1. / 5040 + r * (1. / 40320))))))));
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return series * power;
}

/* x * Phi(x) in double, rounded once. For t = |x|, Phi(-t) = e^(-t^2/2) * s * P(s) with s = 1 / (1
 * + t/5). The polynomial P interpolates at the Chebyshev points of 0 <= t <= 15, with a relative
 * error of 1e-10. Beyond, Phi(-t) is 0 in float. The code has no branches, so that it can be
 * vectorised. */
static inline float gelu_f32(float x)
{
    static const double P[] = {
        0.079787050017591741036, 0.079829890548680269922, 0.076055004861519012522,
        0.074378487975164675768, 0.040066496830174247119, 0.12248668073876322049,
        -0.14034899063324942797, 0.33367802949435036554,  -0.35511063588581920157,
        0.30031019742745280623,  -0.13383203185379003448, 0.02269982051221395625};
    const double wide = x, from = wide < -15 ? -15 : wide; /* a NaN stays one */
    const double size = from < 0 ? -from : from, t = size < 15 ? size : 15;
    const double s = 1 / (1 + t * 0.2);
    double sum = P[11];
    for (int i = 10; i >= 0; i--)
        sum = sum * s + P[i];
    const double tail = exp_minus(0.5 * t * t) * s * sum;
    return (float)(from * (from < 0 ? tail : 1 - tail));
}

/* The same with the C library's erfc, one number at a time. Below -40 the result is 0; the formula
 * would give NaN for -inf, as 0 times -inf. */
static inline double gelu_f64(double x)
{
    return x < -40 ? -0.0 : 0.5 * x * erfc(x * -0.70710678118654752440);
}

/* The approximation with tanh: x / (1 + e^-y), y = 2 * sqrt(2/pi) * (x + 0.044715 x^3), in double,
 * rounded once. The code has no branches, so that it can be vectorised. From |x| = 15 on, e^-|y| is
 * negligible beside 1, and 0 in float. */
static inline float gelu_tanh_f32(float x)
{
    const double wide = x, from = wide < -15 ? -15 : wide; /* a NaN stays one */
    const double size = from < 0 ? -from : from;
    const double t = size < 15 ? size : 15;
    const double e = exp_minus(1.5957691216057307 * t * (1 + 0.044715 * t * t));
    return (float)(from * (from < 0 ? e : 1) / (1 + e));
}

static inline double gelu_tanh_f64(double x)
{
    return x < -40 ? -0.0 : x / (1 + exp(-1.5957691216057307 * x * (1 + 0.044715 * x * x)));
}

#define GELU_S32(x) (x) /* validation refuses GELU with s32 */

/* Signed sums wrap around. They are added as U, the unsigned type of the same size. */
#define DEFINE_FINISH(T, U, GELU, GELU_TANH)                                                       \
    static void bias_##T(const struct gr_product *p, T *c, int64_t i, int64_t j, int64_t n)        \
    {                                                                                              \
        const T *bias = (const T *)p->bias + (p->bias_row ? i : j);                                \
        if (p->bias_row)                                                                           \
            for (int64_t x = 0; x < n; x++)                                                        \
                c[x] = (T)((U)c[x] + (U)*bias);                                                    \
        else                                                                                       \
            for (int64_t x = 0; x < n; x++)                                                        \
                c[x] = (T)((U)c[x] + (U)bias[x]);                                                  \
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
        if (activation == GRADUS_GELU_TANH)                                                        \
            for (int64_t x = 0; x < n; x++)                                                        \
                c[x] = GELU_TANH(c[x]);                                                            \
    }                                                                                              \
                                                                                                   \
    static void finish_##T(const struct gr_product *p, T *c, int64_t ld, int64_t i, int64_t m,     \
                           int64_t j, int64_t n)                                                   \
    {                                                                                              \
        for (const int64_t end = i + m; i < end; i++, c += ld) {                                   \
            if (p->bias)                                                                           \
                bias_##T(p, c, i, j, n);                                                           \
            activate_##T(p->activation, c, n);                                                     \
        }                                                                                          \
    }

/* Defines a gr_finish_fn. */
#define DEFINE_FINISH_ALL(name)                                                                    \
    DEFINE_FINISH(float, float, gelu_f32, gelu_tanh_f32)                                           \
    DEFINE_FINISH(double, double, gelu_f64, gelu_tanh_f64)                                         \
    DEFINE_FINISH(int32_t, uint32_t, GELU_S32, GELU_S32)                                           \
                                                                                                   \
    void name(const struct gr_product *p, void *tile, int64_t ld, int64_t i, int64_t m, int64_t j, \
              int64_t n)                                                                           \
    {                                                                                              \
        if (p->sum_type == GRADUS_F64)                                                             \
            finish_double(p, tile, ld, i, m, j, n);                                                \
        else if (p->sum_type == GRADUS_S32)                                                        \
            finish_int32_t(p, tile, ld, i, m, j, n);                                               \
        else                                                                                       \
            finish_float(p, tile, ld, i, m, j, n);                                                 \
    }

#endif

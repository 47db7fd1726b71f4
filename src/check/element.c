/* element.c: reads, rounds and stores the values of the element types.
 * SPDX-License-Identifier: MIT */
#include "check/element.h"

#include "check/check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A binary floating-point format; all zero for integers. */
struct layout {
    int exponent_bits, mantissa_bits;
    /* It has infinities; without them only the all-ones pattern is NaN (OCP FP8 E4M3). */
    bool infinite;
};

static const struct layout layouts[GR_DTYPE_COUNT] = {
    [GR_F64] = {11, 52, true}, [GR_F32] = {8, 23, true}, [GR_TF32] = {8, 10, true},
    [GR_F22] = {8, 13, true},  [GR_F16] = {5, 10, true}, [GR_BF16] = {8, 7, true},
    [GR_E4M3] = {4, 3, false}, [GR_E5M2] = {5, 2, true},
};

static int bias_of(struct layout f)
{
    return (1 << (f.exponent_bits - 1)) - 1;
}

static double decode(struct layout f, unsigned bits)
{
    unsigned ones = (1u << f.exponent_bits) - 1, full = (1u << f.mantissa_bits) - 1;
    unsigned mantissa = bits & full, exponent = bits >> f.mantissa_bits & ones;
    double sign = bits >> (f.mantissa_bits + f.exponent_bits) & 1 ? -1 : 1;
    if (exponent == ones && f.infinite)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == ones && mantissa == full)
        return (double)NAN;
    int scale = 1 - bias_of(f) - f.mantissa_bits;
    if (exponent == 0)
        return sign * ldexp(mantissa, scale);
    return sign * ldexp(mantissa + full + 1, (int)exponent - 1 + scale);
}

/* The bits of `x`, which must be a value of the format. */
static unsigned encode(struct layout f, double x)
{
    unsigned ones = (1u << f.exponent_bits) - 1, full = (1u << f.mantissa_bits) - 1;
    unsigned sign = (signbit(x) ? 1u : 0u) << (f.mantissa_bits + f.exponent_bits);
    if (isnan(x))
        return sign | ones << f.mantissa_bits | full;
    if (isinf(x))
        return sign | ones << f.mantissa_bits;
    if (x == 0)
        return sign;
    int e, least = 1 - bias_of(f);
    frexp(x, &e);
    if (e - 1 < least)
        return sign | (unsigned)ldexp(fabs(x), f.mantissa_bits - least);
    unsigned mantissa = (unsigned)ldexp(fabs(x), f.mantissa_bits - (e - 1)) & full;
    return sign | (unsigned)(e - least) << f.mantissa_bits | mantissa;
}

static void integer_range(enum gr_dtype type, double *low, double *high)
{
    *low = type == GR_U8 ? 0 : type == GR_S8 ? SCHAR_MIN : INT_MIN;
    *high = type == GR_U8 ? UCHAR_MAX : type == GR_S8 ? SCHAR_MAX : INT_MAX;
}

double gr_round_to(enum gr_dtype type, double x)
{
    struct layout f = layouts[type];
    if (type == GR_F64)
        return x;
    if (type == GR_F32)
        return (double)(float)x;
    if (!f.mantissa_bits) {
        double low, high;
        integer_range(type, &low, &high);
        return isnan(x) ? 0 : fmin(high, fmax(low, nearbyint(x)));
    }
    if (!isfinite(x) || x == 0)
        return x;
    int e, least = 1 - bias_of(f);
    frexp(x, &e);
    double quantum = ldexp(1, (e - 1 > least ? e - 1 : least) - f.mantissa_bits);
    double rounded = nearbyint(x / quantum) * quantum, most = gr_dtype_max(type);
    if (fabs(rounded) > most)
        rounded = copysign(f.infinite ? (double)INFINITY : most, x);
    return rounded;
}

double gr_element(enum gr_dtype type, const void *elements, int64_t i)
{
    switch (type) {
    case GR_F64:
        return ((const double *)elements)[i];
    case GR_F32:
    case GR_TF32:
    case GR_F22:
        return (double)((const float *)elements)[i];
    case GR_F16:
    case GR_BF16:
        return decode(layouts[type], ((const uint16_t *)elements)[i]);
    case GR_E4M3:
    case GR_E5M2:
        return decode(layouts[type], ((const uint8_t *)elements)[i]);
    case GR_S8:
        return ((const int8_t *)elements)[i];
    case GR_U8:
        return ((const uint8_t *)elements)[i];
    default:
        return ((const int32_t *)elements)[i];
    }
}

void gr_element_put(enum gr_dtype type, void *elements, int64_t i, double x)
{
    double value = gr_round_to(type, x);
    switch (type) {
    case GR_F64:
        ((double *)elements)[i] = value;
        break;
    case GR_F32:
    case GR_TF32:
    case GR_F22:
        ((float *)elements)[i] = (float)value;
        break;
    case GR_F16:
    case GR_BF16:
        ((uint16_t *)elements)[i] = (uint16_t)encode(layouts[type], value);
        break;
    case GR_E4M3:
    case GR_E5M2:
        ((uint8_t *)elements)[i] = (uint8_t)encode(layouts[type], value);
        break;
    case GR_S8:
        ((int8_t *)elements)[i] = (int8_t)value;
        break;
    case GR_U8:
        ((uint8_t *)elements)[i] = (uint8_t)value;
        break;
    default:
        ((int32_t *)elements)[i] = (int32_t)value;
    }
}

int gr_dtype_digits(enum gr_dtype type)
{
    return layouts[type].mantissa_bits ? layouts[type].mantissa_bits + 1 : 31;
}

double gr_dtype_max(enum gr_dtype type)
{
    struct layout f = layouts[type];
    double low, high;
    if (!f.mantissa_bits) {
        integer_range(type, &low, &high);
        return high;
    }
    if (!f.infinite) /* the highest exponent has numbers, and only its last mantissa is NaN */
        return ldexp(2 - ldexp(2, -f.mantissa_bits), bias_of(f) + 1);
    return ldexp(2 - ldexp(1, -f.mantissa_bits), bias_of(f));
}

double gr_dtype_lost(enum gr_dtype type)
{
    struct layout f = layouts[type];
    if (!f.mantissa_bits)
        return 0;
    bool flushed = type == GR_F64 || type == GR_F32 || type == GR_TF32 || type == GR_F22;
    return ldexp(1, 1 - bias_of(f) - (flushed ? 0 : f.mantissa_bits));
}

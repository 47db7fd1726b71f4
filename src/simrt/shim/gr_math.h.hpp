// gr_math.h: the mathematical functions of CUDA that math.h lacks: those with a rounding mode, and
// the fast intrinsics, which are accurate here. Names that a C library may have too are macros.
// SPDX-License-Identifier: MIT
#ifndef GR_MATH_H
#define GR_MATH_H

#include <fenv.h>

// `volatile` keeps the compiler from moving the operation across the changes of the rounding mode.
template <class gr_value, class gr_function>
GR_QUIET static gr_value gr_rounded(int direction, gr_function function, gr_value x, gr_value y = 0,
                                    gr_value z = 0)
{
    volatile gr_value first = x, second = y, third = z;
    fesetround(direction);
    volatile gr_value result = function(first, second, third);
    fesetround(FE_TONEAREST);
    return result;
}
#define GR_ROUNDED_TO(name, direction, type, parameters, operands, expression)                     \
    GR_INLINE type name parameters                                                                 \
    {                                                                                              \
        return gr_rounded<type>(                                                                   \
            direction, [](type x, type y, type z) { return (void)y, (void)z, expression; },        \
            GR_OPERANDS operands);                                                                 \
    }
#define GR_OPERANDS(...) __VA_ARGS__
#define GR_ROUNDED(name, type, parameters, operands, expression)                                   \
    GR_INLINE type name##_rn parameters                                                            \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    GR_ROUNDED_TO(name##_rz, FE_TOWARDZERO, type, parameters, operands, expression)                \
    GR_ROUNDED_TO(name##_ru, FE_UPWARD, type, parameters, operands, expression)                    \
    GR_ROUNDED_TO(name##_rd, FE_DOWNWARD, type, parameters, operands, expression)
#define GR_ROUNDED_ALL(letter, type, suffix)                                                       \
    GR_ROUNDED(__##letter##add, type, (type x, type y), (x, y), x + y)                             \
    GR_ROUNDED(__##letter##sub, type, (type x, type y), (x, y), x - y)                             \
    GR_ROUNDED(__##letter##mul, type, (type x, type y), (x, y), x *y)                              \
    GR_ROUNDED(__##letter##div, type, (type x, type y), (x, y), x / y)                             \
    GR_ROUNDED(__##letter##rcp, type, (type x), (x), 1 / x)                                        \
    GR_ROUNDED(__##letter##sqrt, type, (type x), (x), __builtin_sqrt##suffix(x))
GR_ROUNDED_ALL(f, float, f)
GR_ROUNDED_ALL(d, double, )
GR_ROUNDED(__fmaf, float, (float x, float y, float z), (x, y, z), __builtin_fmaf(x, y, z))
GR_ROUNDED(__fma, double, (double x, double y, double z), (x, y, z), __builtin_fma(x, y, z))
#undef GR_ROUNDED_ALL
#undef GR_ROUNDED

// From a wider type to a narrower one.
#define GR_CONVERTED(name, to, from)                                                               \
    GR_INLINE to name##_rn(from x)                                                                 \
    {                                                                                              \
        return (to)x;                                                                              \
    }                                                                                              \
    GR_CONVERTED_TO(name##_rz, FE_TOWARDZERO, to, from)                                            \
    GR_CONVERTED_TO(name##_ru, FE_UPWARD, to, from)                                                \
    GR_CONVERTED_TO(name##_rd, FE_DOWNWARD, to, from)
#define GR_CONVERTED_TO(name, direction, to, from)                                                 \
    GR_QUIET static to name(from x)                                                                \
    {                                                                                              \
        volatile from value = x;                                                                   \
        fesetround(direction);                                                                     \
        volatile to result = (to)value;                                                            \
        fesetround(FE_TONEAREST);                                                                  \
        return result;                                                                             \
    }
GR_CONVERTED(__double2float, float, double)
GR_CONVERTED(__int2float, float, int)
GR_CONVERTED(__uint2float, float, unsigned)
GR_CONVERTED(__ll2float, float, long long)
GR_CONVERTED(__ull2float, float, unsigned long long)
GR_CONVERTED(__ll2double, double, long long)
GR_CONVERTED(__ull2double, double, unsigned long long)
#undef GR_CONVERTED
GR_INLINE double __int2double_rn(int x)
{
    return x;
}
GR_INLINE double __uint2double_rn(unsigned x)
{
    return x;
}

// Fast intrinsics.
GR_INLINE float gr_exp10f(float x)
{
    return (float)__builtin_pow(10.0, x);
}
GR_INLINE double gr_exp10(double x)
{
    return __builtin_pow(10.0, x);
}
GR_INLINE void gr_sincosf(float x, float *sine, float *cosine)
{
    const float s = __builtin_sinf(x), c = __builtin_cosf(x);
    *sine = s;
    *cosine = c;
}
#define __expf(x) __builtin_expf(x)
#define __exp10f(x) gr_exp10f(x)
#define __logf(x) __builtin_logf(x)
#define __log2f(x) __builtin_log2f(x)
#define __log10f(x) __builtin_log10f(x)
#define __sinf(x) __builtin_sinf(x)
#define __cosf(x) __builtin_cosf(x)
#define __tanf(x) __builtin_tanf(x)
#define __tanhf(x) __builtin_tanhf(x)
#define __powf(x, y) __builtin_powf(x, y)
#define __sincosf(x, sine, cosine) gr_sincosf(x, sine, cosine)
#define __fdividef(x, y) ((float)(x) / (float)(y))
#define fdividef(x, y) ((float)(x) / (float)(y))
#define exp10f gr_exp10f
#define exp10 gr_exp10

GR_INLINE float __saturatef(float x)
{
    return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
#define saturatef __saturatef
GR_INLINE float __frsqrt_rn(float x)
{
    return (float)(1 / __builtin_sqrt((double)x));
}
GR_INLINE float gr_rsqrtf(float x)
{
    return (float)(1 / __builtin_sqrt((double)x));
}
GR_INLINE double gr_rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}
GR_INLINE float gr_rsqrt(float x)
{
    return gr_rsqrtf(x);
}
GR_INLINE float gr_rcbrtf(float x)
{
    return 1 / __builtin_cbrtf(x);
}
GR_INLINE double gr_rcbrt(double x)
{
    return 1 / __builtin_cbrt(x);
}
#define rsqrtf gr_rsqrtf
#define rsqrt gr_rsqrt
#define rcbrtf gr_rcbrtf
#define rcbrt gr_rcbrt

// sin(pi x) and cos(pi x). The argument is first reduced modulo 2, so that they are exact at
// multiples of 1/2.
GR_INLINE double gr_sinpi(double x)
{
    const double r = __builtin_remainder(x, 2.0);
    if (r == 0 || r == 1 || r == -1)
        return __builtin_copysign(0.0, x);
    return __builtin_sin(r * 3.14159265358979323846);
}
GR_INLINE double gr_cospi(double x)
{
    const double r = __builtin_fabs(__builtin_remainder(x, 2.0));
    return r == 0.5 ? 0.0 : __builtin_cos(r * 3.14159265358979323846);
}
GR_INLINE float gr_sinpif(float x)
{
    return (float)gr_sinpi(x);
}
GR_INLINE float gr_cospif(float x)
{
    return (float)gr_cospi(x);
}
#define sinpi gr_sinpi
#define cospi gr_cospi
#define sinpif gr_sinpif
#define cospif gr_cospif

GR_INLINE float gr_rhypotf(float x, float y)
{
    return 1 / __builtin_hypotf(x, y);
}
GR_INLINE float gr_norm3df(float x, float y, float z)
{
    return (float)__builtin_sqrt((double)x * x + (double)y * y + (double)z * z);
}
GR_INLINE float gr_norm4df(float x, float y, float z, float w)
{
    return (float)__builtin_sqrt((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
GR_INLINE float gr_normcdff(float x)
{
    return 0.5f * __builtin_erfcf(-x * 0.70710678f);
}
#define rhypotf gr_rhypotf
#define norm3df gr_norm3df
#define rnorm3df(x, y, z) (1 / gr_norm3df(x, y, z))
#define norm4df gr_norm4df
#define rnorm4df(x, y, z, w) (1 / gr_norm4df(x, y, z, w))
#define normcdff gr_normcdff

#endif

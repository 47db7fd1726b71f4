// cuda_fp16.h: half, IEEE's binary16. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_FP16_H
#define GR_CUDA_FP16_H

#include "gr_narrow.h"

#define GR_ONE __half
#define GR_TWO __half2
#define GR_RAW __half_raw
#define GR_RAW2 __half2_raw
#define GR_VALUE(code) gr_half_value(code)
#define GR_CODE(x) gr_half_code(x)
#define GR_CODE_EXACT(x) ((unsigned short)gr_narrow<5, 10>(x))
#include "gr_number16.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
// From and to other numbers.
GR_INLINE __half __float2half(float x)
{
    return __half(x);
}
GR_TOUCHING static float __half2float(GR_IN(__half, x))
{
    GR_TAKE(__half, x);
    return gr_value(x);
}
GR_INLINE __half __float2half_rn(float x)
{
    return __half_raw{(unsigned short)gr_narrow<5, 10>(x, GR_TO_NEAREST)};
}
GR_INLINE __half __float2half_rz(float x)
{
    return __half_raw{(unsigned short)gr_narrow<5, 10>(x, GR_TO_ZERO)};
}
GR_INLINE __half __float2half_ru(float x)
{
    return __half_raw{(unsigned short)gr_narrow<5, 10>(x, GR_UP)};
}
GR_INLINE __half __float2half_rd(float x)
{
    return __half_raw{(unsigned short)gr_narrow<5, 10>(x, GR_DOWN)};
}
GR_INLINE __half __double2half(double x)
{
    return __half(x);
}
#define GR_INTEGER(letters, type)                                                                  \
    GR_INLINE __half __##letters##2half_rn(type x)                                                 \
    {                                                                                              \
        return __half((double)x);                                                                  \
    }                                                                                              \
    GR_TOUCHING static type __half2##letters##_rn(GR_IN(__half, x))                                \
    {                                                                                              \
        GR_TAKE(__half, x);                                                                        \
        return gr_to_integer<type>(__builtin_rint(gr_value(x)));                                   \
    }                                                                                              \
    GR_TOUCHING static type __half2##letters##_rz(GR_IN(__half, x))                                \
    {                                                                                              \
        GR_TAKE(__half, x);                                                                        \
        return gr_to_integer<type>(__builtin_trunc(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type __half2##letters##_rd(GR_IN(__half, x))                                \
    {                                                                                              \
        GR_TAKE(__half, x);                                                                        \
        return gr_to_integer<type>(__builtin_floor(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type __half2##letters##_ru(GR_IN(__half, x))                                \
    {                                                                                              \
        GR_TAKE(__half, x);                                                                        \
        return gr_to_integer<type>(__builtin_ceil(gr_value(x)));                                   \
    }
GR_INTEGER(int, int)
GR_INTEGER(uint, unsigned)
GR_INTEGER(short, short)
GR_INTEGER(ushort, unsigned short)
GR_INTEGER(ll, long long)
GR_INTEGER(ull, unsigned long long)
#undef GR_INTEGER
GR_TOUCHING static unsigned short __half_as_ushort(GR_IN(__half, x))
{
    GR_TAKE(__half, x);
    return x.gr_code;
}
GR_TOUCHING static short __half_as_short(GR_IN(__half, x))
{
    GR_TAKE(__half, x);
    return (short)x.gr_code;
}
GR_INLINE __half __ushort_as_half(unsigned short x)
{
    return __half_raw{x};
}
GR_INLINE __half __short_as_half(short x)
{
    return __half_raw{(unsigned short)x};
}

// Pairs.
GR_TOUCHING static GR_OUT(__half2) make_half2(GR_IN(__half, x), GR_IN(__half, y))
{
    GR_TAKE(__half, x);
    GR_TAKE(__half, y);
    return __half2(x, y);
}
GR_TOUCHING static GR_OUT(__half2) __half2half2(GR_IN(__half, x))
{
    GR_TAKE(__half, x);
    return __half2(x, x);
}
GR_TOUCHING static GR_OUT(__half2) __halves2half2(GR_IN(__half, x), GR_IN(__half, y))
{
    GR_TAKE(__half, x);
    GR_TAKE(__half, y);
    return __half2(x, y);
}
GR_INLINE __half2 __float2half2_rn(float x)
{
    return __half2(__half(x), __half(x));
}
GR_INLINE __half2 __floats2half2_rn(float x, float y)
{
    return __half2(__half(x), __half(y));
}
GR_TOUCHING static GR_OUT(__half2) __float22half2_rn(GR_IN(float2, x))
{
    GR_TAKE(float2, x);
    return __half2(__half(x.x), __half(x.y));
}
GR_TOUCHING static float2 __half22float2(GR_IN(__half2, x))
{
    GR_TAKE(__half2, x);
    return make_float2(gr_value(x.x), gr_value(x.y));
}
GR_TOUCHING static GR_OUT(__half) __low2half(GR_IN(__half2, x))
{
    GR_TAKE(__half2, x);
    return x.x;
}
GR_TOUCHING static GR_OUT(__half) __high2half(GR_IN(__half2, x))
{
    GR_TAKE(__half2, x);
    return x.y;
}
GR_TOUCHING static GR_OUT(__half2) __low2half2(GR_IN(__half2, x))
{
    GR_TAKE(__half2, x);
    return __half2(x.x, x.x);
}
GR_TOUCHING static GR_OUT(__half2) __high2half2(GR_IN(__half2, x))
{
    GR_TAKE(__half2, x);
    return __half2(x.y, x.y);
}
GR_TOUCHING static GR_OUT(__half2) __lows2half2(GR_IN(__half2, x), GR_IN(__half2, y))
{
    GR_TAKE(__half2, x);
    GR_TAKE(__half2, y);
    return __half2(x.x, y.x);
}
GR_TOUCHING static GR_OUT(__half2) __highs2half2(GR_IN(__half2, x), GR_IN(__half2, y))
{
    GR_TAKE(__half2, x);
    GR_TAKE(__half2, y);
    return __half2(x.y, y.y);
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)1)

#endif

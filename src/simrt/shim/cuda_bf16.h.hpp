// cuda_bf16.h: bfloat16, the upper half of a float. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_BF16_H
#define GR_CUDA_BF16_H

#include "gr_narrow.h"

#define GR_ONE __nv_bfloat16
#define GR_TWO __nv_bfloat162
#define GR_RAW __nv_bfloat16_raw
#define GR_RAW2 __nv_bfloat162_raw
#define GR_VALUE(code) gr_bfloat16_value(code)
#define GR_CODE(x) gr_bfloat16_code(x)
#define GR_CODE_EXACT(x) ((unsigned short)gr_narrow<8, 7>(x))
#include "gr_number16.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
// From and to other numbers.
GR_INLINE __nv_bfloat16 __float2bfloat16(float x)
{
    return __nv_bfloat16(x);
}
GR_TOUCHING static float __bfloat162float(GR_IN(__nv_bfloat16, x))
{
    GR_TAKE(__nv_bfloat16, x);
    return gr_value(x);
}
GR_INLINE __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __nv_bfloat16_raw{(unsigned short)gr_narrow<8, 7>(x, GR_TO_NEAREST)};
}
GR_INLINE __nv_bfloat16 __float2bfloat16_rz(float x)
{
    return __nv_bfloat16_raw{(unsigned short)gr_narrow<8, 7>(x, GR_TO_ZERO)};
}
GR_INLINE __nv_bfloat16 __float2bfloat16_ru(float x)
{
    return __nv_bfloat16_raw{(unsigned short)gr_narrow<8, 7>(x, GR_UP)};
}
GR_INLINE __nv_bfloat16 __float2bfloat16_rd(float x)
{
    return __nv_bfloat16_raw{(unsigned short)gr_narrow<8, 7>(x, GR_DOWN)};
}
GR_INLINE __nv_bfloat16 __double2bfloat16(double x)
{
    return __nv_bfloat16(x);
}
#define GR_INTEGER(letters, type)                                                                  \
    GR_INLINE __nv_bfloat16 __##letters##2bfloat16_rn(type x)                                      \
    {                                                                                              \
        return __nv_bfloat16((double)x);                                                           \
    }                                                                                              \
    GR_TOUCHING static type __bfloat162##letters##_rn(GR_IN(__nv_bfloat16, x))                     \
    {                                                                                              \
        GR_TAKE(__nv_bfloat16, x);                                                                 \
        return gr_to_integer<type>(__builtin_rint(gr_value(x)));                                   \
    }                                                                                              \
    GR_TOUCHING static type __bfloat162##letters##_rz(GR_IN(__nv_bfloat16, x))                     \
    {                                                                                              \
        GR_TAKE(__nv_bfloat16, x);                                                                 \
        return gr_to_integer<type>(__builtin_trunc(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type __bfloat162##letters##_rd(GR_IN(__nv_bfloat16, x))                     \
    {                                                                                              \
        GR_TAKE(__nv_bfloat16, x);                                                                 \
        return gr_to_integer<type>(__builtin_floor(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type __bfloat162##letters##_ru(GR_IN(__nv_bfloat16, x))                     \
    {                                                                                              \
        GR_TAKE(__nv_bfloat16, x);                                                                 \
        return gr_to_integer<type>(__builtin_ceil(gr_value(x)));                                   \
    }
GR_INTEGER(int, int)
GR_INTEGER(uint, unsigned)
GR_INTEGER(short, short)
GR_INTEGER(ushort, unsigned short)
GR_INTEGER(ll, long long)
GR_INTEGER(ull, unsigned long long)
#undef GR_INTEGER
GR_TOUCHING static unsigned short __bfloat16_as_ushort(GR_IN(__nv_bfloat16, x))
{
    GR_TAKE(__nv_bfloat16, x);
    return x.gr_code;
}
GR_TOUCHING static short __bfloat16_as_short(GR_IN(__nv_bfloat16, x))
{
    GR_TAKE(__nv_bfloat16, x);
    return (short)x.gr_code;
}
GR_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x)
{
    return __nv_bfloat16_raw{x};
}
GR_INLINE __nv_bfloat16 __short_as_bfloat16(short x)
{
    return __nv_bfloat16_raw{(unsigned short)x};
}

// Pairs.
GR_TOUCHING static GR_OUT(__nv_bfloat162)
    make_bfloat162(GR_IN(__nv_bfloat16, x), GR_IN(__nv_bfloat16, y))
{
    GR_TAKE(__nv_bfloat16, x);
    GR_TAKE(__nv_bfloat16, y);
    return __nv_bfloat162(x, y);
}
GR_TOUCHING static GR_OUT(__nv_bfloat162) __bfloat162bfloat162(GR_IN(__nv_bfloat16, x))
{
    GR_TAKE(__nv_bfloat16, x);
    return __nv_bfloat162(x, x);
}
GR_TOUCHING static GR_OUT(__nv_bfloat162)
    __halves2bfloat162(GR_IN(__nv_bfloat16, x), GR_IN(__nv_bfloat16, y))
{
    GR_TAKE(__nv_bfloat16, x);
    GR_TAKE(__nv_bfloat16, y);
    return __nv_bfloat162(x, y);
}
GR_INLINE __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x));
}
GR_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
GR_TOUCHING static GR_OUT(__nv_bfloat162) __float22bfloat162_rn(GR_IN(float2, x))
{
    GR_TAKE(float2, x);
    return __nv_bfloat162(__nv_bfloat16(x.x), __nv_bfloat16(x.y));
}
GR_TOUCHING static float2 __bfloat1622float2(GR_IN(__nv_bfloat162, x))
{
    GR_TAKE(__nv_bfloat162, x);
    return make_float2(gr_value(x.x), gr_value(x.y));
}
GR_TOUCHING static GR_OUT(__nv_bfloat16) __low2bfloat16(GR_IN(__nv_bfloat162, x))
{
    GR_TAKE(__nv_bfloat162, x);
    return x.x;
}
GR_TOUCHING static GR_OUT(__nv_bfloat16) __high2bfloat16(GR_IN(__nv_bfloat162, x))
{
    GR_TAKE(__nv_bfloat162, x);
    return x.y;
}
GR_TOUCHING static GR_OUT(__nv_bfloat162) __low2bfloat162(GR_IN(__nv_bfloat162, x))
{
    GR_TAKE(__nv_bfloat162, x);
    return __nv_bfloat162(x.x, x.x);
}
GR_TOUCHING static GR_OUT(__nv_bfloat162) __high2bfloat162(GR_IN(__nv_bfloat162, x))
{
    GR_TAKE(__nv_bfloat162, x);
    return __nv_bfloat162(x.y, x.y);
}
GR_TOUCHING static GR_OUT(__nv_bfloat162)
    __lows2bfloat162(GR_IN(__nv_bfloat162, x), GR_IN(__nv_bfloat162, y))
{
    GR_TAKE(__nv_bfloat162, x);
    GR_TAKE(__nv_bfloat162, y);
    return __nv_bfloat162(x.x, y.x);
}
GR_TOUCHING static GR_OUT(__nv_bfloat162)
    __highs2bfloat162(GR_IN(__nv_bfloat162, x), GR_IN(__nv_bfloat162, y))
{
    GR_TAKE(__nv_bfloat162, x);
    GR_TAKE(__nv_bfloat162, y);
    return __nv_bfloat162(x.y, y.y);
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#endif

// gr_convert16.h: the conversions of a 16-bit floating-point type and of its pairs, written once
// for __half and __nv_bfloat16. gr_number16.h includes it; the macros that it uses are that
// header's parameters. CUDA names these functions after the type: GR_NAMED(__float2, _rn) is
// __float2half_rn or __float2bfloat16_rn. SPDX-License-Identifier: MIT

// ---- Conversions from and to other types. ----
GR_INLINE GR_ONE GR_NAMED(__float2, )(float x)
{
    return GR_ONE(x);
}
GR_TOUCHING static float GR_NAMED(__, 2float)(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return gr_value(x);
}
GR_INLINE GR_ONE GR_NAMED(__float2, _rn)(float x)
{
    return GR_RAW{(unsigned short)gr_narrow<GR_EXPONENT, GR_MANTISSA>(x, GR_TO_NEAREST)};
}
GR_INLINE GR_ONE GR_NAMED(__float2, _rz)(float x)
{
    return GR_RAW{(unsigned short)gr_narrow<GR_EXPONENT, GR_MANTISSA>(x, GR_TO_ZERO)};
}
GR_INLINE GR_ONE GR_NAMED(__float2, _ru)(float x)
{
    return GR_RAW{(unsigned short)gr_narrow<GR_EXPONENT, GR_MANTISSA>(x, GR_UP)};
}
GR_INLINE GR_ONE GR_NAMED(__float2, _rd)(float x)
{
    return GR_RAW{(unsigned short)gr_narrow<GR_EXPONENT, GR_MANTISSA>(x, GR_DOWN)};
}
GR_INLINE GR_ONE GR_NAMED(__double2, )(double x)
{
    return GR_ONE(x);
}
#define GR_INTEGER(letters, type)                                                                  \
    GR_INLINE GR_ONE GR_NAMED(__##letters##2, _rn)(type x)                                         \
    {                                                                                              \
        return GR_ONE((double)x);                                                                  \
    }                                                                                              \
    GR_TOUCHING static type GR_NAMED(__, 2##letters##_rn)(GR_IN(GR_ONE, x))                        \
    {                                                                                              \
        GR_TAKE(GR_ONE, x);                                                                        \
        return gr_to_integer<type>(__builtin_rint(gr_value(x)));                                   \
    }                                                                                              \
    GR_TOUCHING static type GR_NAMED(__, 2##letters##_rz)(GR_IN(GR_ONE, x))                        \
    {                                                                                              \
        GR_TAKE(GR_ONE, x);                                                                        \
        return gr_to_integer<type>(__builtin_trunc(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type GR_NAMED(__, 2##letters##_rd)(GR_IN(GR_ONE, x))                        \
    {                                                                                              \
        GR_TAKE(GR_ONE, x);                                                                        \
        return gr_to_integer<type>(__builtin_floor(gr_value(x)));                                  \
    }                                                                                              \
    GR_TOUCHING static type GR_NAMED(__, 2##letters##_ru)(GR_IN(GR_ONE, x))                        \
    {                                                                                              \
        GR_TAKE(GR_ONE, x);                                                                        \
        return gr_to_integer<type>(__builtin_ceil(gr_value(x)));                                   \
    }
GR_INTEGER(int, int)
GR_INTEGER(uint, unsigned)
GR_INTEGER(short, short)
GR_INTEGER(ushort, unsigned short)
GR_INTEGER(ll, long long)
GR_INTEGER(ull, unsigned long long)
#undef GR_INTEGER
GR_TOUCHING static unsigned short GR_NAMED(__, _as_ushort)(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return x.gr_code;
}
GR_TOUCHING static short GR_NAMED(__, _as_short)(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return (short)x.gr_code;
}
GR_INLINE GR_ONE GR_NAMED(__ushort_as_, )(unsigned short x)
{
    return GR_RAW{x};
}
GR_INLINE GR_ONE GR_NAMED(__short_as_, )(short x)
{
    return GR_RAW{(unsigned short)x};
}

// ---- Pairs. ----
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(make_, 2)(GR_IN(GR_ONE, x), GR_IN(GR_ONE, y))
{
    GR_TAKE(GR_ONE, x);
    GR_TAKE(GR_ONE, y);
    return GR_TWO(x, y);
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NUMBER_TO_PAIR(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return GR_TWO(x, x);
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__halves2, 2)(GR_IN(GR_ONE, x), GR_IN(GR_ONE, y))
{
    GR_TAKE(GR_ONE, x);
    GR_TAKE(GR_ONE, y);
    return GR_TWO(x, y);
}
GR_INLINE GR_TWO GR_NAMED(__float2, 2_rn)(float x)
{
    return GR_TWO(GR_ONE(x), GR_ONE(x));
}
GR_INLINE GR_TWO GR_NAMED(__floats2, 2_rn)(float x, float y)
{
    return GR_TWO(GR_ONE(x), GR_ONE(y));
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__float22, 2_rn)(GR_IN(float2, x))
{
    GR_TAKE(float2, x);
    return GR_TWO(GR_ONE(x.x), GR_ONE(x.y));
}
GR_TOUCHING static float2 GR_NAMED(__, 22float2)(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return make_float2(gr_value(x.x), gr_value(x.y));
}
GR_TOUCHING static GR_OUT(GR_ONE) GR_NAMED(__low2, )(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return x.x;
}
GR_TOUCHING static GR_OUT(GR_ONE) GR_NAMED(__high2, )(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return x.y;
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__low2, 2)(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return GR_TWO(x.x, x.x);
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__high2, 2)(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return GR_TWO(x.y, x.y);
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__lows2, 2)(GR_IN(GR_TWO, x), GR_IN(GR_TWO, y))
{
    GR_TAKE(GR_TWO, x);
    GR_TAKE(GR_TWO, y);
    return GR_TWO(x.x, y.x);
}
GR_TOUCHING static GR_OUT(GR_TWO) GR_NAMED(__highs2, 2)(GR_IN(GR_TWO, x), GR_IN(GR_TWO, y))
{
    GR_TAKE(GR_TWO, x);
    GR_TAKE(GR_TWO, y);
    return GR_TWO(x.y, y.y);
}

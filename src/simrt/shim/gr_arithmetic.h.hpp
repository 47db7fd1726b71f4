// gr_arithmetic.h: min and max with CUDA's overloads, integer and bit functions, and conversions.
// SPDX-License-Identifier: MIT
#ifndef GR_ARITHMETIC_H
#define GR_ARITHMETIC_H

#define GR_MIN_MAX(result, first, second)                                                          \
    GR_INLINE constexpr result min(first one, second other)                                        \
    {                                                                                              \
        return (result)one < (result)other ? (result)one : (result)other;                          \
    }                                                                                              \
    GR_INLINE constexpr result max(first one, second other)                                        \
    {                                                                                              \
        return (result)one > (result)other ? (result)one : (result)other;                          \
    }
#define GR_MIN_MAX_SIGNS(type)                                                                     \
    GR_MIN_MAX(type, type, type)                                                                   \
    GR_MIN_MAX(unsigned type, unsigned type, unsigned type)                                        \
    GR_MIN_MAX(unsigned type, type, unsigned type)                                                 \
    GR_MIN_MAX(unsigned type, unsigned type, type)
GR_MIN_MAX_SIGNS(int)
GR_MIN_MAX_SIGNS(long)
GR_MIN_MAX_SIGNS(long long)
#undef GR_MIN_MAX_SIGNS
#undef GR_MIN_MAX
GR_INLINE int umin(unsigned one, unsigned other)
{
    return (int)(one < other ? one : other);
}
GR_INLINE unsigned umax(unsigned one, unsigned other)
{
    return one > other ? one : other;
}
#define GR_MIN_MAX(result, first, second, suffix)                                                  \
    GR_INLINE result min(first one, second other)                                                  \
    {                                                                                              \
        return __builtin_fmin##suffix(one, other);                                                 \
    }                                                                                              \
    GR_INLINE result max(first one, second other)                                                  \
    {                                                                                              \
        return __builtin_fmax##suffix(one, other);                                                 \
    }
GR_MIN_MAX(float, float, float, f)
GR_MIN_MAX(double, double, double, )
GR_MIN_MAX(double, float, double, )
GR_MIN_MAX(double, double, float, )
#undef GR_MIN_MAX

// Bits.
GR_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
GR_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
GR_INLINE int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
GR_INLINE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
GR_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
GR_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
GR_INLINE unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
GR_INLINE unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
// Byte i of the result is byte (selector >> 4*i & 7) of high:low, or its sign if bit 3 is set.
GR_INLINE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long both = (unsigned long long)high << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned byte = (unsigned)(both >> 8 * (selector >> 4 * i & 7)) & 0xff;
        result |= (selector >> 4 * i & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * i;
    }
    return result;
}
GR_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
GR_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift > 32 ? 32 : shift) >> 32);
}
GR_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
GR_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift > 32 ? 32 : shift));
}

// Products and sums.
GR_INLINE int __mul24(int x, int y)
{
    return (int)((unsigned)((int)((unsigned)x << 8) >> 8) *
                 (unsigned)((int)((unsigned)y << 8) >> 8));
}
GR_INLINE unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
GR_INLINE int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
GR_INLINE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
GR_INLINE long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
GR_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
GR_INLINE unsigned __sad(int x, int y, unsigned z)
{
    return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
GR_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return (x > y ? x - y : y - x) + z;
}
GR_INLINE int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
GR_INLINE int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
GR_INLINE unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
GR_INLINE unsigned __urhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}
GR_INLINE int __dp4a(int one, int other, int sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (signed char)(one >> i) * (signed char)(other >> i);
    return sum;
}
GR_INLINE unsigned __dp4a(unsigned one, unsigned other, unsigned sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (one >> i & 0xff) * (other >> i & 0xff);
    return sum;
}
GR_INLINE int __dp4a(char4 one, char4 other, int sum)
{
    return sum + one.x * other.x + one.y * other.y + one.z * other.z + one.w * other.w;
}
GR_INLINE unsigned __dp4a(uchar4 one, uchar4 other, unsigned sum)
{
    return sum + (unsigned)(one.x * other.x + one.y * other.y + one.z * other.z + one.w * other.w);
}
GR_INLINE int __dp2a_lo(int one, int other, int sum)
{
    return sum + (short)one * (signed char)other + (short)(one >> 16) * (signed char)(other >> 8);
}
GR_INLINE int __dp2a_hi(int one, int other, int sum)
{
    return __dp2a_lo(one, other >> 16, sum);
}

// Reinterprets the bits as another type.
#define GR_AS(name, to, from)                                                                      \
    GR_INLINE to name(from value)                                                                  \
    {                                                                                              \
        return gr_bits<to>(value);                                                                 \
    }
GR_AS(__int_as_float, float, int)
GR_AS(__uint_as_float, float, unsigned)
GR_AS(__float_as_int, int, float)
GR_AS(__float_as_uint, unsigned, float)
GR_AS(__longlong_as_double, double, long long)
GR_AS(__double_as_longlong, long long, double)
#undef GR_AS
GR_INLINE int __double2hiint(double x)
{
    return (int)(gr_bits<uint64_t>(x) >> 32);
}
GR_INLINE int __double2loint(double x)
{
    return (int)gr_bits<uint64_t>(x);
}
GR_INLINE double __hiloint2double(int high, int low)
{
    return gr_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low);
}

// Floating point to integer. A value out of range becomes the nearest integer in range, and NaN
// becomes 0, or the lowest integer for 64-bit types.
template <class gr_to> GR_INLINE gr_to gr_to_integer(double x)
{
    const bool is_signed = (gr_to)-1 < (gr_to)0;
    const int bits = 8 * (int)sizeof(gr_to);
    const gr_to lowest = is_signed ? (gr_to)((uint64_t)1 << (bits - 1)) : (gr_to)0;
    const gr_to highest = is_signed ? (gr_to)(((uint64_t)1 << (bits - 1)) - 1) : (gr_to) ~(gr_to)0;
    if (x != x)
        return bits == 64 ? (gr_to)((uint64_t)1 << 63) : (gr_to)0;
    if (x <= (double)lowest)
        return lowest;
    return x >= (double)highest ? highest : (gr_to)x;
}
#define GR_TO_INTEGER(name, to, from)                                                              \
    GR_INLINE to name##_rn(from x)                                                                 \
    {                                                                                              \
        return gr_to_integer<to>(__builtin_rint(x));                                               \
    }                                                                                              \
    GR_INLINE to name##_rz(from x)                                                                 \
    {                                                                                              \
        return gr_to_integer<to>(__builtin_trunc(x));                                              \
    }                                                                                              \
    GR_INLINE to name##_rd(from x)                                                                 \
    {                                                                                              \
        return gr_to_integer<to>(__builtin_floor(x));                                              \
    }                                                                                              \
    GR_INLINE to name##_ru(from x)                                                                 \
    {                                                                                              \
        return gr_to_integer<to>(__builtin_ceil(x));                                               \
    }
GR_TO_INTEGER(__float2int, int, float)
GR_TO_INTEGER(__float2uint, unsigned, float)
GR_TO_INTEGER(__float2ll, long long, float)
GR_TO_INTEGER(__float2ull, unsigned long long, float)
GR_TO_INTEGER(__double2int, int, double)
GR_TO_INTEGER(__double2uint, unsigned, double)
GR_TO_INTEGER(__double2ll, long long, double)
GR_TO_INTEGER(__double2ull, unsigned long long, double)
#undef GR_TO_INTEGER

#endif

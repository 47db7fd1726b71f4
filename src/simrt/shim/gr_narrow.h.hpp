// gr_narrow.h: conversions between float and the codes of 16-bit and 8-bit numbers, rounded once to
// nearest even. If the host's processor has instructions for them, those are used.
// SPDX-License-Identifier: MIT
#ifndef GR_NARROW_H
#define GR_NARROW_H

enum gr_rounding { GR_TO_NEAREST, GR_TO_ZERO, GR_UP, GR_DOWN };

// The float of a code that has a sign bit, an exponent and a mantissa of these widths, and
// infinities.
template <int gr_exponent, int gr_mantissa> GR_INLINE float gr_widen(unsigned code)
{
    const unsigned sign = code >> (gr_exponent + gr_mantissa) & 1;
    const unsigned exponent = code >> gr_mantissa & ((1u << gr_exponent) - 1);
    const unsigned mantissa = code & ((1u << gr_mantissa) - 1);
    const int bias = (1 << (gr_exponent - 1)) - 1;
    unsigned bits;
    if (exponent == (1u << gr_exponent) - 1)
        bits = 0x7f800000u | mantissa << (23 - gr_mantissa);
    else if (exponent != 0)
        bits = (exponent + 127 - bias) << 23 | mantissa << (23 - gr_mantissa);
    else // mantissa * 2^(1 - bias - bits of it), which is a normal float or, for the widest
         // exponent, one as narrow
        bits = gr_bits<unsigned>((float)mantissa *
                                 gr_bits<float>(gr_exponent == 8
                                                    ? 1u << (23 - gr_mantissa)
                                                    : (unsigned)(128 - bias - gr_mantissa) << 23));
    return gr_bits<float>(bits | sign << 31);
}

template <int gr_exponent, int gr_mantissa> GR_INLINE unsigned gr_narrow(double x)
{
    const int bias = (1 << (gr_exponent - 1)) - 1;
    const uint64_t bits = gr_bits<uint64_t>(x), fraction = bits & (((uint64_t)1 << 52) - 1);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const unsigned sign = (unsigned)(bits >> 63) << (gr_exponent + gr_mantissa);
    const unsigned infinity = ((1u << gr_exponent) - 1) << gr_mantissa;
    if (x != x)
        return (1u << (gr_exponent + gr_mantissa)) - 1;
    if (exponent > bias)
        return sign | infinity;
    uint64_t value = fraction;
    int shift = 52 - gr_mantissa;
    if (exponent >= 1 - bias) {
        value |= (uint64_t)(exponent + bias) << 52;
    } else {
        value |= (uint64_t)1 << 52;
        shift += 1 - bias - exponent;
        if (shift > 54)
            return sign;
    }
    const uint64_t rest = value & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
    uint64_t code = value >> shift;
    code += rest > half || (rest == half && (code & 1));
    return sign |
           (unsigned)
               code; // a carry out of the mantissa is the next exponent, and out of that infinity
}

// Rounds in a given direction: if the nearest code is on the wrong side of x, the next one is
// taken.
template <int gr_exponent, int gr_mantissa>
static inline unsigned gr_narrow(double x, gr_rounding rounding)
{
    const unsigned code = gr_narrow<gr_exponent, gr_mantissa>(x);
    const unsigned sign = 1u << (gr_exponent + gr_mantissa);
    const double found = gr_widen<gr_exponent, gr_mantissa>(code);
    if (x != x || found == x || rounding == GR_TO_NEAREST)
        return code;
    const bool negative = x<0, too_high = found> x;
    const bool lower = rounding == GR_DOWN || (rounding == GR_TO_ZERO && !negative);
    if (too_high == lower)
        return too_high == negative ? (code | (negative ? sign : 0)) + 1 : code - 1;
    return code;
}

// one * other + third, where the product is exact. The result's last bit records whether it is
// inexact, so that the result can be rounded once more.
GR_INLINE double gr_multiply_add(double one, double other, double third)
{
    const double product = one * other, sum = product + third, part = sum - product;
    const double lost = (product - (sum - part)) + (third - part);
    uint64_t bits = gr_bits<uint64_t>(sum);
    if (lost == lost && lost != 0 && !(bits & 1) && sum - sum == 0)
        bits += (lost > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    return gr_bits<double>(bits);
}

#ifdef __F16C__
typedef float gr_four_floats __attribute__((vector_size(16)));
typedef short gr_eight_shorts __attribute__((vector_size(16)));
#endif
GR_INLINE float gr_half_value(unsigned short code)
{
#ifdef __F16C__
    const gr_eight_shorts codes = {(short)code};
    return __builtin_ia32_vcvtph2ps(codes)[0];
#else
    return gr_widen<5, 10>(code);
#endif
}
GR_INLINE unsigned short gr_half_code(float x)
{
#ifdef __F16C__
    const gr_four_floats values = {x};
    return x == x ? (unsigned short)__builtin_ia32_vcvtps2ph(values, 0)[0] : (unsigned short)0x7fff;
#else
    return (unsigned short)gr_narrow<5, 10>(x);
#endif
}
GR_INLINE float gr_bfloat16_value(unsigned short code)
{
    return gr_bits<float>((unsigned)code << 16);
}
GR_INLINE unsigned short gr_bfloat16_code(float x)
{
    const unsigned bits = gr_bits<unsigned>(x);
    return (unsigned short)(x == x ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff);
}

#endif

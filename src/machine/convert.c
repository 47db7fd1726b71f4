/* convert.c: conversions between formats. Each goes through an exact number, and is rounded once.
 * SPDX-License-Identifier: MIT */
#include "machine/convert.h"

static const struct shape {
    int exponent_bits, mantissa_bits, bias;
    bool infinity;    /* the highest exponent stands for infinity and NaN */
    uint64_t nan;     /* the bits that are written for NaN */
    uint64_t largest; /* the largest finite number, without the sign */
} shapes[] = {
    [GR_FORMAT_F16] = {5, 10, 15, true, 0x7fff, 0x7bff},
    [GR_FORMAT_BF16] = {8, 7, 127, true, 0x7fff, 0x7f7f},
    [GR_FORMAT_F32] = {8, 23, 127, true, 0x7fffffff, 0x7f7fffff},
    [GR_FORMAT_F64] = {11, 52, 1023, true, 0xfff8000000000000u, 0x7fefffffffffffffu},
    [GR_FORMAT_TF32] = {8, 10, 127, true, 0x3ffff, 0x3fbff},
    [GR_FORMAT_E4M3] = {4, 3, 7, false, 0x7f, 0x7e},
    [GR_FORMAT_E5M2] = {5, 2, 15, true, 0x7f, 0x7b},
    [GR_FORMAT_E2M3] = {2, 3, 1, false, 0x1f, 0x1f},
    [GR_FORMAT_E3M2] = {3, 2, 3, false, 0x1f, 0x1f},
    [GR_FORMAT_E2M1] = {2, 1, 1, false, 0x7, 0x7},
};

static struct gr_number read_e8m0(uint64_t bits)
{
    struct gr_number x = {.exponent = (int)(bits & 0xff) - 127, .mantissa = 1};
    if ((bits & 0xff) == 0xff)
        x.class = GR_NUMBER_NAN;
    return x;
}

struct gr_number gr_number_read(uint64_t bits, enum gr_format format)
{
    if (format == GR_FORMAT_E8M0)
        return read_e8m0(bits);
    const struct shape *s = &shapes[format];
    if (format == GR_FORMAT_TF32)
        bits >>= 13;
    struct gr_number x = {0};
    uint64_t top = ((uint64_t)1 << s->exponent_bits) - 1;
    uint64_t e = bits >> s->mantissa_bits & top;
    x.mantissa = bits & (((uint64_t)1 << s->mantissa_bits) - 1);
    x.negative = bits >> (s->exponent_bits + s->mantissa_bits) & 1;
    if (s->infinity && e == top)
        x.class = x.mantissa ? GR_NUMBER_NAN : GR_NUMBER_INFINITE;
    else if (format == GR_FORMAT_E4M3 && e == top && x.mantissa == 7)
        x.class = GR_NUMBER_NAN;
    if (e)
        x.mantissa |= (uint64_t)1 << s->mantissa_bits;
    x.exponent = (e ? (int)e : 1) - s->bias - s->mantissa_bits;
    return x;
}

/* Drops the last `shift` bits of the mantissa, with rounding. */
static uint64_t rounded(uint64_t mantissa, int shift, bool negative, int rounding)
{
    if (shift <= 0)
        return mantissa << -shift;
    uint64_t kept = shift > 63 ? 0 : mantissa >> shift;
    uint64_t lost = shift > 63 ? mantissa : mantissa & (((uint64_t)1 << shift) - 1);
    uint64_t half = shift > 64 ? 0 : (uint64_t)1 << (shift - 1);
    bool up = false;
    if (rounding == GR_ROUND_NEAREST)
        up = half && (lost > half || (lost == half && kept & 1));
    else if (rounding == GR_ROUND_AWAY)
        up = half && lost >= half;
    else if (rounding == GR_ROUND_DOWN)
        up = lost && negative;
    else if (rounding == GR_ROUND_UP)
        up = lost && !negative;
    return kept + up;
}

static int top_bit(uint64_t x)
{
    return 63 - __builtin_clzll(x);
}

static uint64_t overflow(const struct shape *s, bool negative, int rounding, bool finite)
{
    bool toward_zero = rounding == GR_ROUND_ZERO || (rounding == GR_ROUND_DOWN && !negative) ||
                       (rounding == GR_ROUND_UP && negative);
    if (finite || toward_zero || !s->infinity)
        return s->largest;
    return (((uint64_t)1 << s->exponent_bits) - 1) << s->mantissa_bits;
}

static uint64_t write_e8m0(struct gr_number x, int rounding)
{
    if (x.class == GR_NUMBER_NAN)
        return 0xff;
    if (x.class == GR_NUMBER_INFINITE)
        return 0xfe;
    if (!x.mantissa)
        return 0;
    int e = x.exponent + top_bit(x.mantissa) + 127;
    if (rounding == GR_ROUND_UP && x.mantissa & (x.mantissa - 1))
        e++;
    return e < 0 ? 0 : e > 0xfe ? 0xfe : (uint64_t)e;
}

uint64_t gr_number_write(struct gr_number x, enum gr_format format, int rounding, bool finite)
{
    if (format == GR_FORMAT_E8M0)
        return write_e8m0(x, rounding);
    const struct shape *s = &shapes[format];
    uint64_t sign = (uint64_t)x.negative << (s->exponent_bits + s->mantissa_bits), y = 0;
    if (x.class == GR_NUMBER_NAN) {
        y = s->nan;
        sign = 0;
    } else if (x.class == GR_NUMBER_INFINITE) {
        y = finite || !s->infinity ? s->largest
                                   : (((uint64_t)1 << s->exponent_bits) - 1) << s->mantissa_bits;
    } else if (x.mantissa) {
        int e = x.exponent + top_bit(x.mantissa), least = 1 - s->bias;
        int ulp = (e < least ? least : e) - s->mantissa_bits;
        uint64_t m = rounded(x.mantissa, ulp - x.exponent, x.negative, rounding);
        /* If rounding carries out of the mantissa, the addition increments the exponent, which is
         * correct. */
        uint64_t one = (uint64_t)1 << s->mantissa_bits;
        y = m >= one || e >= least
                ? ((uint64_t)(ulp + s->mantissa_bits + s->bias) << s->mantissa_bits) + m - one
                : m;
        if (y > s->largest)
            y = overflow(s, x.negative, rounding, finite);
    }
    y |= sign;
    return format == GR_FORMAT_TF32 ? y << 13 : y;
}

struct gr_number gr_number_integral(struct gr_number x, int rounding)
{
    if (x.class != GR_NUMBER_FINITE || x.exponent >= 0)
        return x;
    x.mantissa = rounded(x.mantissa, -x.exponent, x.negative, rounding);
    x.exponent = 0;
    return x;
}

uint64_t gr_number_integer(struct gr_number x, int bits, bool is_unsigned, int rounding)
{
    if (x.class == GR_NUMBER_NAN)
        return (uint64_t)1 << (bits - 1);
    uint64_t most = is_unsigned ? ~(uint64_t)0 >> (64 - bits) : ~(uint64_t)0 >> (65 - bits);
    uint64_t least = is_unsigned ? 0 : most + 1; /* the largest magnitude of a negative result */
    uint64_t limit = x.negative ? least : most, y;
    if (x.class == GR_NUMBER_INFINITE) {
        y = limit;
    } else {
        x = gr_number_integral(x, rounding);
        bool beyond = x.mantissa && x.exponent + top_bit(x.mantissa) > 63;
        y = beyond ? limit : x.mantissa << x.exponent;
        y = y > limit ? limit : y;
    }
    return x.negative ? 0 - y : y;
}

uint64_t gr_nan_convert(uint64_t bits, enum gr_format from, enum gr_format to)
{
    const struct shape *f = &shapes[from], *t = &shapes[to];
    uint64_t sign = bits >> (f->exponent_bits + f->mantissa_bits) & 1;
    uint64_t mantissa = bits & (((uint64_t)1 << f->mantissa_bits) - 1);
    int shift = t->mantissa_bits - f->mantissa_bits;
    mantissa = shift < 0 ? mantissa >> -shift : mantissa << shift;
    uint64_t top = ((uint64_t)1 << t->exponent_bits) - 1;
    return sign << (t->exponent_bits + t->mantissa_bits) | top << t->mantissa_bits | mantissa |
           (uint64_t)1 << (t->mantissa_bits - 1);
}

/* lanes_half.h: arithmetic of two packed f16 or bf16; a part of lanes_ops.h.
 * SPDX-License-Identifier: MIT
 *
 * A sum that needs more bits than float or double has is rounded to odd: if it is inexact, it
 * becomes the one of its two neighbours whose last bit is set. Rounding this to fewer bits gives
 * the same as rounding the exact sum. */
#ifndef MACHINE_LANES_HALF_H
#define MACHINE_LANES_HALF_H

#include "machine/lanes_float.h"

static inline float half_number(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, x = h & 0x7fff;
    uint32_t normal = (x << 13) + (x >= 0x7c00 ? 224u << 23 : 112u << 23);
    uint32_t small = bits_of((float)(int32_t)x * 0x1p-24f);
    return number((x < 0x400 ? small : normal) | sign);
}

/* Rounds to nearest, ties to even; NaN is 0x7fff. */
static inline uint32_t half_bits(float f)
{
    uint32_t x = bits_of(f), sign = x >> 16 & 0x8000;
    x &= 0x7fffffff;
    uint32_t normal = x - (112u << 23);
    normal = (normal + 0xfff + (normal >> 13 & 1)) >> 13;
    uint32_t small = bits_of(number(x) + 0.5f) - 0x3f000000;
    uint32_t y = x >= 0x47800000 ? 0x7c00 : x >= 0x38800000 ? normal : small;
    return x > 0x7f800000 ? 0x7fff : y | sign;
}

static inline uint32_t bfloat_bits(float f)
{
    uint32_t x = bits_of(f);
    uint32_t y = (x + 0x7fff + (x >> 16 & 1)) >> 16;
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fff : y;
}

/* Rounds to odd: returns x, with its last bit set if the error e of x is not 0. */
static inline float made_odd(float x, float e)
{
    uint32_t bits = bits_of(x), error = bits_of(e);
    /* Away from zero if the error has the same sign as x, else toward zero. */
    uint32_t change = 1 - ((bits ^ error) >> 31) * 2;
    change &= (bits & 1) - 1;
    return number(bits + ((error & 0x7fffffff) - 1 < 0x7f800000 ? change : 0));
}

static inline double made_odd_long(double x, double e)
{
    uint64_t bits, error;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&error, &e, sizeof error);
    uint64_t change = 1 - ((bits ^ error) >> 63) * 2;
    change &= (bits & 1) - 1;
    bits += (error & ~((uint64_t)1 << 63)) - 1 < (uint64_t)0x7ff << 52 ? change : 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The product a b is exact: it has 22 bits and is at least 2^-48. */
static inline float half_fma(float a, float b, float c)
{
    float p = a * b, s = p + c, t = s - p;
    return made_odd(s, (p - (s - t)) + (c - t));
}

/* The product a b is exact in double, and the sum, rounded to odd, becomes a float rounded to odd.
 * A number below the least float becomes the least float, and an infinite sum stays infinite. */
static inline float bfloat_fma(float a, float b, float c)
{
    double p = (double)a * b, s = p + c, t = s - p;
    s = made_odd_long(s, (p - (s - t)) + (c - t));
    float f = (float)s;
    double e = s - f;
    uint32_t error = e > 0 ? 1 : 0;
    error = e < 0 ? 0x80000001 : error;
    uint32_t bits = bits_of(f), least = (bits & 0x7fffffff) == 0 ? error : bits;
    least = error ? least : bits;
    error = (bits & 0x7fffffff) - 1 < 0x7f7fffff ? error : 0;
    return made_odd(number(least), number(error));
}

/* Which halves of an operand are read, and with which signs. select 0: each half; 1: the lower one
 * twice; 2: the upper one twice. */
struct halves {
    uint32_t low, high; /* the number of bits to shift by */
    uint32_t keep, turn, least;
};

static inline struct halves halves_of(const struct gr_step *step, int n)
{
    const struct gr_source *s = &step->s[n];
    bool flush = step->flags & GR_FLAG_FTZ;
    return (struct halves){s->select == 2 ? 16 : 0, s->select == 1 ? 0 : 16,
                           s->absolute ? 0x7fff : 0xffff, s->negated ? 0x8000 : 0,
                           !flush                         ? 0
                           : step->flags & GR_FLAG_BFLOAT ? 0x80
                                                          : 0x400};
}

static inline uint32_t half_read(uint32_t x, uint32_t shift, struct halves h)
{
    x = (x >> shift & h.keep) ^ h.turn;
    return (x & 0x7fff) < h.least ? x & 0x8000 : x;
}

/* How a result is written: see struct writing. A number below `tiny`, before it is rounded, would
 * be below the least normal number if it were rounded with an unbounded exponent. */
struct half_writing {
    uint32_t tiny; /* the bits of a float */
    uint32_t nan, most;
    uint32_t negative; /* the sign bit, if negative results become zero; else 0 */
};

static inline struct half_writing half_writing_of(const struct gr_step *step)
{
    bool saturate = step->flags & GR_FLAG_SATURATE, bfloat = step->flags & GR_FLAG_BFLOAT;
    uint32_t one = bfloat ? 0x3f80 : 0x3c00;
    uint32_t tiny =
        !(step->flags & GR_FLAG_FTZ) ? 0 : bits_of(bfloat ? 0x1.ffp-127f : 0x1.ffep-15f);
    return (struct half_writing){tiny, saturate ? 0 : 0x7fff, saturate ? one : 0xffff,
                                 saturate || step->flags & GR_FLAG_RELU ? 0x8000 : 0};
}

static inline uint32_t half_write(uint32_t x, uint32_t infinity, struct half_writing w)
{
    uint32_t y = x & w.negative ? 0 : x;
    y = y > w.most ? w.most : y;
    return (x & 0x7fff) > infinity ? w.nan : y;
}

static inline uint32_t without_tiny(float x, uint32_t tiny)
{
    uint32_t bits = bits_of(x);
    return (bits & 0x7fffffff) < tiny ? bits & 0x80000000 : bits;
}

/* Reads one half of a source as floats. */
static inline void half_numbers(uint32_t *restrict f, const uint32_t *x, uint32_t shift,
                                struct halves h)
{
    LOOP f[i] = bits_of(half_number(half_read(x[i], shift, h)));
}

static inline void bfloat_numbers(uint32_t *restrict f, const uint32_t *x, uint32_t shift,
                                  struct halves h)
{
    LOOP f[i] = half_read(x[i], shift, h) << 16;
}

/* s[0] s[1] + s[2], in each half. Uses FTZ, SATURATE, RELU. */
STEP(hfma2)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    struct halves ha = halves_of(step, 0), hb = halves_of(step, 1), hc = halves_of(step, 2);
    struct half_writing w = half_writing_of(step);
    gr_lanes x, y, z, low, high;
    half_numbers(x, a, ha.low, ha);
    half_numbers(y, b, hb.low, hb);
    half_numbers(z, c, hc.low, hc);
    LOOP x[i] = without_tiny(half_fma(number(x[i]), number(y[i]), number(z[i])), w.tiny);
    LOOP low[i] = half_write(half_bits(number(x[i])), 0x7c00, w);
    half_numbers(x, a, ha.high, ha);
    half_numbers(y, b, hb.high, hb);
    half_numbers(z, c, hc.high, hc);
    LOOP x[i] = without_tiny(half_fma(number(x[i]), number(y[i]), number(z[i])), w.tiny);
    LOOP high[i] = half_write(half_bits(number(x[i])), 0x7c00, w);
    STORE(d, low[i] | high[i] << 16);
}

/* The same for bf16. */
STEP(bfma2)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    struct halves ha = halves_of(step, 0), hb = halves_of(step, 1), hc = halves_of(step, 2);
    struct half_writing w = half_writing_of(step);
    gr_lanes x, y, z, low, high;
    bfloat_numbers(x, a, ha.low, ha);
    bfloat_numbers(y, b, hb.low, hb);
    bfloat_numbers(z, c, hc.low, hc);
    LOOP x[i] = without_tiny(bfloat_fma(number(x[i]), number(y[i]), number(z[i])), w.tiny);
    LOOP low[i] = half_write(bfloat_bits(number(x[i])), 0x7f80, w);
    bfloat_numbers(x, a, ha.high, ha);
    bfloat_numbers(y, b, hb.high, hb);
    bfloat_numbers(z, c, hc.high, hc);
    LOOP x[i] = without_tiny(bfloat_fma(number(x[i]), number(y[i]), number(z[i])), w.tiny);
    LOOP high[i] = half_write(bfloat_bits(number(x[i])), 0x7f80, w);
    STORE(d, low[i] | high[i] << 16);
}

/* HADD2.F32: the sum of two halves as a float. */
STEP(half_to_float)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct halves ha = halves_of(step, 0), hb = halves_of(step, 1);
    struct writing w = writing_of(step);
    STORE(d, write_bits(half_number(half_read(a[i], ha.low, ha)) +
                            half_number(half_read(b[i], hb.low, hb)),
                        w));
}

/* F2FP: s[0] becomes the upper half, s[1] the lower. */
STEP(pack_half)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    STORE(d, half_bits(number(read_bits(a[i], ra))) << 16 | half_bits(number(read_bits(b[i], rb))));
}

STEP(pack_bfloat)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    STORE(d, bfloat_bits(number(read_bits(a[i], ra))) << 16 |
                 bfloat_bits(number(read_bits(b[i], rb))));
}

#endif

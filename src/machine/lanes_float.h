/* lanes_float.h: arithmetic and comparisons of float and double; a part of lanes_ops.h.
 * SPDX-License-Identifier: MIT
 *
 * As on the GPU, a NaN that arises in float arithmetic always has the same bits. For double, see
 * choose_nans. */
#ifndef MACHINE_LANES_FLOAT_H
#define MACHINE_LANES_FLOAT_H

#include "machine/lanes_loops.h"

#include "machine/rounding.h"

static inline float number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline uint32_t result_of(float x)
{
    return x != x ? 0x7fffffff : bits_of(x);
}

STEP(fadd)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, result_of(number(a[i]) + number(b[i])));
}

STEP(fmul)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, result_of(number(a[i]) * number(b[i])));
}

STEP(ffma)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, result_of(__builtin_fmaf(number(a[i]), number(b[i]), number(c[i]))));
}

/* Executes `count` steps of ffma for all lanes. */
static void ffma_sequence(struct gr_warp *restrict warp, const struct gr_step *restrict steps,
                          int count)
{
    for (const struct gr_step *step = steps; step < steps + count; step++) {
        SOURCE(a, 0);
        SOURCE(b, 1);
        SOURCE(c, 2);
        DESTINATION(d);
        LOOP d[i] = result_of(__builtin_fmaf(number(a[i]), number(b[i]), number(c[i])));
    }
}

/* ---- With signs, flushes, saturation and rounding modes. ----------------------------------- */

/* How an operand is read: as |x|, -x, or with all below `least` flushed to zero. */
struct reading {
    uint32_t keep, turn, least;
};

static inline struct reading reading_of(const struct gr_step *step, int n)
{
    const struct gr_source *s = &step->s[n];
    return (struct reading){s->absolute ? 0x7fffffff : 0xffffffff, s->negated ? 0x80000000 : 0,
                            step->flags & GR_FLAG_FTZ ? 0x00800000 : 0};
}

static inline uint32_t flushed(uint32_t x, uint32_t least)
{
    return (x & 0x7fffffff) < least ? x & 0x80000000 : x;
}

static inline uint32_t read_bits(uint32_t x, struct reading r)
{
    return flushed((x & r.keep) ^ r.turn, r.least);
}

/* How a result is written. */
struct writing {
    uint32_t nan, most, least;
    int32_t floor;
};

static inline struct writing writing_of(const struct gr_step *step)
{
    bool saturate = step->flags & GR_FLAG_SATURATE;
    return (struct writing){saturate ? 0 : 0x7fffffff, saturate ? 0x3f800000 : 0xffffffff,
                            step->flags & GR_FLAG_FTZ ? 0x00800000 : 0, saturate ? 0 : INT32_MIN};
}

static inline uint32_t write_bits(float x, struct writing w)
{
    uint32_t y = x != x ? w.nan : flushed(bits_of(x), w.least);
    y = (int32_t)y < w.floor ? 0 : y;
    return y > w.most ? w.most : y;
}

/* Applies only the signs. */
static inline float signed_number(uint32_t x, struct reading r)
{
    return number((x & r.keep) ^ r.turn);
}

STEP(fadd_signs)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    STORE(d, result_of(signed_number(a[i], ra) + signed_number(b[i], rb)));
}

STEP(fmul_signs)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    STORE(d, result_of(signed_number(a[i], ra) * signed_number(b[i], rb)));
}

STEP(ffma_signs)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1), rc = reading_of(step, 2);
    STORE(d, result_of(__builtin_fmaf(signed_number(a[i], ra), signed_number(b[i], rb),
                                      signed_number(c[i], rc))));
}

/* FTZ flushes a result that would be smaller than the least normal number if it were rounded to 24
 * bits with an unbounded exponent. A product may be so small, and yet have become the least normal
 * number when it was rounded as a denormal. (Sums are exact in this range.) */
__attribute__((noinline)) static void flush_rounded_up(uint32_t *x, const uint32_t *a,
                                                       const uint32_t *b, const uint32_t *c,
                                                       const struct reading *r, int rounding)
{
    for (int i = 0; i < GR_WARP_LANES; i++) {
        if ((x[i] & 0x7fffffff) != 0x00800000)
            continue;
        double p = (double)number(read_bits(a[i], r[0])) * number(read_bits(b[i], r[1]));
        double z = c ? number(read_bits(c[i], r[2])) : 0, s = p + z, t = s - p;
        double e = (p - (s - t)) + (z - t);
        double size = s < 0 ? -s : s, rest = s < 0 ? -e : e;
        double halfway = 0x1p-126 * (1 - 0x1p-25), before = 0x1p-126 * (1 - 0x1p-24);
        bool small = rounding == GR_ROUND_NEAREST ? size < halfway || (size == halfway && rest < 0)
                                                  : size <= before;
        if (small)
            x[i] &= 0x80000000;
    }
}

static inline bool any_is_least(const uint32_t *x)
{
    uint32_t found = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        found |= (x[i] & 0x7fffffff) == 0x00800000;
    return found;
}

/* Executes with the rounding mode of step->rounding. The arithmetic is in a function that is
 * called, with its loads and stores, so that the compiler cannot move it across the changes of the
 * mode. */
#define ROUNDED(name, inner)                                                                       \
    STEP(name)                                                                                     \
    {                                                                                              \
        if (step->rounding == GR_ROUND_NEAREST) {                                                  \
            inner(warp, step, active);                                                             \
            return;                                                                                \
        }                                                                                          \
        unsigned saved = gr_rounding_begin(step->rounding);                                        \
        inner(warp, step, active);                                                                 \
        gr_rounding_end(saved);                                                                    \
    }

__attribute__((noinline)) STEP(fadd_inner)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    struct writing w = writing_of(step);
    STORE(d, write_bits(number(read_bits(a[i], ra)) + number(read_bits(b[i], rb)), w));
}
ROUNDED(fadd_any, fadd_inner)

__attribute__((noinline)) STEP(fmul_inner)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading r[2] = {reading_of(step, 0), reading_of(step, 1)};
    struct writing w = writing_of(step);
    gr_lanes x;
    LOOP x[i] = write_bits(number(read_bits(a[i], r[0])) * number(read_bits(b[i], r[1])), w);
    if (w.least && any_is_least(x))
        flush_rounded_up(x, a, b, 0, r, step->rounding);
    STORE(d, x[i]);
}
ROUNDED(fmul_any, fmul_inner)

__attribute__((noinline)) STEP(ffma_inner)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    struct reading r[3] = {reading_of(step, 0), reading_of(step, 1), reading_of(step, 2)};
    struct writing w = writing_of(step);
    gr_lanes x;
    LOOP x[i] =
        write_bits(__builtin_fmaf(number(read_bits(a[i], r[0])), number(read_bits(b[i], r[1])),
                                  number(read_bits(c[i], r[2]))),
                   w);
    if (w.least && any_is_least(x))
        flush_rounded_up(x, a, b, c, r, step->rounding);
    STORE(d, x[i]);
}
ROUNDED(ffma_any, ffma_inner)

/* ---- choices and comparisons --------------------------------------------------------------- */

/* Maps floats to integers in the same order; -0 is less than +0. */
static inline int32_t order_of(uint32_t x)
{
    return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) & 0x7fffffff));
}

/* Returns all ones if the condition holds, else 0. Such masks are combined without branches. */
static inline uint32_t mask_if(int condition)
{
    return 0 - (uint32_t)condition;
}

static inline uint32_t extreme(uint32_t x, uint32_t y, uint32_t minimum, uint32_t nan)
{
    uint32_t nx = mask_if((x & 0x7fffffff) > 0x7f800000);
    uint32_t ny = mask_if((y & 0x7fffffff) > 0x7f800000);
    uint32_t first = ~(mask_if(order_of(x) < order_of(y)) ^ minimum);
    first = (first & ~nx) | ny;
    uint32_t none = (nx & ny) | (nan & (nx | ny));
    return (none & 0x7fffffff) | (~none & ((first & x) | (~first & y)));
}

/* The minimum if p_in[0], else the maximum. ADD: of three operands. Uses FTZ, NAN, XORSIGN. */
STEP(fmnmx)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1), rc = reading_of(step, 2);
    uint32_t nan = mask_if((step->flags & GR_FLAG_NAN) != 0);
    uint32_t chosen = predicate_in(warp, step, 0);
    uint32_t sign = step->flags & GR_FLAG_XORSIGN ? 0x80000000 : 0;
    gr_lanes minimum, x;
    LOOP minimum[i] = 0 - (chosen >> i & 1);
    LOOP x[i] = extreme(read_bits(a[i], ra), read_bits(b[i], rb), minimum[i], nan);
    if (step->flags & GR_FLAG_ADD)
        LOOP x[i] = extreme(x[i], read_bits(c[i], rc), minimum[i], nan);
    if (sign)
        LOOP x[i] ^= (a[i] ^ b[i]) & sign & ~mask_if(x[i] == 0x7fffffff);
    STORE(d, x[i]);
}

/* s[0] if p_in[0], else s[1]. Uses FTZ. */
STEP(fsel)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    uint32_t chosen = predicate_in(warp, step, 0);
    STORE(d, chosen >> i & 1 ? read_bits(a[i], ra) : read_bits(b[i], rb));
}

static inline uint32_t chosen_of(uint32_t kind, uint32_t less, uint32_t equal, uint32_t greater)
{
    return (kind & GR_COMPARE_LESS ? less : 0) | (kind & GR_COMPARE_EQUAL ? equal : 0) |
           (kind & GR_COMPARE_GREATER ? greater : 0) |
           (kind & GR_COMPARE_UNORDERED ? ~(less | equal | greater) : 0);
}

static inline uint32_t float_compared(const struct gr_warp *warp, const struct gr_step *step)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    MASK(less, number(read_bits(a[i], ra)) < number(read_bits(b[i], rb)));
    MASK(equal, number(read_bits(a[i], ra)) == number(read_bits(b[i], rb)));
    MASK(greater, number(read_bits(a[i], ra)) > number(read_bits(b[i], rb)));
    return chosen_of(step->kind, less, equal, greater);
}

STEP(fsetp)
{
    compared(warp, step, float_compared(warp, step), active);
}

/* The comparison, combined with p_in[0]. True is all ones, or with FLOAT 1.0f; false is 0. */
STEP(fset)
{
    DESTINATION(d);
    uint32_t mask = float_compared(warp, step), with = predicate_in(warp, step, 0);
    if (step->flags & GR_FLAG_OR)
        mask |= with;
    else if (step->flags & GR_FLAG_XOR)
        mask ^= with;
    else
        mask &= with;
    uint32_t truth = step->flags & GR_FLAG_FLOAT ? 0x3f800000 : 0xffffffff;
    STORE(d, mask >> i & 1 ? truth : 0);
}

/* ---- double -------------------------------------------------------------------------------- */

static inline double long_number(uint32_t low, uint32_t high, struct reading r)
{
    uint64_t bits = pair(low, (high & r.keep) ^ r.turn);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t long_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline bool long_is_nan(uint64_t x)
{
    return (x & ~((uint64_t)1 << 63)) > (uint64_t)0x7ff << 52;
}

/* If operands are NaN, the result is one of them, made quiet: the second, else the third, else the
 * first. It keeps the sign that it has in its register. A NaN that arises from numbers is always
 * the same one. */
__attribute__((noinline)) static void choose_nans(uint64_t *x, const gr_lanes *a, const gr_lanes *b,
                                                  const gr_lanes *c)
{
    const gr_lanes *const order[] = {b, c, a};
    for (int i = 0; i < GR_WARP_LANES; i++) {
        if (!long_is_nan(x[i]))
            continue;
        x[i] = 0xfff8000000000000u;
        for (int n = 0; n < 3; n++) {
            uint64_t y = order[n] ? pair(order[n][0][i], order[n][1][i]) : 0;
            if (long_is_nan(y)) {
                x[i] = y | (uint64_t)1 << 51;
                break;
            }
        }
    }
}

/* Stores the 32 results that are in x. */
#define STORE_LONGS(a, b, c)                                                                       \
    do {                                                                                           \
        uint32_t nans_ = 0;                                                                        \
        LOOP nans_ |= long_is_nan(x[i]);                                                           \
        if (nans_)                                                                                 \
            choose_nans(x, a, b, c);                                                               \
        STORE_PAIR(d, x[i]);                                                                       \
    } while (0)

__attribute__((noinline)) STEP(dadd_inner)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    DESTINATION_PAIR(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    uint64_t x[GR_WARP_LANES];
    LOOP x[i] = long_bits(long_number(a[i], a_high[i], ra) + long_number(b[i], b_high[i], rb));
    STORE_LONGS(a_pair, b_pair, 0);
}
ROUNDED(dadd, dadd_inner)

__attribute__((noinline)) STEP(dmul_inner)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    DESTINATION_PAIR(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    uint64_t x[GR_WARP_LANES];
    LOOP x[i] = long_bits(long_number(a[i], a_high[i], ra) * long_number(b[i], b_high[i], rb));
    STORE_LONGS(a_pair, b_pair, 0);
}
ROUNDED(dmul, dmul_inner)

__attribute__((noinline)) STEP(dfma_inner)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    SOURCE_PAIR(c, 2);
    DESTINATION_PAIR(d);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1), rc = reading_of(step, 2);
    uint64_t x[GR_WARP_LANES];
    LOOP x[i] =
        long_bits(__builtin_fma(long_number(a[i], a_high[i], ra), long_number(b[i], b_high[i], rb),
                                long_number(c[i], c_high[i], rc)));
    STORE_LONGS(a_pair, b_pair, c_pair);
}
ROUNDED(dfma, dfma_inner)

STEP(dsetp)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    struct reading ra = reading_of(step, 0), rb = reading_of(step, 1);
    MASK(less, long_number(a[i], a_high[i], ra) < long_number(b[i], b_high[i], rb));
    MASK(equal, long_number(a[i], a_high[i], ra) == long_number(b[i], b_high[i], rb));
    MASK(greater, long_number(a[i], a_high[i], ra) > long_number(b[i], b_high[i], rb));
    compared(warp, step, chosen_of(step->kind, less, equal, greater), active);
}

/* ---- conversions --------------------------------------------------------------------------- */

__attribute__((noinline)) STEP(i2f_s32_inner)
{
    SOURCE(a, 0);
    DESTINATION(d);
    STORE(d, bits_of((float)(int32_t)a[i]));
}
ROUNDED(i2f_s32, i2f_s32_inner)

__attribute__((noinline)) STEP(i2f_u32_inner)
{
    SOURCE(a, 0);
    DESTINATION(d);
    /* Both halves, and the product of the upper one, are exact, so only the sum is rounded. */
    STORE(d, bits_of((float)(int32_t)(a[i] >> 16) * 65536.0f + (float)(int32_t)(a[i] & 0xffff)));
}
ROUNDED(i2f_u32, i2f_u32_inner)

/* Truncates; NaN becomes 0. */
STEP(f2i_s32)
{
    SOURCE(a, 0);
    DESTINATION(d);
    struct reading ra = reading_of(step, 0);
    STORE(d, ({
              float x = number(read_bits(a[i], ra));
              bool inside = x >= -0x1p31f && x < 0x1p31f;
              uint32_t beyond = x != x ? 0 : x < 0 ? 0x80000000 : 0x7fffffff;
              inside ? (uint32_t)(int32_t)(inside ? x : 0.0f) : beyond;
          }));
}

#endif

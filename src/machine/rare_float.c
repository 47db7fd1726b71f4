/* rare_float.c: the check of a division, and the functions of the special function unit.
 * SPDX-License-Identifier: MIT */
#include "machine/convert.h"
#include "machine/rare_loop.h"

#include <math.h>
#include <string.h>

/* The condition was found by trying all pairs of exponents on an H200:
 * tests/machine/ops/probe.py. */
void gr_rare_fchk(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t mask = 0;
    EACH_LANE(i, active)
    {
        uint32_t a = gr_float_word(warp, step, 0, i) & 0x7fffffff;
        uint32_t b = gr_float_word(warp, step, 1, i) & 0x7fffffff;
        int ea = (int)(a >> 23), eb = (int)(b >> 23);
        if (ea <= 24 || ea == 255 || eb <= 1 || eb >= 252 || ea - eb >= 127 || eb - ea >= 125)
            mask |= 1u << i;
    }
    gr_write_predicate(warp, step->p_out[0], mask, active);
}

static float number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fffffff : bits;
}

static uint32_t flushed(uint32_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}

/* A sine that would be 0 if pi were not rounded must be exactly 0. */
static uint32_t sine_bits(double x)
{
    return fabs(x) < 1e-12 ? 0 : bits_of((float)x);
}

/* Results are within the error bounds of the CUDA guide. They are exact for 0, infinities, NaN and
 * denormals, which are flushed to zero except for TANH. Angles are in turns. */
static uint32_t mufu(int kind, uint32_t bits)
{
    double x = number(kind == GR_MUFU_TANH ? bits : flushed(bits)), turn = 6.283185307179586;
    switch (kind) {
    case GR_MUFU_COS:
        return sine_bits(cos(fmod(x, 1) * turn));
    case GR_MUFU_SIN:
        return x == 0 ? bits_of((float)x) : sine_bits(sin(fmod(x, 1) * turn));
    case GR_MUFU_EX2:
        return flushed(bits_of((float)exp2(x)));
    case GR_MUFU_LG2:
        return bits_of((float)log2(x));
    case GR_MUFU_RCP:
        return flushed(bits_of((float)(1 / x)));
    case GR_MUFU_RSQ:
        return bits_of((float)(1 / sqrt(x)));
    case GR_MUFU_SQRT:
        return bits_of((float)sqrt(x));
    default:
        return bits_of((float)tanh(x));
    }
}

/* The function of a double, from its upper word to the upper word of the result. Denormals are
 * flushed to zero. */
static uint32_t mufu_long(int kind, uint32_t high)
{
    uint32_t size = high & 0x7fffffff;
    uint64_t bits = (uint64_t)(size < 0x00100000 ? high & 0x80000000 : high) << 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    x = kind == GR_MUFU_RCP64H ? 1 / x : 1 / sqrt(x);
    memcpy(&bits, &x, sizeof x);
    uint32_t y = (uint32_t)(bits >> 32);
    if (x != x)
        return 0x7fffffff;
    return (y & 0x7fffffff) < 0x00100000 ? y & 0x80000000 : y;
}

/* PACKED: of a half, with a truncated result; UPPER: of the upper half. */
void gr_rare_mufu(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int kind = step->kind;
    enum gr_format format = step->flags & GR_FLAG_BFLOAT ? GR_FORMAT_BF16 : GR_FORMAT_F16;
    EACH_LANE(i, active)
    {
        if (step->flags & GR_FLAG_PACKED) {
            uint32_t half = gr_word(warp, step, 0, 0, i) >> (step->flags & GR_FLAG_UPPER ? 16 : 0);
            half = (step->s[0].absolute ? half & 0x7fff : half & 0xffff) ^
                   (step->s[0].negated ? 0x8000 : 0);
            struct gr_number x = gr_number_read(half, format);
            uint32_t y = mufu(kind, (uint32_t)gr_number_write(x, GR_FORMAT_F32, 0, false));
            x = gr_number_read(y, GR_FORMAT_F32);
            warp->v[step->d][i] = (uint32_t)gr_number_write(x, format, GR_ROUND_ZERO, false);
        } else if (kind == GR_MUFU_RCP64H || kind == GR_MUFU_RSQ64H) {
            warp->v[step->d][i] = mufu_long(kind, gr_float_word(warp, step, 0, i));
        } else {
            warp->v[step->d][i] = mufu(kind, gr_float_word(warp, step, 0, i));
        }
    }
}

/* kind 0: the minimum, 1: the maximum. p_out[0]: it is s[0]; p_out[1]: both are NaN. */
void gr_rare_double_extreme(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t first = 0, nan = 0;
    EACH_LANE(i, active)
    {
        uint64_t x = gr_long(warp, step, 0, i), y = gr_long(warp, step, 1, i);
        uint64_t sign = (uint64_t)1 << 63, infinity = (uint64_t)0x7ff << 52;
        x = (step->s[0].absolute ? x & ~sign : x) ^ (step->s[0].negated ? sign : 0);
        y = (step->s[1].absolute ? y & ~sign : y) ^ (step->s[1].negated ? sign : 0);
        bool nx = (x & ~sign) > infinity, ny = (y & ~sign) > infinity;
        int64_t ox = (int64_t)(x & sign ? x ^ ~sign : x), oy = (int64_t)(y & sign ? y ^ ~sign : y);
        bool choice = nx || ny ? !nx : step->kind ? ox > oy : ox < oy;
        first |= (uint32_t)choice << i;
        nan |= (uint32_t)(nx && ny) << i;
    }
    gr_write_predicate(warp, step->p_out[1], nan, active);
    gr_write_predicate(warp, step->p_out[0], first, active);
}

void gr_rare_twice(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    gr_step_fn *run = (gr_step_fn *)(uintptr_t)step->value;
    struct gr_step word = *step;
    run(warp, &word, active);
    word.d++;
    for (int n = 0; n < step->bytes; n++)
        word.s[n].slot++;
    run(warp, &word, active);
}

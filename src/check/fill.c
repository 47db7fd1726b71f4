/* fill.c: fills matrices with reproducible values. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "check/check.h"
#include "check/element.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {
#define NAME(enumerator, name) name,
    GR_FILL_LIST(NAME)
#undef NAME
};

const char *gr_fill_name(enum gr_fill fill)
{
    return names[fill];
}

bool gr_fill_parse(const char *name, enum gr_fill *fill)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *fill = (enum gr_fill)i;
            return true;
        }
    }
    return false;
}

static double power(int exponent)
{
    return ldexp(1, exponent);
}

/* For 8-bit types, the full range, so that a sum of two products in 16 bits overflows and is
 * detected. For wider types, magnitudes up to about a thousand, so that sums overflow only if
 * the kernel is wrong. */
static double draw_integer(struct gr_rng *rng, enum gr_fill fill, enum gr_dtype type)
{
    int64_t least = type == GR_U8 ? 0 : type == GR_S8 ? -128 : -1000;
    int64_t most = type == GR_U8 ? 255 : type == GR_S8 ? 127 : 1000;
    if (fill == GR_FILL_POSITIVE)
        least = 0;
    return (double)(least + (int64_t)(gr_rng_next(rng) % (uint64_t)(most - least + 1)));
}

/* One value. Uniform numbers have exactly as many digits as the type, so that rounding never
 * yields the excluded end of the interval. */
static double draw(struct gr_rng *rng, enum gr_fill fill, enum gr_dtype type)
{
    int digits = gr_dtype_digits(type);
    bool integers = gr_dtype_eps(type) == 0;
    if (fill == GR_FILL_ONES)
        return 1;
    if (integers && fill != GR_FILL_INTEGER)
        return draw_integer(rng, fill, type);
    if (fill == GR_FILL_INTEGER)
        return (double)(gr_rng_next(rng) % (type == GR_U8 ? 9 : 17)) - (type == GR_U8 ? 0 : 8);
    if (fill == GR_FILL_NORMAL)
        return gr_rng_normal(rng);
    double unit = (double)(gr_rng_next(rng) >> (64 - digits)) * power(-digits); /* [0, 1) */
    if (fill == GR_FILL_POSITIVE)
        return unit;
    if (fill == GR_FILL_UNIFORM)
        return 2 * unit - 1;
    /* Magnitudes from 2^-reach to 2^reach; the range is smaller for narrow types, so that sums
     * stay finite. */
    int reach = (int)fmin(20, floor(log2(gr_dtype_max(type)) / 3));
    uint64_t bits = gr_rng_next(rng);
    int exponent = (int)((bits >> 1) % (uint64_t)(2 * reach)) - reach;
    return (bits & 1 ? -1 : 1) * (1 + unit) * power(exponent);
}

/* A fast path for the most common case, because the operands of a large problem are refilled
 * between checks. */
static void fill_uniform_f32(struct gr_rng *rng, int64_t rows, int64_t cols, int64_t ld, float *c)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            c[i * ld + j] = (float)(gr_rng_next(rng) >> 40) * 0x1p-23f - 1.0f;
}

void gr_fill_matrix(enum gr_fill fill, uint64_t seed, enum gr_dtype type, int64_t rows,
                    int64_t cols, int64_t ld, void *elements)
{
    struct gr_rng rng = {seed};
    if (fill == GR_FILL_UNIFORM && type == GR_F32) {
        fill_uniform_f32(&rng, rows, cols, ld, elements);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            gr_element_put(type, elements, i * ld + j, draw(&rng, fill, type));
}

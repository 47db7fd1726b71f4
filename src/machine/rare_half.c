/* rare_half.c: selections and comparisons of two packed f16 or bf16.
 * SPDX-License-Identifier: MIT */
#include "machine/rare_loop.h"

/* Reads half j of source s, as selected, with its signs. Uses FTZ. */
static uint32_t half_of(const struct gr_warp *warp, const struct gr_step *step, int s, uint32_t j,
                        uint32_t lane)
{
    const struct gr_source *source = &step->s[s];
    uint32_t at = source->select == 1 ? 0 : source->select == 2 ? 1 : j;
    uint32_t x = gr_word(warp, step, s, 0, lane) >> 16 * at & 0xffff;
    x = (source->absolute ? x & 0x7fff : x) ^ (source->negated ? 0x8000 : 0);
    uint32_t least = step->flags & GR_FLAG_BFLOAT ? 0x80 : 0x400;
    return step->flags & GR_FLAG_FTZ && (x & 0x7fff) < least ? x & 0x8000 : x;
}

static bool is_nan(const struct gr_step *step, uint32_t x)
{
    return (x & 0x7fff) > (step->flags & GR_FLAG_BFLOAT ? 0x7f80u : 0x7c00u);
}

/* Maps numbers to integers in the same order; -0 is less than 0. */
static int order_of(uint32_t x)
{
    return x & 0x8000 ? -(int)(x & 0x7fff) - 1 : (int)x;
}

void gr_rare_half_extreme(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        bool minimum = gr_lane_predicate(warp, step, 0, i);
        uint32_t signs = step->flags & GR_FLAG_XORSIGN ? 0x8000 : 0, result = 0;
        for (uint32_t j = 0; j < 2; j++) {
            uint32_t x = half_of(warp, step, 0, j, i), y = half_of(warp, step, 1, j, i), z;
            bool nx = is_nan(step, x), ny = is_nan(step, y);
            uint32_t ax = gr_word(warp, step, 0, 0, i), ay = gr_word(warp, step, 1, 0, i);
            ax >>= step->s[0].select == 1 ? 0 : step->s[0].select == 2 ? 16 : 16 * j;
            ay >>= step->s[1].select == 1 ? 0 : step->s[1].select == 2 ? 16 : 16 * j;
            if ((nx && ny) || (step->flags & GR_FLAG_NAN && (nx || ny)))
                z = 0x7fff;
            else if (nx || ny)
                z = (nx ? y : x) ^ ((ax ^ ay) & signs);
            else
                z = ((order_of(x) < order_of(y)) == minimum ? x : y) ^ ((ax ^ ay) & signs);
            result |= z << 16 * j;
        }
        warp->v[step->d][i] = result;
    }
}

static bool compared(const struct gr_warp *warp, const struct gr_step *step, uint32_t j,
                     uint32_t lane)
{
    uint32_t x = half_of(warp, step, 0, j, lane), y = half_of(warp, step, 1, j, lane);
    int relation;
    if (is_nan(step, x) || is_nan(step, y))
        relation = GR_COMPARE_UNORDERED;
    else if (!((x | y) & 0x7fff) || x == y)
        relation = GR_COMPARE_EQUAL;
    else
        relation = order_of(x) < order_of(y) ? GR_COMPARE_LESS : GR_COMPARE_GREATER;
    bool result = step->kind & relation, with = gr_lane_predicate(warp, step, 0, lane);
    if (step->flags & GR_FLAG_OR)
        return result || with;
    return step->flags & GR_FLAG_XOR ? result != with : result && with;
}

void gr_rare_half_test(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t low = 0, high = 0;
    EACH_LANE(i, active)
    {
        low |= (uint32_t)compared(warp, step, 0, i) << i;
        high |= (uint32_t)compared(warp, step, 1, i) << i;
    }
    gr_write_predicate(warp, step->p_out[1], high, active);
    gr_write_predicate(warp, step->p_out[0], low, active);
}

void gr_rare_half_set(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t one = step->flags & GR_FLAG_BFLOAT ? 0x3f80 : 0x3c00;
    uint32_t truth = step->flags & GR_FLAG_FLOAT ? one : 0xffff;
    EACH_LANE(i, active)
    {
        uint32_t low = compared(warp, step, 0, i) ? truth : 0;
        uint32_t high = compared(warp, step, 1, i) ? truth : 0;
        warp->v[step->d][i] = high << 16 | low;
    }
}

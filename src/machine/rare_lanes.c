/* rare_lanes.c: instructions that exchange data between lanes. SPDX-License-Identifier: MIT */
#include "machine/rare_loop.h"

#include <string.h>

/* Writes to all lanes of a uniform register, or to the active lanes of another register. */
static void write_all(struct gr_warp *warp, const struct gr_step *step, uint32_t active,
                      uint32_t value)
{
    bool uniform = step->d >= GR_SLOT_UNIFORM;
    for (uint32_t i = 0; i < GR_WARP_LANES; i++)
        if (uniform || active >> i & 1)
            warp->v[step->d][i] = value;
}

/* WIDE: VOTEU, which writes uniform registers and predicates. */
void gr_rare_vote(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t among = step->uniform ? warp->mask : active;
    uint32_t ballot = gr_predicate_mask(warp, step, 0) & among;
    bool all = ballot == among, any = ballot != 0;
    bool result = step->kind == 0 ? all : step->kind == 1 ? any : all || !any;
    bool uniform = step->flags & GR_FLAG_WIDE;
    write_all(warp, step, active, ballot);
    gr_write_predicate(warp, step->p_out[0], result ? 0xffffffff : 0,
                       uniform ? 0xffffffff : active);
}

/* Finds the source lane of lane i, by the rules of PTX. If it is out of bounds, sets i and returns
 * false. */
static bool shuffled(int kind, uint32_t i, uint32_t b, uint32_t c, uint32_t *from)
{
    uint32_t bound = c & 31, segment = c >> 8 & 31, n = b & 31;
    uint32_t most = (i & segment) | (bound & ~segment), least = i & segment;
    uint32_t j;
    bool inside;
    switch (kind) {
    case 0: /* IDX */
        j = least | (n & ~segment);
        inside = j <= most;
        break;
    case 1: /* UP, where the bound is the lowest lane */
        j = i - n;
        inside = (int32_t)j >= (int32_t)most;
        break;
    case 2: /* DOWN */
        j = i + n;
        inside = j <= most;
        break;
    default: /* BFLY */
        j = i ^ n;
        inside = j <= most;
        break;
    }
    *from = inside ? j & 31 : i;
    return inside;
}

/* The value from a lane that does not execute the instruction is undefined; as on an H200, it is 0
 * here. */
void gr_rare_shfl(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    gr_lanes a;
    memcpy(a, gr_source_of(warp, &step->s[0])[0], sizeof a);
    uint32_t inside = 0, froms[GR_WARP_LANES];
    EACH_LANE(i, active)
    {
        if (shuffled(step->kind, i, gr_word(warp, step, 1, 0, i), gr_word(warp, step, 2, 0, i),
                     &froms[i]))
            inside |= 1u << i;
    }
    EACH_LANE(i, active)
    {
        warp->v[step->d][i] = active >> froms[i] & 1 ? a[froms[i]] : 0;
    }
    gr_write_predicate(warp, step->p_out[0], inside, active);
}

void gr_rare_match(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    bool wide = step->flags & GR_FLAG_WIDE;
    uint64_t values[GR_WARP_LANES];
    uint32_t same[GR_WARP_LANES];
    EACH_LANE(i, active)
    {
        values[i] = wide ? gr_long(warp, step, 0, i) : gr_word(warp, step, 0, 0, i);
    }
    bool all = true;
    EACH_LANE(i, active)
    {
        same[i] = 0;
        EACH_LANE(j, active)
        {
            same[i] |= values[i] == values[j] ? 1u << j : 0;
        }
        all = all && same[i] == active;
    }
    EACH_LANE(i, active)
    {
        warp->v[step->d][i] = step->kind == 0 ? same[i] : all ? active : 0;
    }
    gr_write_predicate(warp, step->p_out[0], all ? 0xffffffff : 0, active);
}

static int32_t order_of(uint32_t x)
{
    return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) & 0x7fffffff));
}

static uint32_t float_extreme(uint32_t x, uint32_t y, bool minimum, bool nan)
{
    bool nx = (x & 0x7fffffff) > 0x7f800000, ny = (y & 0x7fffffff) > 0x7f800000;
    if ((nx && ny) || (nan && (nx || ny)))
        return 0x7fffffff;
    if (nx || ny)
        return nx ? y : x;
    return (order_of(x) < order_of(y)) == minimum ? x : y;
}

static uint32_t reduced(const struct gr_step *step, uint32_t x, uint32_t y)
{
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    bool less = (int32_t)(x ^ bias) < (int32_t)(y ^ bias);
    switch (step->kind) {
    case 0:
        return x & y;
    case 1:
        return x | y;
    case 2:
        return x ^ y;
    case 3:
        return x + y;
    default:
        if (step->flags & GR_FLAG_FLOAT)
            return float_extreme(x, y, !(step->kind & 1), step->flags & GR_FLAG_NAN);
        return less == !(step->kind & 1) ? x : y;
    }
}

void gr_rare_redux(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t among = step->uniform ? warp->mask : active, result = 0;
    bool first = true;
    EACH_LANE(i, among)
    {
        uint32_t x = gr_word(warp, step, 0, 0, i);
        if (step->kind >= 6)
            x &= 0x7fffffff;
        if (first && step->flags & GR_FLAG_FLOAT && (x & 0x7fffffff) > 0x7f800000)
            x = 0x7fffffff;
        result = first ? x : reduced(step, result, x);
        first = false;
    }
    write_all(warp, step, active, result);
}

void gr_rare_elect(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    const uint32_t from = active & gr_predicate_mask(warp, step, 0);
    if (from)
        write_all(warp, step, active, (uint32_t)__builtin_ctz(from));
    gr_write_predicate(warp, step->p_out[0], from & -from, active);
}

void gr_rare_r2ur(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t among = step->uniform ? warp->mask : active;
    if (!among)
        return;
    write_all(warp, step, active, gr_word(warp, step, 0, 0, (uint32_t)__builtin_ctz(among)));
}

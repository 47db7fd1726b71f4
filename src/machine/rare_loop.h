/* rare_loop.h: helpers for the files rare_<name>.c. SPDX-License-Identifier: MIT */
#ifndef MACHINE_RARE_LOOP_H
#define MACHINE_RARE_LOOP_H

#include "machine/rare.h"

/* Loops over the active lanes i. */
#define EACH_LANE(i, active)                                                                       \
    for (uint32_t left_##i = (active), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1);  \
         left_##i &= left_##i - 1)

/* Reads word n of operand s in a lane, without signs. */
static inline uint32_t gr_word(const struct gr_warp *warp, const struct gr_step *step, int s, int n,
                               uint32_t lane)
{
    return gr_source_of(warp, &step->s[s])[n][lane];
}

static inline uint64_t gr_long(const struct gr_warp *warp, const struct gr_step *step, int s,
                               uint32_t lane)
{
    return (uint64_t)gr_word(warp, step, s, 1, lane) << 32 | gr_word(warp, step, s, 0, lane);
}

/* Reads a float with its signs. */
static inline uint32_t gr_float_word(const struct gr_warp *warp, const struct gr_step *step, int s,
                                     uint32_t lane)
{
    uint32_t x = gr_word(warp, step, s, 0, lane);
    return (step->s[s].absolute ? x & 0x7fffffff : x) ^ (step->s[s].negated ? 0x80000000 : 0);
}

static inline bool gr_lane_predicate(const struct gr_warp *warp, const struct gr_step *step, int n,
                                     uint32_t lane)
{
    return ((warp->p[step->p_in[n]] >> lane) ^ (step->p_in_flip >> n)) & 1;
}

static inline uint32_t gr_predicate_mask(const struct gr_warp *warp, const struct gr_step *step,
                                         int n)
{
    return warp->p[step->p_in[n]] ^ (step->p_in_flip >> n & 1 ? 0xffffffff : 0);
}

static inline void gr_write_predicate(struct gr_warp *warp, uint8_t slot, uint32_t mask,
                                      uint32_t active)
{
    warp->p[slot] = (warp->p[slot] & ~active) | (mask & active);
}

#endif

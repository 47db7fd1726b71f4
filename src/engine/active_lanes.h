/* active_lanes.h: the active lanes of an access as a list, which is what the tracer needs.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_ACTIVE_LANES_H
#define ENGINE_ACTIVE_LANES_H

#include "machine/block.h"

struct gr_active_lanes {
    int count;
    const uint64_t *address; /* the address of each: `moved`, or the array of the access */
    const uint8_t *lane;     /* the lane of each: `number`, or a constant list */
    uint64_t moved[GR_WARP_LANES];
    uint8_t number[GR_WARP_LANES];
};

/* Fills in *out; `base` is added to the addresses. If all lanes are active, which is the usual
 * case, there is no loop over the bits of the mask, and for global memory no copy of the
 * addresses. */
static inline void gr_active_lanes(const struct gr_machine_access *a, uint64_t base,
                                   struct gr_active_lanes *out)
{
    static const uint8_t all[GR_WARP_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const bool whole = a->active == ~0u;
    int count = 0;
    out->address = whole && base == 0 ? a->address : out->moved;
    out->lane = whole ? all : out->number;
    out->count = __builtin_popcount(a->active);
    if (whole) {
        for (int i = 0; i < GR_WARP_LANES && base != 0; i++)
            out->moved[i] = a->address[i] + base;
        return;
    }
    for (uint32_t left = a->active; left; left &= left - 1) {
        out->number[count] = (uint8_t)__builtin_ctz(left);
        out->moved[count] = a->address[out->number[count]] + base;
        count++;
    }
}

#endif

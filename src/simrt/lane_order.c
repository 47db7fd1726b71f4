/* lane_order.c: updates the order of a warp's lanes when some of them meet.
 * SPDX-License-Identifier: MIT */
#include "simrt/lane_order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 64 };

bool gr_lane_order_open(struct gr_lane_order *o, int threads, int lanes)
{
    size_t warps = (size_t)((threads + lanes - 1) / lanes), each = (size_t)lanes;
    *o = (struct gr_lane_order){.lanes = lanes};
    o->met = calloc(warps + 1, sizeof *o->met);
    o->all = calloc(warps + 1, sizeof *o->all);
    o->known = calloc(warps * each * each + 1, sizeof *o->known);
    for (size_t i = 0; o->met && i < warps; i++)
        o->met[i] = 1;
    return o->met && o->all && o->known;
}

void gr_lane_order_close(struct gr_lane_order *o)
{
    free(o->met);
    free(o->all);
    free(o->known);
    *o = (struct gr_lane_order){0};
}

/* Lanes that meet are ordered after each other, and after all that any of them was ordered after.
 */
void gr_lanes_meet(struct gr_lane_order *o, int warp, uint64_t mask, int present)
{
    uint32_t now = ++o->met[warp], joined[MOST_LANES] = {0};
    uint32_t *known = &o->known[warp * o->lanes * o->lanes];
    if ((~0ULL >> (MOST_LANES - present) & ~mask) == 0) {
        o->all[warp] = now;
        return;
    }
    for (int i = 0; i < o->lanes; i++)
        for (int j = 0; j < o->lanes && mask >> i & 1; j++) {
            uint32_t count = known[i * o->lanes + j];
            joined[j] = count > joined[j] ? count : joined[j];
        }
    for (int i = 0; i < o->lanes; i++)
        joined[i] = mask >> i & 1 ? now : joined[i];
    for (int i = 0; i < o->lanes; i++)
        if (mask >> i & 1)
            memcpy(&known[i * o->lanes], joined, sizeof *joined * (size_t)o->lanes);
}

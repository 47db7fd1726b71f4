/* lane_order.h: the order between accesses of lanes of one warp. __syncwarp, shuffles and votes
 * order what the lanes that they name did before and do after; they order nothing for other lanes.
 * SPDX-License-Identifier: MIT
 *
 * These calls are named meetings here, and a warp counts them. An access is stamped with the count
 * at its time, and each lane has a vector clock: for each other lane, the count up to which it is
 * ordered after it. If all lanes of the warp have met, only that meeting is compared. */
#ifndef SIMRT_LANE_ORDER_H
#define SIMRT_LANE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct gr_lane_order {
    int lanes;       /* of a warp */
    uint32_t *met;   /* by warp: its meetings, counted from 1 */
    uint32_t *all;   /* by warp: the last meeting of all its lanes */
    uint32_t *known; /* by warp, lane, other lane */
};

/* Room for `threads` threads. False: no memory. */
bool gr_lane_order_open(struct gr_lane_order *order, int threads, int lanes);
void gr_lane_order_close(struct gr_lane_order *order);

/* The lanes of `mask` meet. The warp has `present` of them. */
void gr_lanes_meet(struct gr_lane_order *order, int warp, uint64_t mask, int present);

/* Is what lane `then` did when the warp had met `met` times ordered before what lane `now` does? */
static inline bool gr_lanes_ordered(const struct gr_lane_order *o, int warp, int now, int then,
                                    uint32_t met)
{
    return met < o->all[warp] || met < o->known[(warp * o->lanes + now) * o->lanes + then];
}

#endif

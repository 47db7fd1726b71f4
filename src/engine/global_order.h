/* global_order.h: passes the accesses and fences of machine code to the search for races through
 * global memory. SPDX-License-Identifier: MIT */
#ifndef ENGINE_GLOBAL_ORDER_H
#define ENGINE_GLOBAL_ORDER_H

#include "engine/active_lanes.h"
#include "machine/block.h"
#include "simrt/tracer.h"

/* Passes an access. `record` is the access of the first active lane. */
void gr_engine_order_access(struct gr_tracer *tracer, const struct gr_machine_access *access,
                            const struct gr_record *record, const struct gr_active_lanes *active);

/* Passes a fence with this scope (simrt/releases.h) that these lanes of the warp execute. */
void gr_engine_order_fence(struct gr_tracer *tracer, int warp, uint32_t lanes, int scope);

#endif

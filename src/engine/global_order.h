/* global_order.h: what accesses and fences of machine code say of races through global memory.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_GLOBAL_ORDER_H
#define ENGINE_GLOBAL_ORDER_H

#include "engine/active_lanes.h"
#include "machine/block.h"
#include "simrt/tracer.h"

/* `record` is the access as the first active lane makes it. */
void gr_engine_order_access(struct gr_tracer *tracer, const struct gr_machine_access *access,
                            const struct gr_record *record, const struct gr_active_lanes *active);

/* The lanes of the warp pass a fence of that scope (simrt/releases.h). */
void gr_engine_order_fence(struct gr_tracer *tracer, int warp, uint32_t lanes, int scope);

#endif

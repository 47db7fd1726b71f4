/* global_order.c: passes the accesses of each lane to the history of global memory, which finds
 * races between warps and between blocks. SPDX-License-Identifier: MIT */
#include "engine/global_order.h"

#include "simrt/global_history.h"

#include <string.h>

/* Collects the bytes that a lane stores from the registers of the warp. */
static void gather(const gr_lanes *words, int lane, int bytes, uint32_t stored[])
{
    for (int k = 0; k < (bytes + 3) / 4; k++)
        stored[k] = words[k][lane];
}

void gr_engine_order_access(struct gr_tracer *t, const struct gr_machine_access *a,
                            const struct gr_record *record, const struct gr_active_lanes *active)
{
    struct gr_record records[GR_WARP_LANES];
    const struct gr_record *each[GR_WARP_LANES];
    uint32_t stored[8]; /* the widest store has 32 bytes */
    if (!gr_globals_want(t, record))
        return;
    for (int i = 0; i < active->count; i++) {
        each[i] = &records[i];
        records[i] = *record;
        records[i].address = active->address[i];
        if (!a->stored)
            continue;
        gather(a->stored, active->lane[i], a->bytes, stored);
        gr_globals_note(t, &records[i], stored);
    }
    gr_globals_see(t, each, active->lane, active->count, a->warp->number * GR_WARP_LANES);
}

void gr_engine_order_fence(struct gr_tracer *t, int warp, uint32_t lanes, int scope)
{
    const struct gr_record fence = {.access = GR_TRACE_FENCE, .bytes = (uint8_t)scope};
    const struct gr_record *each[GR_WARP_LANES];
    uint8_t lane[GR_WARP_LANES];
    int count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        each[count] = &fence;
        lane[count++] = (uint8_t)__builtin_ctz(left);
    }
    gr_globals_see(t, each, lane, count, warp * GR_WARP_LANES);
}

/* occupancy.c: computes how many blocks are resident on an SM. SPDX-License-Identifier: MIT */
#include "model/occupancy.h"

static int64_t round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* The warps that a scheduler's share of the register file holds; what is left over cannot be used
 * by another scheduler. */
static int64_t blocks_by_registers(const struct gr_device *d, const struct gr_block_needs *needs,
                                   const struct gr_occupancy *o)
{
    if (needs->registers_per_thread > d->registers_per_thread ||
        o->registers_per_warp * o->warps_per_block > d->registers_per_block)
        return 0;
    if (o->registers_per_warp == 0)
        return d->blocks_per_sm;
    int64_t share = d->registers_per_sm / d->schedulers_per_sm;
    return share / o->registers_per_warp * d->schedulers_per_sm / o->warps_per_block;
}

static int64_t blocks_by_smem(const struct gr_device *d, const struct gr_block_needs *needs,
                              const struct gr_occupancy *o)
{
    if (needs->smem_bytes > d->smem_per_block_bytes)
        return 0;
    if (o->smem_per_block_bytes == 0)
        return d->blocks_per_sm;
    return d->smem_per_sm_bytes / o->smem_per_block_bytes;
}

struct gr_occupancy gr_occupancy_of(const struct gr_device *d, const struct gr_block_needs *needs)
{
    struct gr_occupancy o = {.warps_max = d->threads_per_sm / d->warp};
    o.warps_per_block = round_up(needs->threads, d->warp) / d->warp;
    o.registers_per_warp = round_up(needs->registers_per_thread * d->warp, d->register_unit);
    o.smem_per_block_bytes =
        round_up(needs->smem_bytes + d->smem_reserved_bytes, d->smem_unit_bytes);
    o.by[GR_LIMIT_BLOCKS] = d->blocks_per_sm;
    o.by[GR_LIMIT_WARPS] =
        needs->threads > d->threads_per_block ? 0 : o.warps_max / o.warps_per_block;
    o.by[GR_LIMIT_REGISTERS] = blocks_by_registers(d, needs, &o);
    o.by[GR_LIMIT_SMEM] = blocks_by_smem(d, needs, &o);
    o.blocks = o.by[o.limit];
    for (int i = 1; i < GR_LIMIT_COUNT; i++) {
        if (o.by[i] < o.blocks) {
            o.blocks = o.by[i];
            o.limit = (enum gr_occupancy_limit)i;
        }
    }
    o.warps = o.blocks * o.warps_per_block;
    o.fraction = o.warps_max ? (double)o.warps / (double)o.warps_max : 0;
    return o;
}

const char *gr_occupancy_limit_name(enum gr_occupancy_limit limit)
{
    static const char *const names[] = {"resident blocks", "resident warps", "registers",
                                        "shared memory"};
    return names[limit];
}

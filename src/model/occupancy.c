/* occupancy.c: computes how many blocks are resident on an SM. SPDX-License-Identifier: MIT */
#include "model/occupancy.h"

static int64_t round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* The blocks whose registers fit into the register file. Each scheduler has a share of it for its
 * warps; registers that are left over cannot be used by another scheduler. */
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

/* Scalar registers are allocated to wavefronts, from those of their SIMD. */
static int64_t blocks_by_scalars(const struct gr_device *d, const struct gr_occupancy *o)
{
    if (d->sgprs_per_scheduler == 0 || o->scalars_per_warp == 0)
        return d->blocks_per_sm;
    return d->sgprs_per_scheduler / o->scalars_per_warp * d->schedulers_per_sm / o->warps_per_block;
}

/* The figures of two compute units together, for a workgroup that runs on both. */
static struct gr_device both_units(struct gr_device d)
{
    d.sms /= 2;
    d.threads_per_sm *= 2;
    d.blocks_per_sm *= 2;
    d.registers_per_sm *= 2;
    d.registers_per_block *= 2;
    d.schedulers_per_sm *= 2;
    d.smem_per_sm_bytes *= 2;
    return d;
}

static struct gr_device unit_of(const struct gr_device *d, const struct gr_block_needs *needs)
{
    struct gr_device unit = needs->wgp ? both_units(*d) : *d;
    /* A SIMD holds the same number of wavefronts of either size. */
    if (needs->wave > 0 && needs->wave != d->warp) {
        unit.threads_per_sm = unit.threads_per_sm / d->warp * needs->wave;
        unit.warp = needs->wave;
    }
    return unit;
}

struct gr_occupancy gr_occupancy_of(const struct gr_device *device,
                                    const struct gr_block_needs *needs)
{
    struct gr_occupancy o = {.sm = unit_of(device, needs)};
    const struct gr_device *d = &o.sm;
    o.warps_max = d->threads_per_sm / d->warp;
    o.warps_per_block = round_up(needs->threads, d->warp) / d->warp;
    if (gr_device_is_amd(d) && o.warps_per_block == 1)
        o.sm.blocks_per_sm = o.warps_max;
    o.registers_per_warp = round_up(needs->registers_per_thread * d->warp, d->register_unit);
    if (needs->scalar_registers > 0 && d->sgprs_per_scheduler > 0)
        o.scalars_per_warp = round_up(needs->scalar_registers + d->sgprs_reserved, d->sgpr_unit);
    o.smem_per_block_bytes =
        round_up(needs->smem_bytes + d->smem_reserved_bytes, d->smem_unit_bytes);
    o.by[GR_LIMIT_BLOCKS] = d->blocks_per_sm;
    o.by[GR_LIMIT_WARPS] =
        needs->threads > d->threads_per_block ? 0 : o.warps_max / o.warps_per_block;
    o.by[GR_LIMIT_REGISTERS] = blocks_by_registers(d, needs, &o);
    o.by[GR_LIMIT_SMEM] = blocks_by_smem(d, needs, &o);
    o.by[GR_LIMIT_SCALARS] = blocks_by_scalars(d, &o);
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
                                        "shared memory", "scalar registers"};
    return names[limit];
}

const char *gr_occupancy_limit_name_amd(enum gr_occupancy_limit limit)
{
    static const char *const names[] = {"workgroups", "wavefronts", "VGPRs", "LDS", "SGPRs"};
    return names[limit];
}

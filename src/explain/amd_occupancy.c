/* amd_occupancy.c: the number of workgroups that a compute unit, or a workgroup processor, holds.
 * SPDX-License-Identifier: MIT */
#include "explain/amd_occupancy.h"

#include <inttypes.h>
#include <stdio.h>

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Adds a line with a calculation and its result, aligned right; `label` is empty if it continues
 * the line above. */
static void say_limit(struct gr_section *section, const struct gr_occupancy *o,
                      enum gr_occupancy_limit limit, const char *label, const char *calculation)
{
    const int64_t groups = o->by[limit];
    gr_section_printf(section, "  %-12s%-46s%5" PRId64 " group%s%s", label, calculation, groups,
                      plural(groups), o->limit == limit ? " <" : "");
}

/* Adds the lines for vector or scalar registers. Registers are allocated to wavefronts, from the
 * register file of their SIMD: `each` of `file`. */
static void say_registers(struct gr_section *section, const struct gr_occupancy *o,
                          enum gr_occupancy_limit limit, int64_t used, int64_t each, int64_t file)
{
    const int64_t waves = each > 0 ? file / each : 0;
    const bool scalar = limit == GR_LIMIT_SCALARS;
    char line[96];
    if (scalar)
        gr_section_printf(section,
                          "  %-12s%" PRId64 " a wavefront and %" PRId64
                          " of the system, given out as %" PRId64 ";",
                          "SGPRs", used, o->sm.sgprs_reserved, each);
    else
        gr_section_printf(section, "  %-12s%" PRId64 " a work-item, given out as %" PRId64 ";",
                          "VGPRs", used, each);
    gr_section_printf(section, "  %-12s%" PRId64 " on a SIMD / %" PRId64 " = %" PRId64 " wave%s;",
                      "", file, each, waves, plural(waves));
    snprintf(line, sizeof line, "%" PRId64 " * %" PRId64 " SIMDs / %" PRId64 " waves a group",
             waves, o->sm.schedulers_per_sm, o->warps_per_block);
    say_limit(section, o, limit, "", line);
}

static void say_lds(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                    struct gr_section *section)
{
    char line[96];
    if (o->smem_per_block_bytes == 0) {
        say_limit(section, o, GR_LIMIT_SMEM, "LDS", "none is used");
        return;
    }
    gr_section_printf(section, "  %-12s%" PRId64 " bytes a group, given out as %" PRId64 ";", "LDS",
                      gr_input_smem_bytes(s), o->smem_per_block_bytes);
    snprintf(line, sizeof line, "%" PRId64 " bytes / %" PRId64, o->sm.smem_per_sm_bytes,
             o->smem_per_block_bytes);
    say_limit(section, o, GR_LIMIT_SMEM, "", line);
}

static void say_limits(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                       struct gr_section *section)
{
    const struct gr_device *d = &o->sm;
    char line[96];
    say_limit(section, o, GR_LIMIT_BLOCKS, "workgroups",
              o->warps_per_block == 1 ? "a group of one wave needs no barrier"
                                      : "no more barriers");
    snprintf(line, sizeof line, "%" PRId64 " wavefronts / %" PRId64 " a group", o->warps_max,
             o->warps_per_block);
    say_limit(section, o, GR_LIMIT_WARPS, "wavefronts", line);
    say_registers(section, o, GR_LIMIT_REGISTERS, s->kernel->registers,
                  o->registers_per_warp / d->warp,
                  d->registers_per_sm / d->schedulers_per_sm / d->warp);
    if (o->scalars_per_warp > 0)
        say_registers(section, o, GR_LIMIT_SCALARS, s->kernel->amd.sgprs, o->scalars_per_warp,
                      d->sgprs_per_scheduler);
    say_lds(s, o, section);
}

/* Workgroups run in rounds; units may be idle during the last one. */
static void say_rounds(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                       const char *unit, struct gr_section *section)
{
    const int64_t groups = gr_input_blocks(s), units = o->sm.sms, at_once = o->blocks * units;
    const double rounds = (double)groups / (double)at_once;
    gr_section_number(section, "waves", rounds, "");
    gr_section_printf(section,
                      "The device's %" PRId64 " %s hold %" PRId64
                      " workgroups at once; the grid has %" PRId64 ": %.2f rounds.",
                      units, unit, at_once, groups, rounds);
    if (groups < units)
        gr_section_printf(section, "%" PRId64 " of them have nothing to do.", units - groups);
}

void gr_amd_occupancy_explain(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                              struct gr_section *section)
{
    const bool wgp = s->kernel->amd.wgp;
    const char *limit = gr_occupancy_limit_name_amd(o->limit);
    if (wgp)
        gr_section_printf(section,
                          "The code is in the mode of workgroup processors (WGP), of two compute "
                          "units, with %" PRId64 " SIMDs and the LDS of both.",
                          o->sm.schedulers_per_sm);
    gr_section_printf(section, "One %s of the %s could hold, if this were the only limit:\n",
                      wgp ? "WGP" : "compute unit (CU)", s->device->name);
    say_limits(s, o, section);
    if (o->blocks == 0) {
        gr_section_printf(section,
                          "\nNot even one workgroup fits: the kernel cannot run, because it needs "
                          "too much of: %s.",
                          limit);
        return;
    }
    gr_section_printf(section,
                      "\nThe least counts, and that is %s: %" PRId64 " workgroup%s a %s, which is "
                      "%" PRId64 " of %" PRId64 " wavefronts of %" PRId64
                      ", %.3g a SIMD, an occupancy of %.1f %%.",
                      limit, o->blocks, plural(o->blocks), wgp ? "WGP" : "CU", o->warps,
                      o->warps_max, o->sm.warp, (double)o->warps / (double)o->sm.schedulers_per_sm,
                      100 * o->fraction);
    say_rounds(s, o, wgp ? "WGPs" : "CUs", section);
}

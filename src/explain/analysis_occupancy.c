/* analysis_occupancy.c: how many blocks an SM holds, derived step by step.
 * SPDX-License-Identifier: MIT */
#include "explain/analysis.h"

#include "explain/amd_occupancy.h"

#include <inttypes.h>
#include <stdio.h>

static bool applies(const struct gr_analysis_input *s)
{
    return s->kernel && s->launch;
}

/* Adds a line with a calculation and its result, aligned right; `label` is empty if it continues
 * the line above. */
static void say_limit(struct gr_section *section, const struct gr_occupancy *o,
                      enum gr_occupancy_limit limit, const char *label, const char *calculation)
{
    int64_t blocks = o->by[limit];
    gr_section_printf(section, "  %-17s%-44s%5" PRId64 " block%s%s", label, calculation, blocks,
                      blocks == 1 ? "" : "s", o->limit == limit ? " <" : "");
}

static void say_registers(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                          struct gr_section *section)
{
    const struct gr_device *d = s->device;
    int64_t share = d->registers_per_sm / d->schedulers_per_sm;
    int64_t warps = o->registers_per_warp ? share / o->registers_per_warp : 0;
    char line[96];
    gr_section_printf(
        section, "  registers        %d a thread * %" PRId64 " = %" PRId64 " a warp%s;",
        s->kernel->registers, d->warp, o->registers_per_warp,
        s->kernel->registers * d->warp == o->registers_per_warp ? "" : ", rounded up");
    gr_section_printf(
        section, "                   %" PRId64 " a scheduler / %" PRId64 " = %" PRId64 " warps;",
        share, o->registers_per_warp, warps);
    snprintf(line, sizeof line, "%" PRId64 " * %" PRId64 " schedulers / %" PRId64 " warps a block",
             warps, d->schedulers_per_sm, o->warps_per_block);
    say_limit(section, o, GR_LIMIT_REGISTERS, "", line);
}

static void say_smem(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                     struct gr_section *section)
{
    const struct gr_device *d = s->device;
    char line[96];
    if (o->smem_per_block_bytes == 0) {
        say_limit(section, o, GR_LIMIT_SMEM, "shared memory", "none is used");
        return;
    }
    if (d->smem_reserved_bytes > 0)
        gr_section_printf(section,
                          "  shared memory    %" PRId64 " bytes and the system's %" PRId64
                          " = %" PRId64 " a block;",
                          gr_input_smem_bytes(s), d->smem_reserved_bytes, o->smem_per_block_bytes);
    else
        gr_section_printf(section, "  shared memory    %" PRId64 " bytes = %" PRId64 " a block;",
                          gr_input_smem_bytes(s), o->smem_per_block_bytes);
    snprintf(line, sizeof line, "%" PRId64 " bytes on an SM / %" PRId64, d->smem_per_sm_bytes,
             o->smem_per_block_bytes);
    say_limit(section, o, GR_LIMIT_SMEM, "", line);
}

/* Blocks run in waves; SMs may be idle during the last one. */
static void say_waves(const struct gr_analysis_input *s, const struct gr_occupancy *o,
                      struct gr_section *section)
{
    int64_t blocks = gr_input_blocks(s), sms = s->device->sms, wave = o->blocks * sms;
    double waves = (double)blocks / (double)wave;
    gr_section_number(section, "waves", waves, "");
    gr_section_printf(section,
                      "The device's %" PRId64 " SMs hold %" PRId64
                      " blocks at once; the grid has %" PRId64 ": %.2f waves.",
                      sms, wave, blocks, waves);
    const char *remedy = gr_kernel_has_workload(s->variant->kernel)
                             ? " Smaller blocks, or less work for each, would employ them."
                             : " Smaller tiles, or tiles along K, would employ them.";
    if (blocks < sms)
        gr_section_printf(section, "%" PRId64 " SMs have nothing to do.%s", sms - blocks,
                          2 * blocks < sms ? remedy : "");
}

static void add_facts(const struct gr_occupancy *o, struct gr_section *section)
{
    gr_section_number(section, "occupancy", o->fraction, "of the SM's warps");
    gr_section_number(section, "occupancy.blocks", (double)o->blocks, "an SM");
    gr_section_number(section, "occupancy.warps", (double)o->warps, "an SM");
    gr_section_number(section, "occupancy.by_blocks", (double)o->by[GR_LIMIT_BLOCKS], "blocks");
    gr_section_number(section, "occupancy.by_warps", (double)o->by[GR_LIMIT_WARPS], "blocks");
    gr_section_number(section, "occupancy.by_registers", (double)o->by[GR_LIMIT_REGISTERS],
                      "blocks");
    gr_section_number(section, "occupancy.by_smem", (double)o->by[GR_LIMIT_SMEM], "blocks");
    if (o->scalars_per_warp > 0)
        gr_section_number(section, "occupancy.by_scalars", (double)o->by[GR_LIMIT_SCALARS],
                          "blocks");
    gr_section_word(section, "occupancy.limit", gr_occupancy_limit_name(o->limit));
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_device *d = s->device;
    const struct gr_block_needs needs = gr_input_needs(s);
    struct gr_occupancy o = gr_occupancy_of(d, &needs);
    char line[96];
    add_facts(&o, section);
    if (gr_input_is_amd(s)) {
        gr_amd_occupancy_explain(s, &o, section);
        return;
    }
    gr_section_printf(section, "One SM of the %s could hold, if this were the only limit:\n",
                      d->name);
    say_limit(section, &o, GR_LIMIT_BLOCKS, "resident blocks", "no more, however small they are");
    snprintf(line, sizeof line, "%" PRId64 " warps / %" PRId64 " a block", o.warps_max,
             o.warps_per_block);
    say_limit(section, &o, GR_LIMIT_WARPS, "resident warps", line);
    say_registers(s, &o, section);
    say_smem(s, &o, section);
    if (o.blocks == 0) {
        gr_section_printf(
            section,
            "\nNot even one block fits: the kernel cannot run, because it needs too much of: %s.",
            gr_occupancy_limit_name(o.limit));
        return;
    }
    gr_section_printf(section,
                      "\nThe least counts, and that is %s: %" PRId64
                      " block%s an SM, which is %" PRId64 " of %" PRId64
                      " warps, an occupancy of %.1f %%.",
                      gr_occupancy_limit_name(o.limit), o.blocks, o.blocks == 1 ? "" : "s", o.warps,
                      o.warps_max, 100 * o.fraction);
    say_waves(s, &o, section);
}

const struct gr_analysis gr_analysis_occupancy = {
    .order = 40, .title = "Occupancy", .applies = applies, .explain = explain};

/* advice_tile.c: a tile of C that is too small for the bandwidth between L2 and the SMs.
 *
 * An SM receives at most 64 bytes per clock from L2 (the width of its port) and executes 2 *
 * lanes operations in that clock: it needs at least 2 * lanes / 64 FLOP per byte (4 on sm_90 in
 * f32) and, since L2 as a whole delivers only about half of that to all SMs together, twice as
 * much to be safe. The rule reports a kernel below that, if it has a tile in shared memory at
 * all (advice_reuse.c treats the others). Tiles that extend beyond C count as full tiles, and a
 * fifth is allowed for rows that begin within a sector. L1 is not considered, since blocks share
 * its content only by chance. Saves: the bound of the L2 ports (advise.h). Needs a trace and a
 * launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { L2_BYTES_A_CLOCK = 64 };

/* The bytes that all blocks load, each block's distinct sectors counted once. */
static double fetched(const struct gr_analysis_input *s)
{
    double bytes = 0;
    for (int i = 0; i < s->trace->array_count; i++) {
        char operand = gr_array_operand(s, &s->trace->arrays[i]);
        if (operand == 'A' || operand == 'B')
            bytes += (double)s->trace->arrays[i].block_distinct_bytes;
    }
    return bytes;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->trace || !s->launch || !gr_uses_shared(s) || !gr_input_multiplies(s))
        return;
    double bytes = fetched(s), flops = 2 * gr_warp_fmas(s) * gr_advice_warp(s);
    double lanes = (double)(s->problem->types.acc == GR_F64 ? s->device->fp64_lanes_per_sm
                                                            : s->device->fp32_lanes_per_sm);
    double wanted = 2 * 2 * lanes / L2_BYTES_A_CLOCK;
    if (bytes <= 0 || lanes <= 0 || flops / bytes >= 0.8 * wanted || s->problem->m < 64 ||
        s->problem->n < 64)
        return;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double now = gr_bounds_floor(&b);
    b.l2 *= flops / bytes / wanted;
    struct gr_gain gain = {flops / bytes, wanted, "FLOP a byte from L2", now - gr_bounds_floor(&b)};
    gr_advise(findings, GR_FIND_INTENSITY, NULL, &gain,
              "a block's tile of C is so small that it makes %s FLOP of each byte that it fetches "
              "from L2, and an SM needs about %s to be busy; twice the rows and columns are twice "
              "the FLOP a byte: a larger tile (BM, BN), with several results a thread",
              gr_count_text(gain.now).text, gr_count_text(wanted).text);
}

const struct gr_advice gr_advice_tile = {
    .name = "tile",
    .kind = GR_FIND_INTENSITY,
    .reports = "a block makes too few operations with each byte from L2",
    .needs = "trace, launch",
    .look = look,
};

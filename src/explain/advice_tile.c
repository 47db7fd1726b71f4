/* advice_tile.c: a tile of C too small for the traffic between the blocks and L2.
 *
 * An SM takes at most 64 bytes a clock from L2 (its port's width) and makes 2 * lanes operations in
 * it: at least 2 * lanes / 64 FLOP a byte are needed (4 on sm_90 in f32) and, since L2 as a whole
 * gives its SMs together about half of that, twice as much to be safe. Fires below that, where the
 * kernel has a tile in shared memory at all (advice_reuse.c speaks of the others). Tiles that hang
 * over C's edges count as whole ones, and a fifth is allowed for rows that begin within a sector.
 * Caches within an SM are left out: blocks share them by luck only. Saves: the bound of L2's ports
 * (advise.h). Needs a trace and a launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

enum { L2_BYTES_A_CLOCK = 64 };

/* What all blocks fetch, each its own distinct sectors. */
static double fetched(const struct gr_specimen *s)
{
    double bytes = 0;
    for (int i = 0; i < s->trace->array_count; i++) {
        char operand = gr_array_operand(s, &s->trace->arrays[i]);
        if (operand == 'A' || operand == 'B')
            bytes += (double)s->trace->arrays[i].block_distinct_bytes;
    }
    return bytes;
}

static void look(const struct gr_specimen *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->trace || !s->launch || !gr_uses_shared(s) || !gr_specimen_multiplies(s))
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

/* advice_waves.c: a number of blocks that leaves most SMs idle at the end (wave quantization).
 *
 * The busiest SM has at least ceil(blocks / SMs) blocks, and the others wait for it. The rule
 * reports a grid of at least as many blocks as SMs (advice_grid.c treats smaller ones) if that
 * is at least 1.2 times the mean: a sixth of the device idle on average is what made stream-K
 * worthwhile for the ladder. Blocks are assumed to do equal work. A kernel whose lines use the
 * number of SMs (SMS) distributes its work itself and is not reported. Saves: exactly that
 * factor of every bound except that of memory. Needs a launch. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <inttypes.h>
#include <string.h>

static bool knows_sms(const struct gr_analysis_input *s)
{
    const struct gr_kernel *k = s->variant->kernel;
    bool knows = false;
    for (int i = 0; i < s->stanza->grid.count; i++)
        knows |= strstr(s->stanza->grid.items[i].text, "SMS") != NULL;
    for (int i = 0; i < k->arg_count; i++)
        knows |= strstr(k->args[i].value.text, "SMS") != NULL;
    return knows;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!s->launch || !gr_input_multiplies(s) || knows_sms(s))
        return;
    int64_t blocks = gr_input_blocks(s), sms = s->device->sms;
    double uneven = gr_unevenness(s);
    if (blocks <= sms || uneven < 1.2)
        return;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double now = gr_bounds_floor(&b);
    b.compute /= uneven;
    b.issue /= uneven;
    b.lsu /= uneven;
    b.l2 /= uneven;
    int64_t rounds = (blocks + sms - 1) / sms, last = blocks - (rounds - 1) * sms;
    struct gr_gain gain = {(double)rounds, (double)blocks / (double)sms, "blocks an SM",
                           now - gr_bounds_floor(&b)};
    gr_advise(findings, GR_FIND_WAVES, NULL, &gain,
              "%" PRId64 " blocks on %" PRId64 " SMs are %" PRId64 " each and %" PRId64
              " over: at the end %" PRId64 " SMs are idle, and the run takes %.2f times as long as "
              "if all shared evenly; choose tiles whose number is a multiple of the SMs, smaller "
              "ones, or cut the last tiles along K (stream-K)",
              blocks, sms, rounds - 1, last, sms - last, uneven);
}

const struct gr_advice gr_advice_waves = {
    .name = "waves",
    .kind = GR_FIND_WAVES,
    .reports = "the busiest SM has 1.2 times the mean number of blocks",
    .needs = "launch",
    .look = look,
};

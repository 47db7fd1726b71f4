/* analysis_traffic.c: the bytes that move at each level of memory, the FLOP for each of them,
 * and the least time that each level takes: the kernel's position in the roofline.
 * SPDX-License-Identifier: MIT */
#include "explain/advise.h"
#include "explain/amounts.h"
#include "explain/executed.h"
#include "explain/traced.h"
#include "explain/traffic.h"

#include <stdio.h>

/* The limits of the launch's time, each considered separately. */
enum level { ARITHMETIC, MEMORY, L1, SHARED, LEVEL_COUNT };

static const char *const level_names[] = {"arithmetic", "memory", "L1", "shared memory"};

/* An SM moves 128 bytes per clock between L1 or shared memory and its lanes: one wavefront, or
 * four sectors. */
static void find_floors(const struct gr_analysis_input *s, const struct gr_traffic *f, double ns[])
{
    const struct gr_device *d = s->device;
    double clocks_per_ns = (double)d->sms * (double)d->clock_mhz * 1e-3;
    double row = 4 * (double)d->smem_banks;
    ns[ARITHMETIC] = gr_input_computes(s) ? gr_input_floors(s).compute_ns : 0;
    ns[MEMORY] = d->memory_gbps > 0 ? f->grid / (double)d->memory_gbps : 0;
    ns[L1] = clocks_per_ns > 0 && row > 0 ? f->l1 / row / clocks_per_ns : 0;
    ns[SHARED] = clocks_per_ns > 0 ? f->passes / clocks_per_ns : 0;
}

static int highest(const double ns[])
{
    int most = 0;
    for (int i = 1; i < LEVEL_COUNT; i++)
        if (ns[i] > ns[most])
            most = i;
    return most;
}

static void add_level(const struct gr_analysis_input *s, struct gr_section *section,
                      const char *name, const char *label, double bytes, double ns)
{
    char key[48], each[24] = "", time[40] = "";
    snprintf(key, sizeof key, "traffic.%s_bytes", name);
    gr_section_number(section, key, bytes, "bytes");
    if (gr_input_computes(s) && bytes > 0) {
        double intensity = s->flops / bytes;
        snprintf(key, sizeof key, "intensity.%s", name);
        gr_section_number(section, key, intensity, "FLOP/byte");
        snprintf(each, sizeof each, "%.4g", intensity);
    }
    if (ns >= 0)
        snprintf(time, sizeof time, "%s", gr_amount_time(ns).text);
    gr_section_printf(section, *time ? "  %-36s%12s%12s%14s" : "  %-36s%12s%12s%s", label,
                      gr_amount_bytes(bytes).text, each, time);
}

static void say_levels(const struct gr_analysis_input *s, const struct gr_traffic *f,
                       const double ns[], struct gr_section *section)
{
    gr_section_printf(section, "  %-36s%12s%12s%14s", "", "bytes", "FLOP/byte", "time at least");
    add_level(s, section, "asked", "requested from global memory", f->requested, -1);
    add_level(s, section, "l1", "its sectors at L1", f->l1, ns[L1]);
    add_level(s, section, "block", "distinct in a block, of all blocks", f->block, -1);
    add_level(s, section, "grid", "distinct in the grid", f->grid, ns[MEMORY]);
    add_level(s, section, "shared", "requested from shared memory", f->shared, ns[SHARED]);
    if (ns[ARITHMETIC] > 0)
        gr_section_printf(section, "  %-36s%12s%12s%14s", "arithmetic", "", "",
                          gr_amount_time(ns[ARITHMETIC]).text);
}

/* The bytes are exact only if the counts are. Blocks that were not traced may access the same bytes
 * as those that were, or others; so the assumed upper bound of an array's bytes is the sum over its
 * blocks. */
static const char *how_exact(enum gr_coverage coverage)
{
    switch (coverage) {
    case GR_COVERAGE_WHOLE:
        return "These bytes are exact";
    case GR_COVERAGE_CLASSES:
        return "These bytes are exact, the grid's where its blocks touch whole arrays";
    default:
        return "These bytes are extrapolated";
    }
}

static void say_bounds(const struct gr_analysis_input *s, const struct gr_traffic *f,
                       struct gr_section *section)
{
    const char *bulk = gr_executed_bulk_copy(s->trace);
    if (bulk)
        gr_section_printf(
            section,
            "What bulk copies (%s) move is in none of these numbers, nor in the floors "
            "and bounds below.",
            bulk);
    if (gr_executed_in_clusters(s->trace))
        gr_section_printf(section, "What blocks of a cluster access in one another's shared memory "
                                   "is in none of these numbers.");
    gr_section_printf(
        section,
        "%s. Traffic beyond L1 is a bound: at least the grid's distinct %s, and at most "
        "the %s of L1's sectors. What caches hit is not modelled.",
        how_exact(s->trace->coverage), gr_amount_bytes(f->grid).text, gr_amount_bytes(f->l1).text);
    gr_section_number(section, "traffic.beyond_l1_least_bytes", f->grid, "bytes");
    gr_section_number(section, "traffic.beyond_l1_most_bytes", f->l1 > f->grid ? f->l1 : f->grid,
                      "bytes");
}

/* The floors assume that the work is divided evenly, while the savings of advice are parts of the
 * time of the busiest SM. */
static void say_busiest(const struct gr_analysis_input *s, const double ns[],
                        struct gr_section *section)
{
    const int most = highest(ns);
    const double uneven = s->launch ? gr_unevenness(s) : 1;
    if (most != MEMORY && uneven >= 1.01)
        gr_section_printf(section,
                          "The floors are those of blocks that are spread evenly. The busiest SM "
                          "has %.3g times the mean number of blocks, so the launch takes at least "
                          "%s; the savings in the advice refer to that time.",
                          uneven, gr_amount_time(ns[most] * uneven).text);
}

static void say_roof(const struct gr_analysis_input *s, const double ns[],
                     struct gr_section *section)
{
    int most = highest(ns);
    gr_section_number(section, "floor.l1_ns", ns[L1], "ns");
    gr_section_number(section, "floor.shared_ns", ns[SHARED], "ns");
    gr_section_number(section, "floor.grid_ns", ns[MEMORY], "ns");
    gr_section_number(section, "floor.kernel_ns", ns[most], "ns");
    gr_section_word(section, "floor.highest", level_names[most]);
    gr_section_printf(
        section,
        "The highest floor is %s: the launch takes at least %s%s. L1 and shared memory "
        "give an SM %lld bytes a clock.",
        most == ARITHMETIC ? "arithmetic's"
        : most == MEMORY   ? "memory's"
        : most == L1       ? "L1's"
                           : "shared memory's",
        gr_amount_time(ns[most]).text, most == ARITHMETIC ? ", as any kernel does" : "",
        4LL * (long long)s->device->smem_banks);
    if (ns[ARITHMETIC] <= 0 || most == ARITHMETIC)
        return;
    double reach = ns[ARITHMETIC] / ns[most];
    gr_section_number(section, "floor.peak_fraction", reach, "of the peak rate");
    gr_section_printf(section, "So it reaches at most %.3g %% of the peak rate.", 100 * reach);
}

/* The roofline of DRAM, with perfect caches and without caches. */
static void say_memory(const struct gr_analysis_input *s, const struct gr_traffic *f,
                       struct gr_section *section)
{
    struct gr_floors floors = gr_input_floors(s);
    double device = floors.gflops / (double)s->device->memory_gbps;
    if (!gr_input_computes(s) || f->grid <= 0 || f->block <= 0 || device <= 0)
        return;
    double best = floors.flops / f->grid, worst = floors.flops / f->block;
    const char *place = worst >= device ? "right of it even if L2 never hits: not limited by memory"
                        : best >= device ? "right of it only as far as L2 hits"
                                         : "left of it even if the caches never miss: memory bound";
    gr_section_printf(
        section,
        "On the roofline the ridge is at %.4g FLOP/byte. The kernel is at %.4g if L2 "
        "keeps all that blocks share, and at %.4g if only blocks keep what they touch: "
        "%s.",
        device, best, worst, place);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    struct gr_traffic f = gr_traffic_of(s->trace);
    double ns[LEVEL_COUNT];
    find_floors(s, &f, ns);
    say_levels(s, &f, ns, section);
    gr_section_printf(section, "%s", "");
    say_bounds(s, &f, section);
    say_memory(s, &f, section);
    say_roof(s, ns, section);
    say_busiest(s, ns, section);
}

const struct gr_analysis gr_analysis_traffic = {
    .order = 75, .title = "Traffic and roofline", .applies = gr_traced_applies, .explain = explain};

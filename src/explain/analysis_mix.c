/* analysis_mix.c: the instruction mix that the compiler generated, of the whole kernel and of
 * its hot loop. SPDX-License-Identifier: MIT */
#include "explain/analysis.h"

#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

static const int widths[GR_OP_WIDTHS] = {8, 16, 32, 64, 128};

static bool applies(const struct gr_analysis_input *s)
{
    struct gr_mix whole, loop;
    return s->kernel && gr_code_mix(s->code, s->kernel, &whole, &loop, NULL) == GRADUS_OK;
}

/* Adds "loop.lds" for "loop" and LDS or, with a width, "loop.lds.128". */
static void add_count(struct gr_section *section, const char *part, int op, int bits, int64_t count)
{
    char *key = bits ? gr_printf("%s.%s.%d", part, gr_op_name(op), bits)
                     : gr_printf("%s.%s", part, gr_op_name(op));
    for (char *c = key; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (key)
        gr_section_number(section, key, (double)count, "instructions");
    else
        section->failed = true;
    free(key);
}

static void add_facts(struct gr_section *section, const char *part, const struct gr_mix *mix)
{
    char *key = gr_printf("%s.instructions", part);
    if (key)
        gr_section_number(section, key, (double)mix->total, "instructions");
    section->failed |= !key;
    free(key);
    for (int op = 0; op < GR_OP_CLASS_COUNT; op++) {
        add_count(section, part, op, 0, mix->count[op]);
        bool moves = op == GR_OP_LDG || op == GR_OP_STG || op == GR_OP_LDS || op == GR_OP_STS;
        for (int w = 0; w < GR_OP_WIDTHS; w++)
            if (moves || mix->width[op][w] > 0)
                add_count(section, part, op, widths[w], mix->width[op][w]);
    }
}

/* One line for each kind of instruction that occurs, with its widths. */
static void add_table(const struct gr_analysis_input *s, struct gr_section *section,
                      const struct gr_mix *whole, const struct gr_mix *loop)
{
    const char *(*const name)(int) = gr_input_is_amd(s) ? gr_op_name_amd : gr_op_name;
    gr_section_printf(section, "\n  %-10s%8s%8s%8s  widths in the loop (bits x count)", "",
                      "kernel", "loop", "share");
    for (int op = 0; op < GR_OP_CLASS_COUNT; op++) {
        if (whole->count[op] == 0)
            continue;
        gr_str_printf(&section->text, "  %-10s%8" PRId64 "%8" PRId64, name(op), whole->count[op],
                      loop->count[op]);
        if (loop->total > 0)
            gr_str_printf(&section->text, "%7.1f%%",
                          100.0 * (double)loop->count[op] / (double)loop->total);
        const char *between = "  ";
        for (int w = 0; w < GR_OP_WIDTHS; w++) {
            if (loop->width[op][w] == 0)
                continue;
            gr_str_printf(&section->text, "%s%dx%" PRId64, between, widths[w], loop->width[op][w]);
            between = ", ";
        }
        gr_str_add(&section->text, "\n");
    }
    gr_section_printf(section, "  %-10s%8" PRId64 "%8" PRId64 "\n", "all", whole->total,
                      loop->total);
}

static int64_t bytes_of(const struct gr_mix *mix, int op)
{
    int64_t bytes = 0;
    for (int w = 0; w < GR_OP_WIDTHS; w++)
        bytes += mix->width[op][w] * widths[w] / 8;
    return bytes;
}

/* A scheduler issues one warp instruction per clock. If there are fewer lanes for multiply-adds
 * than that would fill, other instructions can be issued in between at no cost. */
static void say_issue(const struct gr_analysis_input *s, const struct gr_mix *loop, int64_t fma,
                      struct gr_section *section)
{
    const struct gr_device *d = s->device;
    bool is_double = s->problem->types.acc == GR_F64;
    int64_t lanes = is_double ? d->fp64_lanes_per_sm : d->fp32_lanes_per_sm;
    double share = (double)fma / (double)loop->total;
    double clocks = (double)(d->schedulers_per_sm * d->warp) / (double)(lanes ? lanes : 1);
    double reach = share * clocks < 1 ? share * clocks : 1;
    const int64_t matrix = loop->count[GR_OP_MMA];
    gr_section_number(section, "loop.fma_share", share, "");
    if (matrix > 0) {
        gr_section_printf(section,
                          "Of the hot loop's %" PRId64 " instructions, %" PRId64
                          " are of the tensor cores: %.1f %%.",
                          loop->total, matrix, 100 * (double)matrix / (double)loop->total);
        return;
    }
    gr_section_number(section, "loop.peak_fraction", reach, "");
    gr_section_printf(section,
                      "Of the hot loop's %" PRId64 " instructions, %" PRId64
                      " are multiply-adds: %.1f %%.",
                      loop->total, fma, 100 * share);
    gr_section_printf(
        section,
        "An SM issues %" PRId64 " instructions a clock, each for %" PRId64
        " threads, and has %" PRId64
        " lanes for multiply-adds of %s: issue alone lets the loop reach %.1f %% of the "
        "peak rate.",
        d->schedulers_per_sm, d->warp, lanes, is_double ? "f64" : "f32", 100 * reach);
}

/* A SIMD issues at most one vector instruction in the time that its lanes take for one, and at the
 * same time scalar, LDS and memory instructions of other wavefronts. A compute unit has 64 lanes.
 * It executes more multiply-adds at a time if one instruction may hold two, and fewer in f64 on
 * Radeon. */
static void say_issue_amd(const struct gr_analysis_input *s, const struct gr_mix *loop,
                          struct gr_section *section)
{
    const double base = 64, half = (double)loop->flops / 2;
    const bool is_double = s->problem->types.acc == GR_F64;
    const int64_t lanes = is_double ? s->device->fp64_lanes_per_sm : s->device->fp32_lanes_per_sm;
    const int64_t matrix = loop->count[GR_OP_MMA];
    /* How many times as long as a vector instruction a multiply-add takes at the peak rate. */
    const double each = base / (double)(lanes > 0 ? lanes : 1);
    const double issue = (double)loop->vector + (each > 1 ? (each - 1) * half : 0);
    const double reach = issue > 0 ? half * each / issue : 0;
    gr_section_number(section, "loop.vector", (double)loop->vector, "instructions");
    gr_section_number(section, "loop.flops", (double)loop->flops, "of a lane");
    if (matrix > 0) {
        gr_section_printf(section,
                          "Of the hot loop's %" PRId64 " instructions, %" PRId64
                          " are of the matrix cores, and %" PRId64 " of the vector ALU.",
                          loop->total, matrix, loop->vector - matrix);
        return;
    }
    gr_section_printf(section,
                      "Of the hot loop's %" PRId64 " instructions, %" PRId64
                      " are of the vector ALU, and these make %" PRId64
                      " FLOP of a lane, a multiply-add being two.",
                      loop->total, loop->vector, loop->flops);
    if (loop->flops == 0)
        return;
    gr_section_number(section, "loop.peak_fraction", reach < 1 ? reach : 1, "");
    gr_section_printf(section,
                      "A SIMD issues at most one of them at a time, and scalar, LDS and memory "
                      "instructions of other wavefronts beside it: issue alone lets the loop reach "
                      "%.1f %% of the peak rate%s.",
                      100 * (reach < 1 ? reach : 1),
                      each < 1 ? ", for which every instruction would have to hold two" : "");
}

/* A multiply-add is two operations. */
static void say_loop(const struct gr_analysis_input *s, const struct gr_mix *loop,
                     struct gr_section *section)
{
    const bool is_amd = gr_input_is_amd(s);
    int64_t fma = is_amd ? loop->flops / 2 : loop->count[GR_OP_FFMA] + loop->count[GR_OP_DFMA];
    int64_t shared_bytes = bytes_of(loop, GR_OP_LDS);
    if (is_amd)
        say_issue_amd(s, loop, section);
    else
        say_issue(s, loop, fma, section);
    if (fma == 0)
        return;
    if (shared_bytes == 0) {
        gr_section_printf(section,
                          "It reads no %s: %" PRId64
                          " loads from global memory feed these multiply-adds, %.3g for each.",
                          is_amd ? "LDS" : "shared memory", loop->count[GR_OP_LDG],
                          (double)loop->count[GR_OP_LDG] / (double)fma);
        return;
    }
    double intensity = 2 * (double)fma / (double)shared_bytes;
    gr_section_number(section, "shared.flop_per_byte", intensity, "FLOP/byte");
    gr_section_printf(section,
                      "A thread reads %" PRId64 " bytes of %s in it, by %" PRId64
                      " loads: %.3g FLOP for each of these bytes.",
                      shared_bytes, is_amd ? "LDS" : "shared memory", loop->count[GR_OP_LDS],
                      intensity);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    struct gr_mix whole, loop;
    if (gr_code_mix(s->code, s->kernel, &whole, &loop, NULL) != GRADUS_OK)
        return;
    add_facts(section, "code", &whole);
    add_facts(section, "loop", &loop);
    if (loop.total > 0)
        gr_section_printf(section,
                          "The hot loop is the innermost one with the most multiply-adds, as "
                          "the compiler unrolled it.");
    else
        gr_section_printf(section, "There is no loop.");
    add_table(s, section, &whole, &loop);
    if (loop.total > 0 && gr_input_computes(s))
        say_loop(s, &loop, section);
    if (whole.unknown > 0)
        gr_section_printf(section, "%" PRId64 " instructions have no name here; they are under %s.",
                          whole.unknown,
                          gr_input_is_amd(s) ? gr_op_name_amd(GR_OP_OTHER)
                                             : gr_op_name(GR_OP_OTHER));
}

const struct gr_analysis gr_analysis_mix = {
    .order = 30, .title = "Instructions", .applies = applies, .explain = explain};

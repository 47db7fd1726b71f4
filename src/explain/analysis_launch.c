/* analysis_launch.c: how many threads are launched, and how they divide the work.
 * SPDX-License-Identifier: MIT */
#include "explain/analysis.h"

#include "records/kernel.h"

#include <ctype.h>
#include <inttypes.h>

static bool applies(const struct gr_analysis_input *s)
{
    return s->launch != NULL;
}

static void say_extents(struct gr_section *section, const char *what, const unsigned x[3])
{
    if (x[2] > 1)
        gr_str_printf(&section->text, "%s %u x %u x %u", what, x[0], x[1], x[2]);
    else if (x[1] > 1)
        gr_str_printf(&section->text, "%s %u x %u", what, x[0], x[1]);
    else
        gr_str_printf(&section->text, "%s %u", what, x[0]);
}

static const char *s_of(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_plan_launch *launch = s->launch;
    int64_t blocks = gr_input_blocks(s), threads = gr_input_threads(s);
    int64_t warps = (threads + s->device->warp - 1) / s->device->warp;
    const char *warp = gr_input_is_amd(s) ? "wavefront" : "warp";
    const bool full = threads % s->device->warp == 0;
    say_extents(section, "The grid is", launch->grid);
    say_extents(section, ", a block is", launch->block);
    gr_section_printf(section,
                      ": %" PRId64 " block%s of %" PRId64 " thread%s, which are %" PRId64
                      " %s%s of %" PRId64 ".%s%s%s",
                      blocks, s_of(blocks), threads, s_of(threads), warps, warp, s_of(warps),
                      s->device->warp, full ? "" : " The last ", full ? "" : warp,
                      full ? "" : " of a block is not full.");
    const char *launch_origin = s->variant->kernel->launch_origin;
    if (launch_origin)
        gr_section_printf(section, "%c%s.", toupper((unsigned char)*launch_origin),
                          launch_origin + 1);
    if (launch->cluster[0] > 0)
        gr_section_printf(section, "A cluster is %u x %u x %u blocks.", launch->cluster[0],
                          launch->cluster[1], launch->cluster[2]);
    gr_section_number(section, "grid.blocks", (double)blocks, "");
    gr_section_number(section, "block.threads", (double)threads, "");
    gr_section_number(section, "block.warps", (double)warps, "");
}

const struct gr_analysis gr_analysis_launch = {
    .order = 10, .title = "Launch", .applies = applies, .explain = explain};

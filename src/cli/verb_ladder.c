/* verb_ladder.c: gradus ladder: verifies every rung and times it against the fastest peer.
 * SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"
#include "cli/measuring.h"
#include "cli/rungs.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gr_option options[] = {
    GR_MEASURING_OPTIONS,
    {"preset", 0, "worklog|choiblams", false, "sizes 1024 2048 3072 4096, or 16384x4096x4096"},
    {"kernels", 0, "RUNG,...", true, "only these rungs: number, name or part of it"},
    {"kernel-dir", 0, "DIR", false, "rungs from this folder, not from the binary"},
    {0},
};

static const char *preset_sizes(const struct gr_args *args)
{
    const char *preset = gr_args_get(args, "preset");
    if (!preset)
        return gr_device_arg_is_simulated(args) ? "256" : "256,512,1024";
    return strcmp(preset, "worklog") == 0 ? "1024,2048,3072,4096" : "16384x4096x4096";
}

static enum gr_exit run(const struct gr_args *args)
{
    struct gr_measuring m;
    struct gr_rungs rungs = {0};
    struct gr_run rows = {0};
    struct gradus_error error = {0};
    if (gr_args_get(args, "preset") && gr_args_get(args, "size"))
        return gr_cli_refuse("--preset and --size exclude each other");
    enum gradus_status status = gr_measuring_read(args, preset_sizes(args), &m, &error);
    if (status == GRADUS_OK)
        status = gr_rungs_choose(&m, "ladder", "all", &rungs, &error);
    if (status == GRADUS_OK) {
        char *title = gr_printf("ladder on %s", m.options.device.text);
        status = gr_measuring_run(&m, title, &rows, &error);
        free(title);
    }
    enum gr_exit code = status == GRADUS_OK ? gr_measuring_show(&m, &rows) : gr_cli_fail(&error);
    gr_run_free(&rows);
    gr_measuring_free(&m);
    gr_rungs_free(&rungs);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_ladder = {
    .name = "ladder",
    .summary = "climb all rungs: verify each, time it against the best peer",
    .details =
        "Each rung runs in a worker process, is verified against a float64 reference, and is then "
        "timed interleaved with the fastest library found here. A rung that is too slow for the "
        "time limit is verified and timed at a smaller size, and its row says so.\n\n"
        "With --device sim the GPU's rungs run on this machine's CPU, at 256 where no size is "
        "given. Such rows show what was counted and no times; sim:t4 simulates another GPU than "
        "the H200 (`gradus help explain` names them). Their report has the counts as bars, and of "
        "each rung its tiles, lanes and banks, what it changes in the one before, and a page in "
        "which one can step through its source.\n\n" GR_MEASURING_ENDING "Examples:\n"
        "  gradus ladder\n"
        "  gradus ladder --size 1024 --threads 1 --dtype f64\n"
        "  gradus ladder --preset worklog --report report\n"
        "  gradus ladder --kernels 5,6 --size 64:1024:x2 --format csv\n"
        "  gradus ladder --preset worklog --report report --resume report\n"
        "  gradus ladder --device sim --kernels 1,2",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .run = run,
};

/* verb_show.c: gradus show: shows the facts about a rung and its source, or its difference from the
 * rung before it. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "cli/card.h"
#include "cli/choose.h"
#include "cli/device_arg.h"
#include "cli/diff.h"
#include "cli/show_sass.h"
#include "cli/style.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, WIDEST_COLUMNS = 100, CONTEXT = 3 };

/* Appends the file without its front matter, which is shown as facts. Its comments contain the
 * picture. */
static void add_source(struct gr_str *out, const char *source)
{
    while (*source) {
        const char *end = gr_text_line_end(source);
        end += *end == '\n';
        if (!gr_starts_with(source, "//@"))
            gr_str_add_bytes(out, source, (size_t)(end - source));
        source = end;
    }
}

static void show(const struct gr_kernel *kernel, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    int columns = style.columns ? style.columns : USUAL_COLUMNS;
    columns = columns < WIDEST_COLUMNS ? columns : WIDEST_COLUMNS;
    gr_str_printf(out, "%s%s%s%s%s\n", style.colour ? "\033[1m" : "", kernel->name,
                  kernel->title ? ": " : "", kernel->title ? kernel->title : "",
                  style.colour ? "\033[m" : "");
    gr_card_add(out, columns, kernel);
    gr_str_add(out, "\n");
    add_source(out, kernel->source);
}

/* The first rung has no rung before it, so its whole source is shown as new. */
static enum gradus_status show_diff(const struct gr_catalog *catalog,
                                    const struct gr_kernel *kernel, struct gr_str *out,
                                    struct gradus_error *error)
{
    const struct gr_kernel *before = NULL;
    bool colour = gr_cli_style(STDOUT_FILENO).colour;
    if (kernel->after) {
        enum gradus_status status = gr_catalog_find(catalog, kernel->after, &before, error);
        if (status != GRADUS_OK)
            return status;
    }
    return gr_diff_unified(before ? before->path : "/dev/null", before ? before->source : "",
                           kernel->path, kernel->source, CONTEXT, colour, out, error);
}

static enum gradus_status show_as_asked(const struct gr_args *args,
                                        const struct gr_catalog *catalog, struct gr_str *out,
                                        struct gradus_error *error)
{
    const struct gr_kernel *kernel;
    enum gradus_status status = gr_choose_kernel(args, catalog, args->operands[0], &kernel, error);
    if (status != GRADUS_OK)
        return status;
    if (gr_args_get(args, "sass"))
        return gr_show_sass(args, kernel, out, error);
    if (gr_args_get(args, "diff"))
        return show_diff(catalog, kernel, out, error);
    if (gr_args_get(args, "source"))
        gr_str_add(out, kernel->source);
    else
        show(kernel, out);
    return GRADUS_OK;
}

static enum gr_exit run(const struct gr_args *args)
{
    const bool sass = gr_args_get(args, "sass") != NULL;
    if ((gr_args_get(args, "diff") != NULL) + (gr_args_get(args, "source") != NULL) + sass > 1)
        return gr_cli_refuse("show: found two of --diff, --source and --sass, wanted one");
    if (!sass && (gr_args_get(args, "reorder-ffma") || gr_args_get(args, "param")))
        return gr_cli_refuse("show: --reorder-ffma and --param are of machine code: add --sass");
    struct gr_catalog catalog = {0};
    struct gr_str out = {0};
    struct gradus_error error = {0};
    enum gr_exit exit_status = GR_EXIT_RIGHT;
    const enum gradus_status chosen = sass ? gr_show_sass_catalog(args, &catalog, &error)
                                           : gr_choose_catalog(args, &catalog, &error);
    if (chosen != GRADUS_OK || show_as_asked(args, &catalog, &out, &error) != GRADUS_OK)
        exit_status = gr_cli_fail(&error);
    else
        fputs(gr_str_text(&out), stdout);
    gradus_error_clear(&error);
    gr_str_free(&out);
    gr_catalog_free(&catalog);
    return exit_status;
}

static const struct gr_option options[] = {
    {"diff", 'd', NULL, false, "what it changes in the rung it comes after"},
    {"source", 's', NULL, false, "the file as it is, to start one of your own"},
    {"sass", 0, NULL, false, "of a GPU's rung: the machine code of its FFMAs, for sm_90"},
    {"param", 0, "NAME=VALUE", true, "with --sass: a parameter of the kernel, as BM=64"},
    GR_OPTION_REORDER_FFMA,
    GR_OPTION_DEVICE,
    GR_OPTION_KERNEL_DIR,
    {0},
};

const struct gr_verb gr_verb_show = {
    .name = "show",
    .operands = "RUNG",
    .summary = "show a rung: its idea, its facts, its source; or what it changes",
    .details = "A rung is named as `gradus list` does (03_cache_tile), by its number (3) or by the "
               "name after the number (cache_tile).\n\n"
               "  gradus show 3\n"
               "  gradus show 3 --diff\n"
               "  gradus show 3 --source >mine.c\n"
               "  gradus show 12 --sass | less\n"
               "  gradus show 12 --sass --reorder-ffma | less\n\n"
               "`--sass` lists straight code with many FFMAs as NVRTC compiles it for sm_90, and "
               "how many cycles each FFMA is expected to wait for the two banks of registers. "
               "`--reorder-ffma` lists it as that option of run, ladder, bench and explain changes "
               "it: FFMAs that do not depend on one another change places, where the result is "
               "proven to be the same. On an H200 that gained 0 to 3 %.",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .judges_nothing = true,
    .run = run,
};

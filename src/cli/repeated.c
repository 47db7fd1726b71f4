/* repeated.c: the options of a run that the commands of its rows repeat.
 * SPDX-License-Identifier: MIT */
#include "cli/repeated.h"

#include "base/str.h"
#include "base/text.h"
#include "catalog/alternatives.h"

#include <stdlib.h>
#include <string.h>

/* Repeats each of these options as it was given. A row of one of several kernels has its own
 * --kernel. */
static void repeat_options(const struct gr_args *args, const char *const *names, size_t count,
                           struct gr_str *out)
{
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; gr_args_get_at(args, names[i], j); j++) {
            char *value = (char *)gr_args_get_at(args, names[i], j);
            if (strcmp(names[i], "kernel") == 0 && gr_names_several(value))
                continue;
            gr_str_printf(out, " --%s", names[i]);
            if (*value) {
                gr_str_add(out, " ");
                gr_text_quote(out, 1, &value);
            }
        }
    }
}

/* Returns the options in the command of every row. */
char *gr_repeated_common(const struct gr_args *args, const struct gr_options *options, int threads)
{
    static const char *const inputs[] = {"device", "engine", "fill", "seed"};
    static const char *const others[] = {"callers", "strict", "time-limit", "verify-only",
                                         "shapes"};
    struct gr_str out = {0};
    if (gr_device_is_host(&options->device))
        gr_str_printf(&out, " --threads %d", threads);
    repeat_options(args, inputs, sizeof inputs / sizeof *inputs, &out);
    if (options->cache != GR_CACHE_BY_SIZE) /* a preset may have chosen it */
        gr_str_add(&out, options->cache == GR_CACHE_WARM ? " --warm" : " --cold");
    repeat_options(args, others, sizeof others / sizeof *others, &out);
    return out.text ? out.text : gr_strdup("");
}

/* Returns the additional options in the command of a kernel's row, which do not apply to a peer.
 * The parser treats the second word of --input A.npy B.npy as an operand. */
char *gr_repeated_kernel(const struct gr_args *args)
{
    static const char *const names[] = {
        "peer",  "param",   "tuned",    "cc",           "flags",      "kernel", "grid",
        "block", "smem",    "cluster",  "define",       "args",       "work",   "layout",
        "zero",  "require", "no-cache", "reorder-ffma", "kernel-dir", "input"};
    struct gr_str out = {0};
    repeat_options(args, names, sizeof names / sizeof *names, &out);
    for (int i = 0; i < args->operand_count; i++) {
        char *word = args->operands[i];
        if (!gr_ends_with(word, ".npy"))
            continue;
        gr_str_add(&out, " --input ");
        gr_text_quote(&out, 1, &word);
    }
    return out.text;
}

/* Returns the options for `explain` or, if the files are C, for a `run` that is compiled with
 * sanitizers. */
char *gr_repeated_diagnose(const struct gr_args *args, const struct gr_device_ref *device)
{
    static const char *const of_gpu[] = {
        "dtype",  "trans", "param", "flags",   "kernel", "grid",       "block",  "smem", "cluster",
        "define", "args",  "work",  "require", "strict", "kernel-dir", "layout", "zero", "engine"};
    static const char *const of_cpu[] = {"dtype", "trans",   "param", "cc",  "kernel",
                                         "args",  "require", "fill",  "seed"};
    struct gr_str out = {0};
    if (!gr_device_is_host(device)) {
        repeat_options(args, of_gpu, sizeof of_gpu / sizeof *of_gpu, &out);
        if (strchr(device->text, ':') && *device->model)
            gr_str_printf(&out, " --gpu %s", device->model);
        return out.text ? out.text : gr_strdup("");
    }
    const char *flags = gr_args_get(args, "flags");
    char *checked = gr_printf("%s%s-O1 -g -fsanitize=undefined -fno-sanitize-recover=all",
                              flags ? flags : "", flags ? " " : "");
    repeat_options(args, of_cpu, sizeof of_cpu / sizeof *of_cpu, &out);
    gr_str_add(&out, " --threads 1 --peer none --verify-only --flags ");
    if (checked)
        gr_text_quote(&out, 1, &checked);
    free(checked);
    return out.text;
}

/* rungs.c: finds kernels by name and by file. SPDX-License-Identifier: MIT */
#include "cli/rungs.h"

#include "cli/choose.h"

#include "core/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/progress_line.h"
#include "measure/find_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_gemm(const struct gr_catalog *catalog)
{
    for (int i = 0; i < catalog->count; i++)
        if (!gr_kernel_has_workload(catalog->kernels[i]))
            return true;
    return false;
}

/* Adds each rung of a comma-separated list; "all" stands for every rung that is a GEMM. */
static enum gradus_status add_named(struct gr_measuring *m, const char *verb, const char *list,
                                    const struct gr_catalog *catalog, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    if (strcmp(list, "none") == 0)
        return GRADUS_OK;
    if (strcmp(list, "all") == 0) {
        for (int i = 0; i < catalog->count && status == GRADUS_OK; i++) {
            const struct gr_kernel *k = catalog->kernels[i];
            if (gr_kernel_has_workload(k) && has_gemm(catalog))
                gr_cli_note("%s is no GEMM and is left out; gradus explain %s", k->name, k->path);
            else
                status = add_named(m, verb, k->name, catalog, error);
        }
        return status;
    }
    while (status == GRADUS_OK) {
        size_t length = strcspn(list, ",");
        char *word = gr_strndup(list, length);
        const struct gr_kernel *kernel = NULL;
        status = gr_choose_kernel(m->args, catalog, word ? word : "", &kernel, error);
        if (status == GRADUS_OK) {
            char *command = gr_printf("%s --kernels %s", verb, kernel->name);
            status = gr_measuring_add(m, kernel, command, error);
            free(command);
        }
        free(word);
        if (!list[length])
            break;
        list += length + 1;
    }
    return status;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Room for another kernel that was read from a file; null: no memory. */
static struct gr_kernel **next_file(struct gr_rungs *rungs, struct gradus_error *error)
{
    size_t bytes = (size_t)(rungs->file_count + 1) * sizeof *rungs->files;
    struct gr_kernel **grown = realloc(rungs->files, bytes);
    if (!grown) {
        gr_fail_memory(error, "kernels", bytes);
        return NULL;
    }
    rungs->files = grown;
    return &grown[rungs->file_count];
}

static struct gr_launch_search search_for(const struct gr_measuring *m, const char *path,
                                          const char *extra)
{
    return (struct gr_launch_search){.path = path,
                                     .extra = extra,
                                     .options = &m->options,
                                     .types = m->types,
                                     .types_given = m->types_given,
                                     .trans = gr_args_get(m->args, "trans"),
                                     .params = m->params,
                                     .param_count = m->param_count,
                                     .runs_there = !m->explains,
                                     .may_reduce = true};
}

/* Adds a kernel of a file, with the command that measures it: "run my.cu --kernel tiled". */
static enum gradus_status add_kernel(struct gr_measuring *m, const char *path, const char *function,
                                     const struct gr_kernel *k, struct gradus_error *error)
{
    struct gr_str command = {0};
    char *word = (char *)path, *name = (char *)function;
    gr_str_add(&command, "run ");
    gr_text_quote(&command, 1, &word);
    if (function) {
        gr_str_add(&command, " --kernel ");
        gr_text_quote(&command, 1, &name);
    }
    enum gradus_status status = gr_measuring_add(m, k, gr_str_text(&command), error);
    gr_str_free(&command);
    return status;
}

/* `no_gemm`: the file's only kernel, whose code adds no products; null: it may be a GEMM. It is
 * refused unless a launch of it gives one all the same. */
static enum gradus_status add_only(struct gr_measuring *m, const char *path, const char *extra,
                                   const char *no_gemm, struct gr_rungs *rungs,
                                   struct gradus_error *error)
{
    struct gr_launch_search settling = search_for(m, path, extra);
    struct gr_kernel **slot = next_file(rungs, error);
    if (!slot)
        return GRADUS_NO_MEMORY;
    settling.brief = no_gemm != NULL;
    enum gradus_status status = gr_launch_find(&settling, slot, error);
    if (status == GRADUS_OK && no_gemm)
        status = gr_several_refuse_only(path, no_gemm, *slot, error);
    if (status != GRADUS_OK) {
        gr_kernel_free(*slot);
        return status;
    }
    const struct gr_kernel *k = *slot;
    rungs->file_count++;
    if (k->includer && !same_file(k->path, path))
        gr_cli_note("lines are those of %s, which %s includes", k->path, path);
    return add_kernel(m, path, NULL, k, error);
}

enum gradus_status gr_rungs_add_one(struct gr_measuring *m, const struct gr_several *several, int i,
                                    struct gr_rungs *rungs, struct gradus_error *error)
{
    const struct gr_launch_search settling = search_for(m, several->path, NULL);
    const char *name = several->list.items[i].name;
    struct gr_kernel **slot = next_file(rungs, error);
    struct gr_omission omission;
    if (!slot)
        return GRADUS_NO_MEMORY;
    enum gradus_status status = gr_several_settle(several, i, &settling, slot, &omission, error);
    const struct gr_kernel *k = *slot;
    rungs->file_count += k != NULL;
    if (status == GRADUS_OK)
        status = add_kernel(m, several->path, name, k, error);
    if (status == GRADUS_OK) {
        struct gr_sweep_kernel *added = &m->kernels[m->kernel_count - 1];
        added->function = gr_strdup(name);
        added->refused = omission.refused;
        added->excuse = omission.excuse;
    } else {
        free(omission.refused);
        free(omission.excuse);
    }
    return status;
}

static enum gradus_status add_several(struct gr_measuring *m, const struct gr_several *several,
                                      struct gr_rungs *rungs, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    char head[160];
    gr_several_note(several);
    gr_progress_begin();
    for (int i = 0; i < several->list.count && status == GRADUS_OK; i++) {
        snprintf(head, sizeof head, "[%d/%d] %.100s", i + 1, several->list.count,
                 several->list.items[i].name);
        gr_progress_format(head, "finding its launch", -1);
        status = gr_rungs_add_one(m, several, i, rungs, error);
    }
    gr_progress_end();
    return status;
}

enum gradus_status gr_rungs_add_file(struct gr_measuring *m, const char *path, const char *extra,
                                     struct gr_rungs *rungs, struct gradus_error *error)
{
    struct gr_several several;
    enum gradus_status status = gr_several_find(path, extra, &several, error);
    char *lines =
        status == GRADUS_OK && gr_several_is_one(&several) ? gr_several_lines(&several, 0) : NULL;
    if (status == GRADUS_OK)
        status = several.list.count > 1 ? add_several(m, &several, rungs, error)
                                        : add_only(m, path, lines ? lines : extra,
                                                   gr_several_no_gemm(&several), rungs, error);
    free(lines);
    gr_several_free(&several);
    return status;
}

/* Loads the rungs of the device that is measured, unless they are loaded already. */
static enum gradus_status load(const struct gr_measuring *m, struct gr_rungs *rungs,
                               struct gradus_error *error)
{
    if (rungs->catalog.count > 0)
        return GRADUS_OK;
    return gr_catalog_load(gr_args_get(m->args, "kernel-dir"),
                           gr_device_is_host(&m->options.device) ? GR_LANGUAGE_C : GR_LANGUAGE_CUDA,
                           &rungs->catalog, error);
}

static enum gradus_status add_rung(struct gr_measuring *m, const char *name, const char *extra,
                                   struct gr_rungs *rungs, struct gradus_error *error)
{
    const struct gr_kernel *kernel = NULL;
    if (extra && *extra)
        return gr_fail(error, GRADUS_INVALID,
                       "run %s: --%.*s is for a file; a rung says for itself how it is launched",
                       name, (int)strcspn(extra, " "), extra);
    enum gradus_status status = load(m, rungs, error);
    if (status == GRADUS_OK)
        status = gr_choose_kernel(m->args, &rungs->catalog, name, &kernel, error);
    if (status != GRADUS_OK)
        return status;
    char *command = gr_printf("run %s", kernel->name);
    status = gr_measuring_add(m, kernel, command, error);
    free(command);
    return status;
}

enum gradus_status gr_rungs_add_operand(struct gr_measuring *m, const char *operand,
                                        const char *extra, struct gr_rungs *rungs,
                                        struct gradus_error *error)
{
    if (strpbrk(operand, "/.") || gr_file_exists(operand))
        return gr_rungs_add_file(m, operand, extra, rungs, error);
    return add_rung(m, operand, extra, rungs, error);
}

enum gradus_status gr_rungs_choose(struct gr_measuring *m, const char *verb, const char *otherwise,
                                   struct gr_rungs *rungs, struct gradus_error *error)
{
    /* On a GPU, the best rung takes the place of the library. */
    const char *gpu_otherwise = strcmp(otherwise, "library") == 0 ? "best" : otherwise;
    const struct gr_args *args = m->args;
    const bool cpu = gr_device_is_host(&m->options.device);
    enum gradus_status status = load(m, rungs, error);
    int lists = 0;
    for (; gr_args_get_at(args, "kernels", lists) && status == GRADUS_OK; lists++)
        status = add_named(m, verb, gr_args_get_at(args, "kernels", lists), &rungs->catalog, error);
    for (int i = 0; i < args->operand_count && status == GRADUS_OK; i++)
        status = gr_rungs_add_operand(m, args->operands[i], NULL, rungs, error);
    if (status == GRADUS_OK && lists == 0 && args->operand_count == 0)
        status = add_named(m, verb, cpu ? otherwise : gpu_otherwise, &rungs->catalog, error);
    return status;
}

static void add_lines(const struct gr_args *args, const char *word, struct gr_str *extra)
{
    for (int j = 0; gr_args_get_at(args, word, j); j++)
        gr_str_printf(extra, "%s %s\n", word, gr_args_get_at(args, word, j));
}

void gr_rungs_launch_lines(const struct gr_args *args, struct gr_str *extra)
{
    static const char *const words[] = {"grid",   "block", "smem",  "cluster", "args",  "work",
                                        "layout", "zero",  "array", "flop",    "bytes", "require"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_lines(args, words[i], extra);
}

void gr_rungs_extra_lines(const struct gr_args *args, struct gr_str *extra)
{
    add_lines(args, "kernel", extra);
    gr_rungs_launch_lines(args, extra);
}

void gr_rungs_named_sizes(const struct gr_args *args, const char *operand, struct gr_str *extra)
{
    if (operand && gr_is_named_size(operand))
        gr_str_printf(extra, "size %s\n", operand);
    for (int j = 0; gr_args_get_at(args, "size", j); j++)
        if (gr_is_named_size(gr_args_get_at(args, "size", j)))
            gr_str_printf(extra, "size %s\n", gr_args_get_at(args, "size", j));
}

void gr_rungs_free(struct gr_rungs *rungs)
{
    for (int i = 0; i < rungs->file_count; i++)
        gr_kernel_free(rungs->files[i]);
    free(rungs->files);
    gr_catalog_free(&rungs->catalog);
    *rungs = (struct gr_rungs){0};
}

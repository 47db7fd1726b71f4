/* explaining.c: determines the kernel, the problem and the device. SPDX-License-Identifier: MIT */
#include "cli/explaining.h"

#include "core/error.h"
#include "base/file.h"
#include "catalog/held.h"
#include "cli/against.h"

#include <stdlib.h>
#include <string.h>

/* Is the operand a file, by the rules of `gradus run`? The name of a rung has neither a folder nor
 * a suffix. */
static bool is_file(const char *operand)
{
    return strpbrk(operand, "/.") != NULL;
}

static bool is_c(const char *operand)
{
    return gr_ends_with(operand, ".c");
}

/* Refuses a kernel in C, and names alternatives. `word` is the name that was given: `gradus run`
 * accepts it if it is a file, and `gradus ladder` if it is a rung. */
static enum gradus_status refuse_c(const char *word, bool file, struct gradus_error *error)
{
    return gr_fail(error, GRADUS_INVALID,
                   "explain: %s is a kernel in C, and explain is for GPU kernels; `gradus %s%s "
                   "--report DIR` verifies and times it, compared with a library and the roofline",
                   word, file ? "run " : "ladder --kernels ", word);
}

/* Is it the name of a rung of the CPU's ladder? A number refers to the GPU's ladder. */
static bool is_cpu_rung(const struct gr_args *args, const char *operand)
{
    struct gr_catalog catalog = {0};
    const struct gr_kernel *kernel;
    struct gradus_error ignored = {0};
    bool found = gr_catalog_load(gr_args_get(args, "kernel-dir"), GR_LANGUAGE_C, &catalog,
                                 &ignored) == GRADUS_OK &&
                 gr_catalog_find(&catalog, operand, &kernel, &ignored) == GRADUS_OK;
    gr_catalog_free(&catalog);
    gradus_error_clear(&ignored);
    return found;
}

/* Refuses a file with several kernels where one is wanted: beside another, or for an option that is
 * of one kernel. */
static enum gradus_status refuse_several(const char *path, const char *extra,
                                         struct gradus_error *error)
{
    struct gr_several several;
    struct gr_str names = {0};
    enum gradus_status status = gr_several_find(path, extra, &several, error);
    for (int i = 0; i < several.list.count; i++)
        gr_str_printf(&names, "%s%s", i ? ", " : "", several.list.items[i].name);
    if (status == GRADUS_OK && several.list.count > 1)
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: %s: found %d kernels (%.300s), wanted one for --against, "
                         "--report, --counters, --code, --ptx and --cubin: choose it by --kernel "
                         "NAME",
                         path, several.list.count, gr_str_text(&names));
    gr_str_free(&names);
    gr_several_free(&several);
    return status;
}

static enum gradus_status add_file(struct gr_explaining *w, const char *path, const char *extra,
                                   struct gradus_error *error)
{
    enum gradus_status status = refuse_several(path, extra, error);
    if (status == GRADUS_OK)
        status = gr_rungs_add_file(&w->m, path, extra, &w->rungs, error);
    w->kernel = status == GRADUS_OK ? w->rungs.files[0] : NULL;
    return status;
}

/* Finds a rung. A rung that is not a GEMM is read again with the sizes of the options, because its
 * `size` lines define them. */
static enum gradus_status find_rung(struct gr_explaining *w, const char *operand, const char *sizes,
                                    struct gradus_error *error)
{
    enum gradus_status status = gr_catalog_load(gr_args_get(w->args, "kernel-dir"),
                                                GR_LANGUAGE_CUDA, &w->rungs.catalog, error);
    if (status == GRADUS_OK)
        status = gr_catalog_find(&w->rungs.catalog, operand, &w->kernel, error);
    if (status == GRADUS_NOT_FOUND && is_cpu_rung(w->args, operand))
        return refuse_c(operand, false, error);
    if (status != GRADUS_OK || !*sizes)
        return status;
    if (!gr_kernel_has_workload(w->kernel))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: found the %.*s, and %s is a GEMM; wanted 1024 or MxNxK",
                       (int)strcspn(sizes, "\n"), sizes, w->kernel->name);
    return add_file(w, w->kernel->path, sizes, error);
}

/* Of two kernels of one file each is named by the file and its function, "worklog.tiled". */
static enum gradus_status name_function(struct gr_explaining *w, const char *function,
                                        struct gradus_error *error)
{
    struct gr_kernel *k = w->rungs.file_count ? w->rungs.files[0] : NULL;
    char *name = k ? gr_printf("%s.%.*s", k->name, (int)strcspn(function, "<"), function) : NULL;
    if (k && !name)
        return gr_fail_memory(error, "a name", 0);
    if (name) {
        free(k->name);
        k->name = name;
    }
    return GRADUS_OK;
}

/* Finds a rung of the GPU's ladder, a file, or machine code. `function`: the kernel of the file in
 * place of that of --kernel; may be null. */
static enum gradus_status find_kernel(struct gr_explaining *w, const char *operand,
                                      const char *function, bool is_other,
                                      struct gradus_error *error)
{
    struct gr_str extra = {0}, sizes = {0};
    enum gradus_status status;
    if (w->code.file) {
        status = gr_code_operand_add(&w->code, operand, &w->m, &w->rungs, error);
        w->kernel = status == GRADUS_OK ? w->rungs.files[0] : NULL;
        return status;
    }
    if (is_c(operand) && gr_file_exists(operand))
        return refuse_c(operand, true, error);
    if (function) {
        gr_str_printf(&extra, "kernel %s\n", function);
        gr_rungs_launch_lines(w->args, &extra);
    } else {
        gr_rungs_extra_lines(w->args, &extra);
    }
    gr_rungs_named_sizes(w->args, w->args->operand_count > 1 ? w->args->operands[1] : NULL, &sizes);
    const bool in_file = is_file(operand) || is_c(operand);
    if (!in_file && extra.length && !is_other)
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: --%.*s is for a file; a rung says for itself how it is launched",
                         (int)strcspn(extra.text, " "), extra.text);
    else if (!in_file)
        status = find_rung(w, operand, gr_str_text(&sizes), error);
    else {
        gr_str_add(&extra, gr_str_text(&sizes));
        status = add_file(w, operand, gr_str_text(&extra), error);
        const char *named = function                          ? function
                            : gr_args_get(w->args, "against") ? gr_args_get(w->args, "kernel")
                                                              : NULL;
        if (status == GRADUS_OK && named)
            status = name_function(w, named, error);
    }
    gr_str_free(&extra);
    gr_str_free(&sizes);
    if (status == GRADUS_OK && w->kernel->language != GR_LANGUAGE_CUDA)
        status = refuse_c(operand, true, error);
    return status;
}

/* Has the kernel the parameter of an assignment such as "BM=64"? */
static bool has_param(const struct gr_kernel *kernel, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (int i = 0; i < kernel->param_count; i++)
        if (strlen(kernel->params[i].name.text) == length &&
            strncmp(kernel->params[i].name.text, assignment, length) == 0)
            return true;
    return false;
}

/* Makes the problem of a kernel that is not a GEMM, from its sizes. If it is compared with another
 * kernel, the sizes are those of the other. */
static struct gr_problem problem_of_sizes(const struct gr_kernel *kernel, struct gr_types types,
                                          const struct gr_explaining *other)
{
    struct gr_problem p = gr_problem_dense(0, 0, 0, false, false, types);
    for (int i = 0; i < kernel->size_count; i++)
        p.sizes[i] = kernel->sizes[i].value;
    for (int i = 0; other && i < kernel->size_count; i++)
        for (int j = 0; j < other->kernel->size_count; j++)
            if (strcmp(kernel->sizes[i].name.text, other->kernel->sizes[j].name.text) == 0)
                p.sizes[i] = other->problem.sizes[j];
    return p;
}

static void name_sizes(const struct gr_kernel *kernel, struct gr_str *names)
{
    for (int i = 0; i < kernel->size_count; i++)
        gr_str_printf(names, "%s%s", i ? "," : "", kernel->sizes[i].name.text);
}

/* Do both kernels compute the same, as far as their files declare it? */
static enum gradus_status check_pair(const struct gr_kernel *kernel,
                                     const struct gr_explaining *other, struct gradus_error *error)
{
    const struct gr_kernel *both[2] = {other->kernel, kernel};
    struct gr_str names[2] = {{0}, {0}};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 2; i++)
        name_sizes(both[i], &names[i]);
    const bool alike = strcmp(gr_str_text(&names[0]), gr_str_text(&names[1])) == 0;
    if (gr_kernel_has_workload(both[0]) != gr_kernel_has_workload(both[1]))
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: --against: %s is a GEMM and %s is none, wanted two kernels that "
                         "compute the same",
                         both[gr_kernel_has_workload(both[0])]->name,
                         both[gr_kernel_has_workload(both[1])]->name);
    else if (!alike)
        status =
            gr_fail(error, GRADUS_INVALID,
                    "explain: --against: the sizes of %s are %s and those of %s are %s, wanted "
                    "two kernels that compute the same",
                    both[0]->name, gr_str_text(&names[0]), both[1]->name, gr_str_text(&names[1]));
    gr_str_free(&names[0]);
    gr_str_free(&names[1]);
    return status;
}

/* Refuses options for a GEMM that do not apply to another kind of kernel. */
static enum gradus_status refuse_of_gemm(const struct gr_explaining *w, struct gradus_error *error)
{
    const struct gr_kernel *k = w->kernel;
    const char *size = w->args->operand_count > 1 ? w->args->operands[1] : NULL;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; !size && gr_args_get_at(w->args, "size", i); i++)
        if (!gr_is_named_size(gr_args_get_at(w->args, "size", i)))
            size = gr_args_get_at(w->args, "size", i);
    if (size && !gr_is_named_size(size))
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: found the size '%s', and %s is no GEMM; wanted its sizes by "
                         "name, as --size %s=%s",
                         size, k->path, k->size_count ? k->sizes[0].name.text : "N", size);
    else if (gr_args_get(w->args, "trans"))
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: --trans is for a GEMM, and %s is none; leave it out", k->path);
    else if (gr_args_get(w->args, "counters"))
        status = gr_kernel_refuse_workload(k, "explain --counters", error);
    return status;
}

/* A kernel that is compared with another is given the types of the other. */
static enum gradus_status make_variant(struct gr_explaining *w, const struct gr_explaining *other,
                                       struct gradus_error *error)
{
    const struct gr_measuring *m = &w->m;
    struct gr_types types =
        m->types_given || w->kernel->type_count == 0 ? m->types : w->kernel->types[0];
    const struct gr_size *size = &m->sizes[m->size_count - 1];
    types = other ? other->problem.types : types;
    bool trans_a = m->trans_a, trans_b = m->trans_b;
    gr_kernel_trans(w->kernel, m->trans_given, &trans_a, &trans_b);
    if (gr_kernel_has_workload(w->kernel))
        w->problem = problem_of_sizes(w->kernel, types, other);
    else
        w->problem =
            gr_kernel_problem(w->kernel, size->m, size->n, size->k, trans_a, trans_b, types);
    int64_t fitting[3];
    const bool size_given = w->args->operand_count > 1 || gr_args_get(w->args, "size");
    if (!size_given && !other && gr_held_sizes(w->kernel, trans_a, trans_b, fitting))
        w->problem = gr_kernel_problem(w->kernel, fitting[0], fitting[1], fitting[2], trans_a,
                                       trans_b, types);
    enum gradus_status status =
        gr_variant_make(w->kernel, types, trans_a, trans_b, &w->variant, error);
    if (status == GRADUS_OK && w->kernel->language == GR_LANGUAGE_CUDA)
        gr_variant_suit(&w->variant, w->gpu.arch, (int)w->gpu.device.warp);
    for (int i = 0; i < m->param_count && status == GRADUS_OK; i++)
        if (!other || has_param(w->kernel, m->params[i]))
            status = gr_variant_set(&w->variant, m->params[i], error);
    if (status == GRADUS_OK)
        gr_variant_name(&w->variant, w->params, sizeof w->params);
    return status;
}

/* If machine code is compared with another kernel, the GPU is that of the other. */
static enum gradus_status choose_gpu(const struct gr_args *args, const struct gr_explaining *other,
                                     struct gr_explaining *w, struct gradus_error *error)
{
    const char *arch = w->code.file ? w->code.arch : NULL;
    if (!other || (!arch && !other->code.file))
        return gr_gpu_choose(args, arch, &w->gpu, error);
    w->gpu = other->gpu;
    return arch ? gr_gpu_admits_code(&w->gpu, arch, error) : GRADUS_OK;
}

/* Reads the options, machine code and the data of the GPU. */
static enum gradus_status begin(const struct gr_args *args, const char *operand,
                                const struct gr_explaining *other, struct gr_explaining *w,
                                struct gradus_error *error)
{
    const char *size = args->operand_count > 1 ? args->operands[1] : "4096";
    const char *default_size = gr_is_named_size(size) ? "4096" : size;
    *w = (struct gr_explaining){.args = args};
    if (args->operand_count > 1 && gr_args_get(args, "size"))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: found the sizes '%s' and --size %s, wanted one", size,
                       gr_args_get(args, "size"));
    enum gradus_status status = gr_measuring_read(args, default_size, &w->m, error);
    w->m.explains = true;
    if (status == GRADUS_OK && w->m.size_count != 1)
        status =
            gr_fail(error, GRADUS_INVALID, "explain: found %d sizes, wanted one", w->m.size_count);
    const char *arch = other && other->code.file ? other->code.arch : gr_args_get(args, "arch");
    if (status == GRADUS_OK && gr_is_code_operand(operand) && gr_args_get(args, "reorder-ffma"))
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: --reorder-ffma is for a kernel that is compiled here, and %s is "
                         "machine code",
                         operand);
    if (status == GRADUS_OK && gr_is_code_operand(operand))
        status = gr_code_operand_read(operand, arch, &w->code, error);
    return status == GRADUS_OK ? choose_gpu(args, other, w, error) : status;
}

/* Makes the problem and the variant of the kernel that was found. */
static enum gradus_status finish(const struct gr_args *args, const struct gr_explaining *other,
                                 struct gr_explaining *w, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    if (gr_kernel_has_workload(w->kernel))
        status = refuse_of_gemm(w, error);
    if (status == GRADUS_OK && other)
        status = check_pair(w->kernel, other, error);
    if (status == GRADUS_OK)
        status = make_variant(w, other, error);
    w->build = (struct gr_build){.flags = gr_args_get(args, "flags"),
                                 .no_cache = gr_args_get(args, "no-cache") != NULL,
                                 .reorder_ffma = gr_args_get(args, "reorder-ffma") != NULL,
                                 .defines = w->m.defines};
    return status;
}

enum gradus_status gr_explaining_prepare(const struct gr_args *args, const char *operand,
                                         const struct gr_explaining *other, struct gr_explaining *w,
                                         struct gradus_error *error)
{
    struct gr_against against = {0};
    if (other && !gr_against_read(args, operand, &against)) {
        gr_against_free(&against);
        return gr_fail_memory(error, "a name", 0);
    }
    const char *found = other ? against.operand : operand;
    enum gradus_status status = begin(args, found, other, w, error);
    if (status == GRADUS_OK)
        status = find_kernel(w, found, against.function, other != NULL, error);
    gr_against_free(&against);
    return status == GRADUS_OK ? finish(args, other, w, error) : status;
}

/* The options that stand for `//@` lines, as `extra` of gr_kernel_read. */
static void write_lines(const struct gr_args *args, struct gr_str *extra)
{
    gr_rungs_extra_lines(args, extra);
    gr_rungs_named_sizes(args, args->operand_count > 1 ? args->operands[1] : NULL, extra);
}

enum gradus_status gr_explaining_several(const struct gr_args *args, const char *operand,
                                         struct gr_several *several, struct gradus_error *error)
{
    struct gr_str extra = {0};
    *several = (struct gr_several){0};
    if (!is_file(operand) || gr_is_code_operand(operand) || is_c(operand))
        return GRADUS_OK;
    write_lines(args, &extra);
    enum gradus_status status = gr_several_find(operand, gr_str_text(&extra), several, error);
    gr_str_free(&extra);
    return status;
}

enum gradus_status gr_explaining_prepare_one(const struct gr_args *args,
                                             const struct gr_several *several, int i,
                                             struct gr_explaining *w, struct gradus_error *error)
{
    enum gradus_status status = begin(args, several->path, NULL, w, error);
    if (status == GRADUS_OK)
        status = gr_rungs_add_one(&w->m, several, i, &w->rungs, error);
    if (status == GRADUS_OK && w->m.kernels[0].refused)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s is left out: %s", w->rungs.files[0]->name,
                         w->m.kernels[0].refused);
    w->kernel = status == GRADUS_OK ? w->rungs.files[0] : NULL;
    return status == GRADUS_OK ? finish(args, NULL, w, error) : status;
}

struct gr_explain gr_explaining_ask(const struct gr_explaining *w)
{
    const char *simulate = gr_args_get(w->args, "simulate"),
               *shapes = gr_args_get(w->args, "shapes");
    const int64_t usual_ns = 8LL * 1000000000;
    bool limited = gr_args_get(w->args, "time-limit") != NULL;
    return (struct gr_explain){
        .simulate_ns = limited ? w->m.options.time_limit_ns : usual_ns,
        .all_blocks = gr_args_get(w->args, "all-blocks") != NULL,
        .variant = &w->variant,
        .problem = &w->problem,
        .build = &w->build,
        .device = &w->gpu.device,
        .arch = w->gpu.arch,
        .code_wanted = gr_args_get(w->args, "ptx") || gr_args_get(w->args, "cubin"),
        /* The ladder verifies a built-in kernel's edge shapes; here only on request. */
        .edges = shapes ? strcmp(shapes, "no") != 0 : !w->kernel->built_in,
        .scaled = !w->kernel->built_in,
        .reach = shapes ? strcmp(shapes, "no") != 0 : !w->kernel->built_in,
        .strict = gr_args_get(w->args, "strict") != NULL,
        .engine = w->code.file ? GR_ENGINE_CODE : gr_engine_of(w->args),
        .simulate = !simulate || strcmp(simulate, "no") != 0};
}

struct gr_explained_head gr_explaining_head(const struct gr_explaining *w)
{
    return (struct gr_explained_head){.kernel = w->kernel,
                                      .problem = &w->problem,
                                      .device = &w->gpu.device,
                                      .arch = w->gpu.arch,
                                      .why = w->gpu.why,
                                      .params = w->params,
                                      .command = w->args->command};
}

void gr_explaining_free(struct gr_explaining *w)
{
    gr_explained_free(&w->explained);
    gr_measuring_free(&w->m);
    gr_rungs_free(&w->rungs);
    gr_code_operand_free(&w->code);
}

/* verb_export.c: gradus export: writes a kernel as a program of its own.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "emit/program.h"
#include "measure/find_launch.h"
#include "cli/choose.h"
#include "cli/rungs.h"
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>

/* The transposes that --trans names, or else the first that the kernel has. */
static int choose_trans(const struct gr_args *args, const struct gr_kernel *kernel)
{
    const char *given = gr_args_get(args, "trans");
    int trans = given ? 2 * (given[0] == 't') + (given[1] == 't') : 0;
    while (!given && trans < 3 && !kernel->trans[trans])
        trans++;
    return trans;
}

/* Uses the first types and transposes of the kernel, or those that the user names, and the
 * parameters that the user gives. */
static enum gradus_status write_program(const struct gr_args *args, const struct gr_kernel *kernel,
                                        struct gr_str *out, struct gradus_error *error)
{
    struct gr_variant variant;
    struct gr_types types = kernel->types[0];
    const int trans = choose_trans(args, kernel);
    if (gr_kernel_has_workload(kernel))
        return gr_kernel_refuse_workload(kernel, "export", error);
    if (gr_args_get(args, "dtype"))
        gr_types_parse(gr_args_get(args, "dtype"), &types);
    enum gradus_status status =
        gr_variant_make(kernel, types, trans & 2, trans & 1, &variant, error);
    for (int i = 0; gr_args_get_at(args, "param", i) && status == GRADUS_OK; i++)
        status = gr_variant_set(&variant, gr_args_get_at(args, "param", i), error);
    return status == GRADUS_OK ? gr_program_write(&variant, out, error) : status;
}

/* Reads the file and finds its launch as `gradus run` does, but on the simulator, which needs no
 * GPU. The exported program checks itself, so a launch that is not confirmed is written, too. */
static enum gradus_status read_file(const struct gr_args *args, struct gr_kernel **kernel,
                                    struct gradus_error *error)
{
    enum { MOST_PARAMS = 64 };
    const char *params[MOST_PARAMS], *param;
    struct gr_options options = gr_options_default();
    struct gr_str extra = {0};
    struct gr_launch_search search = {.path = args->operands[0],
                                      .options = &options,
                                      .types = gr_types_of(GR_F32),
                                      .params = params};
    while (search.param_count < MOST_PARAMS &&
           (param = gr_args_get_at(args, "param", search.param_count)))
        params[search.param_count++] = param;
    gr_rungs_extra_lines(args, &extra);
    search.extra = gr_str_text(&extra);
    enum gradus_status status = gr_device_ref_parse("sim", &options.device, error);
    if (status == GRADUS_OK)
        status = gr_launch_find(&search, kernel, error);
    if (status == GRADUS_OK && (*kernel)->launch_origin)
        gr_cli_note("%s", (*kernel)->launch_origin);
    gr_str_free(&extra);
    return status;
}

static enum gradus_status export_file(const struct gr_args *args, struct gr_str *out,
                                      struct gradus_error *error)
{
    struct gr_kernel *kernel = NULL;
    enum gradus_status status = read_file(args, &kernel, error);
    if (status == GRADUS_OK)
        status = write_program(args, kernel, out, error);
    gr_kernel_free(kernel);
    return status;
}

static enum gradus_status export_rung(const struct gr_args *args, struct gr_str *out,
                                      struct gradus_error *error)
{
    struct gr_catalog catalog = {0};
    const struct gr_kernel *kernel;
    enum gradus_status status =
        gr_catalog_load(gr_args_get(args, "kernel-dir"), GR_LANGUAGE_CUDA, &catalog, error);
    if (status == GRADUS_OK)
        status = gr_catalog_find(&catalog, args->operands[0], &kernel, error);
    if (status == GRADUS_OK)
        status = write_program(args, kernel, out, error);
    gr_catalog_free(&catalog);
    return status;
}

static enum gr_exit run(const struct gr_args *args)
{
    const char *what = args->operands[0], *target = gr_args_get(args, "output");
    struct gradus_error error = {0};
    struct gr_str out = {0};
    bool is_file = strpbrk(what, "/.") || gr_file_exists(what); /* as for gradus run */
    enum gradus_status status =
        is_file ? export_file(args, &out, &error) : export_rung(args, &out, &error);
    if (status == GRADUS_OK && target)
        status = gr_file_write(target, out.text, out.length, &error);
    else if (status == GRADUS_OK)
        fputs(gr_str_text(&out), stdout);
    enum gr_exit exit_status = status == GRADUS_OK ? GR_EXIT_RIGHT : gr_cli_fail(&error);
    gr_str_free(&out);
    gradus_error_clear(&error);
    return exit_status;
}

static const struct gr_option options[] = {
    {"output", 'o', "FILE", false, "write there, not to standard output"},
    {"dtype", 0, GR_TYPES_WORDS, false, "element types (default: the kernel's first)"},
    {"trans", 0, "nn|nt|tn|tt", false,
     "which of A and B are stored transposed (default: the kernel's first)"},
    {"kernel", 0, "NAME", false, "which function, where the file has several"},
    {"grid", 0, "EXPR,...", false, "blocks, as `cdiv(N,32),cdiv(M,32)`"},
    {"block", 0, "EXPR,...", false, "threads of a block, as `32,32`"},
    {"smem", 0, "EXPR", false, "bytes of dynamic shared memory"},
    {"cluster", 0, "EXPR,...", false, "blocks of a cluster, as `2,1,1`"},
    {"args", 0, "EXPR,...", false, "arguments in the kernel's order, as expressions"},
    {"work", 0, "BUFFER", true, "a buffer that --args names, as `bias = f32[N] zero`"},
    {"layout", 0, "LIST", false,
     "storage order of matrices, as `A col, B col, C col` (default: row)"},
    {"zero", 0, "C", false, "C is zeroed before a kernel that adds to it"},
    {"require", 0, "EXPR", true, "what the kernel needs of a problem, as `N%4==0`"},
    {"param", 0, "NAME=VALUE", true, "set a kernel's parameter"},
    GR_OPTION_KERNEL_DIR,
    {0},
};

const struct gr_verb gr_verb_export = {
    .name = "export",
    .operands = "RUNG|FILE.cu",
    .summary = "write a GPU kernel as a program of its own, for nvcc",
    .details =
        "The program holds the kernel, the headers beside it, the launch that the front matter "
        "describes, and a main that checks the product in float64 and times it. It needs nvcc and "
        "nothing of Gradus. A launch that the file's options and lines do not give is found as "
        "gradus run finds it.\n\n"
        "  gradus export 27 --dtype bf16-bf16 --trans nt -o any_shape.cu\n"
        "  gradus export 7 -o tile2d.cu && nvcc -O3 -arch=native tile2d.cu\n"
        "  gradus export my_gemm.cu --grid 'cdiv(N,16),cdiv(M,16)' --block 16,16",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};

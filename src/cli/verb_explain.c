/* verb_explain.c: gradus explain: what a GPU kernel asks for and what bounds it, without a GPU.
 * SPDX-License-Identifier: MIT */
#include "cli/explained.h"
#include "cli/choose.h"
#include "cli/counting.h"
#include "cli/gpu_choice.h"
#include "cli/measuring.h"
#include "cli/rungs.h"
#include "cli/style.h"

#include "backend/cuda_compile.h"
#include "base/error.h"
#include "base/file.h"
#include "lab/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gr_option options[] = {
    {"arch", 0, "sm_NN", false, "compile for it, as sm_86 (default: the GPU's)"},
    {"gpu", 0, "NAME", false, "t4, a100, rtx3070, h200 …: whose facts (default: h200)"},
    {"device-file", 0, "FILE.txt", false, "the facts of a GPU that is not among them"},
    {"size", 0, "SIZE", false, "1024 or MxNxK (default: 4096)"},
    {"dtype", 0, "f32|f64", false, "element type (default: the kernel's first)"},
    {"trans", 0, "nn|nt|tn|tt", false, "which of A and B are stored transposed"},
    {"param", 0, "NAME=VALUE", true, "a parameter of the kernel, as BM=64"},
    {"kernel", 0, "NAME", false, "which function, where the file has several"},
    {"grid", 0, "EXPR,...", false, "blocks, as `cdiv(N,32),cdiv(M,32)`"},
    {"block", 0, "EXPR,...", false, "threads of a block, as `32,32`"},
    {"smem", 0, "EXPR", false, "bytes of dynamic shared memory"},
    {"cluster", 0, "EXPR,...", false, "blocks of a cluster, as `2,1,1`"},
    {"args", 0, "EXPR,...", false, "arguments in the kernel's order, as expressions"},
    {"define", 0, "NAME=VALUE", true, "a macro for the compiler"},
    {"flags", 0, "FLAGS", false, "compiler flags (default: the file's)"},
    {"no-cache", 0, NULL, false, "compile again what was compiled before"},
    {"device", 0, "cuda[:N]", false, "explain for the GPU of this machine"},
    {"counters", 0, NULL, false, "run it there under ncu, and show what the GPU counts"},
    {"ptx", 0, "FILE.ptx", false, "write the PTX; - writes it instead of the explanation"},
    {"cubin", 0, "FILE.cubin", false, "write the machine code, likewise"},
    {"format", 0, "table|json|csv|md", false, "what to print (default: table)"},
    GR_OPTION_KERNEL_DIR,
    {0},
};

/* All that the verb holds. */
struct work {
    const struct gr_args *args;
    struct gr_measuring m;
    struct gr_rungs rungs;
    const struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_problem problem;
    struct gr_gpu_choice gpu;
    struct gr_build build;
    struct gr_explained explained;
};

static bool is_file(const char *operand)
{
    return strchr(operand, '/') || gr_ends_with(operand, ".cu") || gr_ends_with(operand, ".cuh") ||
           gr_ends_with(operand, ".hip");
}

/* A rung of the GPU's ladder, or a file. */
static enum gradus_status find_kernel(struct work *w, struct gradus_error *error)
{
    const char *operand = w->args->operands[0];
    struct gr_str extra = {0};
    enum gradus_status status;
    gr_rungs_extra_lines(w->args, &extra);
    if (is_file(operand)) {
        status = gr_rungs_add_file(&w->m, operand, gr_str_text(&extra), &w->rungs, error);
        w->kernel = status == GRADUS_OK ? w->rungs.files[0] : NULL;
    } else if (extra.length) {
        status = gr_fail(error, GRADUS_INVALID,
                         "explain: --%.*s is for a file; a rung says for itself how it is launched",
                         (int)strcspn(extra.text, " "), extra.text);
    } else {
        status = gr_catalog_load(gr_args_get(w->args, "kernel-dir"), GR_LANGUAGE_CUDA,
                                 &w->rungs.catalog, error);
        if (status == GRADUS_OK)
            status = gr_catalog_find(&w->rungs.catalog, operand, &w->kernel, error);
    }
    gr_str_free(&extra);
    if (status == GRADUS_OK && w->kernel->language != GR_LANGUAGE_CUDA)
        status = gr_fail(error, GRADUS_INVALID, "explain: %s is not CUDA; it explains GPU kernels",
                         w->kernel->path);
    return status;
}

static enum gradus_status make_variant(struct work *w, struct gradus_error *error)
{
    const struct gr_measuring *m = &w->m;
    struct gr_types types =
        m->types_given || w->kernel->type_count == 0 ? m->types : w->kernel->types[0];
    const struct gr_size *size = &m->sizes[m->size_count - 1];
    w->problem = gr_problem_dense(size->m, size->n, size->k, m->trans_a, m->trans_b, types);
    enum gradus_status status =
        gr_variant_make(w->kernel, types, m->trans_a, m->trans_b, &w->variant, error);
    for (int i = 0; i < m->param_count && status == GRADUS_OK; i++)
        status = gr_variant_set(&w->variant, m->params[i], error);
    return status;
}

static enum gradus_status prepare(struct work *w, struct gradus_error *error)
{
    const struct gr_args *args = w->args;
    const char *size = args->operand_count > 1 ? args->operands[1] : "4096";
    if (args->operand_count > 1 && gr_args_get(args, "size"))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: found the sizes '%s' and --size %s, wanted one", size,
                       gr_args_get(args, "size"));
    enum gradus_status status = gr_measuring_read(args, size, &w->m, error);
    if (status == GRADUS_OK && w->m.size_count != 1)
        status =
            gr_fail(error, GRADUS_INVALID, "explain: found %d sizes, wanted one", w->m.size_count);
    if (status == GRADUS_OK)
        status = gr_gpu_choose(args, &w->gpu, error);
    if (status == GRADUS_OK)
        status = find_kernel(w, error);
    if (status == GRADUS_OK)
        status = make_variant(w, error);
    w->build = (struct gr_build){.flags = gr_args_get(args, "flags"),
                                 .no_cache = gr_args_get(args, "no-cache") != NULL,
                                 .defines = w->m.defines};
    return status;
}

/* To a file, or where it is "-" to standard output. */
static enum gradus_status put(const char *path, const void *bytes, size_t length,
                              struct gradus_error *error)
{
    if (strcmp(path, "-") != 0)
        return gr_file_write(path, bytes, length, error);
    if (fwrite(bytes, 1, length, stdout) != length || fflush(stdout) != 0)
        return gr_fail(error, GRADUS_IO, "standard output cannot be written");
    return GRADUS_OK;
}

static enum gradus_status write_code(const struct work *w, struct gradus_error *error)
{
    const char *ptx_path = gr_args_get(w->args, "ptx"), *path = gr_args_get(w->args, "cubin");
    const struct gr_explained *e = &w->explained;
    enum gradus_status status = GRADUS_OK;
    if ((ptx_path || path) && e->cubin.length == 0)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s", e->skip ? e->skip : "nothing was compiled");
    if (path)
        status = put(path, e->cubin.image, e->cubin.length, error);
    if (status != GRADUS_OK || !ptx_path)
        return status;
    const struct gr_cuda_target target = {w->gpu.device.name, w->gpu.arch, (int)w->gpu.device.cc};
    char *ptx = NULL;
    status = gr_cuda_compile_ptx(&w->variant, &w->build, &target, &ptx, error);
    if (status == GRADUS_OK)
        status = put(ptx_path, ptx, strlen(ptx), error);
    free(ptx);
    return status;
}

/* Counting needs the kernel to run: in a child, as `gradus run` and `gradus ladder` do. What keeps it from being
 * counted is a note, and what was worked out is shown all the same. */
static enum gradus_status count(struct work *w, const struct gr_explain *ask,
                                struct gradus_error *error)
{
    const char *words[GR_COUNTING_WORDS + 1], *kernels[GR_MAX_STANZAS + 1] = {0};
    char self[4096], size[64];
    struct gr_str csv = {0};
    for (int i = 0; i < w->kernel->stanza_count; i++)
        kernels[i] = w->kernel->stanzas[i].signature.name;
    enum gradus_status status =
        gr_counting_command(w->args, w->kernel, &w->problem, self, size, words, error);
    if (status == GRADUS_OK)
        status = gr_counters_run(words, kernels, &csv, error);
    if (status == GRADUS_OK)
        status = gr_counters_explain(gr_str_text(&csv), ask, &w->explained, error);
    gr_str_free(&csv);
    if (status != GRADUS_UNSUPPORTED)
        return status;
    gr_cli_note("%s", error->text);
    gradus_error_clear(error);
    return GRADUS_OK;
}

static bool is_dash(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static void show(const struct work *w)
{
    const char *format = gr_args_get(w->args, "format");
    char params[256];
    gr_variant_name(&w->variant, params, sizeof params);
    const struct gr_explained_head head = {.kernel = w->kernel,
                                           .problem = &w->problem,
                                           .device = &w->gpu.device,
                                           .arch = w->gpu.arch,
                                           .why = w->gpu.why,
                                           .params = params,
                                           .command = w->args->command};
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_str out = {0};
    if (!format || strcmp(format, "table") == 0)
        gr_explanation_table(&head, &w->explained, &style, &out);
    else if (strcmp(format, "json") == 0)
        gr_explanation_json(&head, &w->explained, &out);
    else if (strcmp(format, "csv") == 0)
        gr_explanation_csv(&head, &w->explained, &out);
    else
        gr_explanation_md(&head, &w->explained, &out);
    fwrite(gr_str_text(&out), 1, out.length, stdout);
    gr_str_free(&out);
}

/* 1 where the file claims what is not so. */
static enum gr_exit exit_of(const struct gr_explanation *e)
{
    for (int i = 0; i < e->expectation_count; i++)
        if (e->expectations[i].verdict == GR_EXPECT_FALSE)
            return GR_EXIT_WRONG;
    return GR_EXIT_RIGHT;
}

static enum gr_exit run(const struct gr_args *args)
{
    struct work w = {.args = args};
    struct gradus_error error = {0};
    enum gradus_status status = prepare(&w, &error);
    const struct gr_explain ask = {.variant = &w.variant,
                                   .problem = &w.problem,
                                   .build = &w.build,
                                   .device = &w.gpu.device,
                                   .arch = w.gpu.arch,
                                   .simulate = true};
    if (status == GRADUS_OK)
        status = gr_explain(&ask, &w.explained, &error);
    if (status == GRADUS_OK && gr_args_get(args, "counters"))
        status = count(&w, &ask, &error);
    if (status == GRADUS_OK)
        status = write_code(&w, &error);
    enum gr_exit code;
    if (status != GRADUS_OK) {
        code = gr_cli_fail(&error);
    } else {
        if (!is_dash(gr_args_get(args, "ptx")) && !is_dash(gr_args_get(args, "cubin")))
            show(&w);
        code = exit_of(&w.explained.explanation);
    }
    gr_explained_free(&w.explained);
    gr_measuring_free(&w.m);
    gr_rungs_free(&w.rungs);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_explain = {
    .name = "explain",
    .operands = "KERNEL [SIZE]",
    .summary = "say what a GPU kernel asks for and what bounds it; needs no GPU",
    .details =
        "KERNEL is a rung as `gradus list --device cuda` names it, or a file. It is compiled where "
        "NVIDIA's run-time compiler (libnvrtc) is found, and its machine code is read: registers, "
        "spills, shared memory, the instructions of its hot loop. Occupancy, the least time and "
        "the arithmetic intensities are worked out aloud. The file's `expect` lines are judged: a "
        "false one makes the exit status 1.\n\n"
        "A device file has a fact a line, `KEY VALUE | SOURCE`, with the keys of the built-in "
        "ones (devices/h200.txt in the source).\n\n"
        "  gradus explain 7 --arch sm_86\n"
        "  gradus explain 9 16384x4096x4096 --gpu a100 --param BK=16\n"
        "  gradus explain my.cu --grid 'cdiv(N,32),cdiv(M,32)' --block 32,32\n"
        "  gradus explain 7 --format json --cubin tile.cubin\n"
        "  gradus explain 7 --ptx - | less\n"
        "  gradus explain 7 --device cuda --counters",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};

/* verb_run.c: gradus run: measures kernels in the user's own files, and rungs next to them, by the
 * same code as the ladder. SPDX-License-Identifier: MIT */
#include "cli/measuring.h"
#include "cli/rungs.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "catalog/held.h"
#include "files/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct gr_option options[] = {
    {"kernel", 0, "NAME,...", false,
     "which functions of the file (default: each that can be a GEMM)"},
    {"cc", 0, "COMPILER", false, "C compiler (default: $CC, cc, gcc, clang)"},
    {"flags", 0, "FLAGS", false, "compiler flags (default: the file's, -O3 -march=native)"},
    {"grid", 0, "EXPR,...", false, "GPU: blocks, as `cdiv(N,32),cdiv(M,32)`"},
    {"block", 0, "EXPR,...", false, "GPU: threads of a block, as `32,32`"},
    {"smem", 0, "EXPR", false, "GPU: bytes of dynamic shared memory"},
    {"cluster", 0, "EXPR,...", false, "GPU: blocks of a cluster, as `2,1,1`"},
    {"define", 0, "NAME=VALUE", true, "GPU: a macro for the compiler"},
    {"no-cache", 0, NULL, false, "GPU: compile again, without the cache"},
    {"args", 0, "EXPR,...", false, "arguments in the kernel's order, as expressions"},
    {"work", 0, "BUFFER", true, "a buffer that --args names, as `bias = f32[N] zero`"},
    {"layout", 0, "LIST", false,
     "storage order of matrices, as `A col, B col, C col` (default: row)"},
    {"zero", 0, "C", false, "C is zeroed before a kernel that adds to it"},
    {"require", 0, "EXPR", true, "what the kernel needs of a problem, as `N%4==0`"},
    {"input", 0, "FILE.npy", true, "A and B from files: --input A.npy B.npy"},
    {"watch", 0, NULL, false, "run again whenever a file changes"},
    GR_MEASURING_OPTIONS,
    {0},
};

/* Reads the matrices of --input. The parser treats the second word after the option as an operand,
 * so an operand that ends in .npy is an input, too. */
static enum gradus_status read_inputs(const struct gr_args *args, struct gr_measuring *m,
                                      struct gr_input_files *inputs, struct gradus_error *error)
{
    const char *paths[3] = {0};
    int count = 0;
    for (int i = 0; gr_args_get_at(args, "input", i) && count < 3; i++)
        paths[count++] = gr_args_get_at(args, "input", i);
    for (int i = 0; i < args->operand_count && count < 3; i++)
        if (gr_ends_with(args->operands[i], ".npy"))
            paths[count++] = args->operands[i];
    if (count == 0)
        return GRADUS_OK;
    if (count != 2)
        return gr_fail(error, GRADUS_INVALID, "--input: found %s, wanted two: --input A.npy B.npy",
                       count == 1 ? "one file" : "more than two files");
    if (gr_args_get(args, "size"))
        return gr_fail(error, GRADUS_INVALID, "--input and --size exclude each other");
    enum gradus_status status =
        gr_input_files_read(paths[0], paths[1], m->types_given ? &m->types : NULL, m->trans_a,
                            m->trans_b, inputs, error);
    if (status != GRADUS_OK)
        return status;
    m->types = inputs->types;
    m->types_given = true;
    m->options.inputs = (struct gr_inputs){inputs->a, inputs->b};
    m->sizes[0] = (struct gr_size){inputs->m, inputs->n, inputs->k};
    m->size_count = 1;
    return GRADUS_OK;
}

/* Without --size, the kernels of a file whose operands are in arrays of fixed extents have the
 * sizes that fit the first of them. */
static void fit_size(const struct gr_args *args, const struct gr_rungs *rungs,
                     struct gr_measuring *m)
{
    int64_t size[3];
    const bool one_file = rungs->file_count == 1 || args->operand_count == 1;
    if (gr_args_get(args, "size") || !one_file || m->size_count != 1 || m->options.inputs.a)
        return;
    for (int i = 0; i < rungs->file_count; i++) {
        bool trans_a = m->trans_a, trans_b = m->trans_b;
        gr_kernel_trans(rungs->files[i], m->trans_given, &trans_a, &trans_b);
        if (gr_held_sizes(rungs->files[i], trans_a, trans_b, size)) {
            m->sizes[0] = (struct gr_size){size[0], size[1], size[2]};
            return;
        }
    }
}

static enum gr_exit run_once(const struct gr_args *args)
{
    struct gr_measuring m;
    struct gr_rungs rungs = {0};
    struct gr_input_files inputs = {0};
    struct gr_run rows = {0};
    struct gradus_error error = {0};
    struct gr_str extra = {0};
    gr_rungs_extra_lines(args, &extra);
    enum gradus_status status = gr_measuring_read(args, "1024", &m, &error);
    m.options.build.compiler = gr_args_get(args, "cc");
    m.options.build.flags = gr_args_get(args, "flags");
    m.options.build.no_cache = gr_args_get(args, "no-cache") != NULL;
    m.options.build.defines = m.defines;
    if (status == GRADUS_OK)
        status = read_inputs(args, &m, &inputs, &error);
    for (int i = 0; i < args->operand_count && status == GRADUS_OK; i++)
        if (!gr_ends_with(args->operands[i], ".npy"))
            status =
                gr_rungs_add_operand(&m, args->operands[i], gr_str_text(&extra), &rungs, &error);
    fit_size(args, &rungs, &m);
    if (status == GRADUS_OK)
        status = gr_measuring_run(&m, "run", &rows, &error);
    enum gr_exit code = status == GRADUS_OK ? gr_measuring_show(&m, &rows) : gr_cli_fail(&error);
    gr_run_free(&rows);
    gr_measuring_free(&m);
    gr_rungs_free(&rungs);
    gr_input_files_free(&inputs);
    gr_str_free(&extra);
    gradus_error_clear(&error);
    return code;
}

/* The time of the latest change of any of the files, in nanoseconds. */
static int64_t latest_change_ns(const struct gr_args *args)
{
    int64_t latest = 0;
    for (int i = 0; i < args->operand_count; i++) {
        struct stat st;
        if (stat(args->operands[i], &st) != 0)
            continue;
        int64_t ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        latest = ns > latest ? ns : latest;
    }
    return latest;
}

static enum gr_exit run(const struct gr_args *args)
{
    if (!gr_args_get(args, "watch"))
        return run_once(args);
    for (;;) {
        int64_t seen_ns = latest_change_ns(args);
        enum gr_exit code = run_once(args);
        if (gr_stop_requested())
            return code == GR_EXIT_USAGE ? code : GR_EXIT_INTERRUPTED;
        fprintf(stdout, "\nwatching for changes; Ctrl-C ends\n");
        fflush(stdout);
        while (latest_change_ns(args) == seen_ns && !gr_stop_requested())
            gr_sleep_ns(200000000);
        if (gr_stop_requested())
            return GR_EXIT_INTERRUPTED;
    }
}

const struct gr_verb gr_verb_run = {
    .name = "run",
    .operands = "FILE|RUNG…",
    .summary = "verify and time your own kernels against the best peer",
    .details =
        "A kernel is a C function, or in a .cu or .hip file a CUDA or HIP kernel. Its parameters "
        "are matched by name and type, in any order: M N K alpha A lda B ldb beta C ldc (int or "
        "int64_t; leading dimensions, alpha and beta may be missing). Properties of the kernel can "
        "be given in `//@` lines at the top of the file: see gradus init. A rung's name or number "
        "in place of a file measures that rung.\n\n"
        "A file with several kernels has a row for each that can be a GEMM, in the file's order; "
        "--kernel chooses one or several. A kernel that cannot be launched, or that is a step of a "
        "product, is skipped in a line that says why.\n\n"
        "A compile error, a crash, exit(), an endless loop and a wrong result are verdicts "
        "(status 1).\n\n" GR_MEASURING_ENDING "Examples:\n"
        "  gradus run my_gemm.c\n"
        "  gradus run my_gemm.c --size 512,1000 --dtype f64 --threads 1\n"
        "  gradus run 12 my_gemm.cu --device cuda\n"
        "  gradus run v1.c v2.c --cc clang --flags '-O3 -march=native -ffast-math'\n"
        "  gradus run worklog.cu --device sim\n"
        "  gradus run my_gemm.c --kernel gemm_v1,gemm_v2 --watch",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .run = run,
};

/* verb_explain.c: gradus explain: shows what a GPU kernel requests from memory and what limits it,
 * without a GPU. SPDX-License-Identifier: MIT */
#include "cli/metavar.h"
#include "cli/device_arg.h"
#include "cli/choose.h"
#include "cli/counting.h"
#include "report/explained_report.h"
#include "cli/explaining.h"
#include "cli/steps.h"
#include "cli/style.h"

#include "backend/gpu_compile.h"
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "explain/counters.h"
#include "explain/list_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gr_option options[] = {
    {"arch", 0, "sm_NN|gfxNNNN", false, "compile for it, as sm_86 (default: the GPU's)"},
    {"gpu", 0, "GPU", false, "t4, a100, rtx3070, h200 …: which GPU's data (default: h200)"},
    {"device-file", 0, "FILE.txt", false, "a file with the data of another GPU"},
    {"size", 0, "SIZE", true,
     "1024 or MxNxK (default: 4096); of a kernel that is no GEMM its sizes by name, as "
     "N=1024,M=512"},
    {"dtype", 0, GR_TYPES_WORDS, false, "element types (default: the kernel's first)"},
    {"trans", 0, "nn|nt|tn|tt", false, "which of A and B are stored transposed"},
    {"param", 0, "NAME=VALUE", true, "a parameter of the kernel, as BM=64"},
    {"kernel", 0, "NAME,...", false,
     "which functions of the file (default: each that can be a GEMM)"},
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
    {"array", 0, "ARRAYS", true,
     "the arrays of a kernel that is no GEMM, as `in x f32[N,M], out y f32[N]`"},
    {"flop", 0, "EXPR", false, "its floating-point operations, as `2*N*M`"},
    {"bytes", 0, "EXPR", false, "the bytes that it must move (default: each array once)"},
    {"define", 0, "NAME=VALUE", true, "a macro for the compiler"},
    {"flags", 0, "FLAGS", false, "compiler flags (default: the file's)"},
    {"no-cache", 0, NULL, false, "compile again, without the cache"},
    GR_OPTION_REORDER_FFMA,
    {"device", 0, GR_METAVAR_GPU_DEVICE, false, "cuda: for the GPU of this machine (default: sim)"},
    {"time-limit", 0, "SECONDS", false, "trace blocks for so much processor time (default: 8)"},
    {"all-blocks", 0, NULL, false,
     "trace every block, and not one of each class: all counts are of the whole grid"},
    {"simulate", 0, "yes|no", false, "count accesses by the simulator (default: yes)"},
    {"engine", 0, "code|source", false,
     "simulate the machine code or the source (default: both, each for what it knows best)"},
    {"shapes", 0, "yes|no", false,
     "look for faults at edge shapes and for overflow at large ones (default: yes, of a file)"},
    {"strict", 0, NULL, false, "reading C when beta is 0 is a fault"},
    {"against", 0, "KERNEL", false,
     "a rung, FILE, FILE:NAME or NAME in the file, to compare it with"},
    {"counters", 0, NULL, false,
     "run it there under ncu or rocprofv3, and show what the GPU counts"},
    {"ptx", 0, "FILE.ptx", false, "write the PTX; - writes it instead of the explanation"},
    {"cubin", 0, "FILE.cubin", false, "write the machine code, likewise"},
    {"format", 0, GR_METAVAR_FORMAT, false, "what to print (default: table)"},
    {"code", 0, NULL, false,
     "list the machine code by source line: executions, shares and requests"},
    {"report", 0, "DIR", false, "write a page with pictures there as well"},
    {"site", 0, "LINE[:COLUMN]", false, "the place that it draws (default: the worst)"},
    GR_OPTION_KERNEL_DIR,
    {0},
};

/* Writes to a file, or to standard output if the path is "-". */
static enum gradus_status put(const char *path, const void *bytes, size_t length,
                              struct gradus_error *error)
{
    if (strcmp(path, "-") != 0)
        return gr_file_write(path, bytes, length, error);
    if (fwrite(bytes, 1, length, stdout) != length || fflush(stdout) != 0)
        return gr_fail(error, GRADUS_IO, "standard output cannot be written");
    return GRADUS_OK;
}

static enum gradus_status write_code(const struct gr_explaining *w, struct gradus_error *error)
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
    const struct gr_gpu_target target = {w->gpu.device.name, w->gpu.arch, (int)w->gpu.device.cc};
    char *ptx = NULL;
    status = gr_gpu_compile_assembly(&w->variant, &w->build, &target, &ptx, error);
    if (status == GRADUS_OK)
        status = put(ptx_path, ptx, strlen(ptx), error);
    free(ptx);
    return status;
}

/* Counting requires that the kernel runs in a child process, as with `gradus run` and `gradus
 * ladder`. If it cannot be counted, this is only a note, and the explanation is shown all the
 * same. */
static enum gradus_status count(struct gr_explaining *w, const struct gr_explain *ask,
                                struct gradus_error *error)
{
    const char *words[GR_COUNTING_WORDS + 1], *kernels[GR_MAX_STANZAS + 1] = {0};
    char self[4096], size[64];
    struct gr_str csv = {0};
    for (int i = 0; i < w->kernel->stanza_count; i++)
        kernels[i] = w->kernel->stanzas[i].signature.name;
    enum gradus_status status =
        gr_counting_command(w->args, w->kernel, &w->problem, w->gpu.device.cc > 0 ? "cuda" : "hip",
                            self, size, words, error);
    if (status == GRADUS_OK)
        status = gr_counters_run(ask->arch, words, kernels, &csv, error);
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

/* Lists the code after the report, whose page shows the code in its own way. */
static enum gradus_status list_code(struct gr_explaining *w, struct gradus_error *error)
{
    return gr_args_get(w->args, "code") ? gr_list_code(w->kernel, &w->explained, error) : GRADUS_OK;
}

static void show(const struct gr_args *args, const struct gr_explaining *both, int count)
{
    const char *format = gr_args_get(args, "format");
    const struct gr_style style = gr_cli_style(STDOUT_FILENO);
    const struct gr_explained_head heads[] = {gr_explaining_head(&both[0]),
                                              gr_explaining_head(&both[count - 1])};
    const struct gr_explained *const explained[] = {&both[0].explained, &both[count - 1].explained};
    struct gr_str out = {0};
    gr_format_find(format ? format : "table")->explain(heads, explained, count, &style, &out);
    fwrite(gr_str_text(&out), 1, out.length, stdout);
    gr_str_free(&out);
}

static bool is(const struct gr_args *args, const char *option, const char *value)
{
    const char *given = gr_args_get(args, option);
    return given && strcmp(given, value) == 0;
}

/* Returns 1 if a claim of the file is false, or the simulator has detected a fault; 3 if a
 * simulation was explicitly requested and is not possible. */
static enum gr_exit exit_of(const struct gr_args *args, const struct gr_explained *explained)
{
    const struct gr_explanation *e = &explained->explanation;
    const char *verdict = gr_explained_verdict(explained);
    bool wanted = gr_device_arg_is_simulated(args) && !is(args, "simulate", "no");
    for (int i = 0; i < e->expectation_count; i++)
        if (e->expectations[i].verdict == GR_EXPECT_FALSE)
            return GR_EXIT_WRONG;
    if (verdict && strcmp(verdict, "faults") == 0)
        return GR_EXIT_WRONG;
    if (wanted && explained->trace_count == 0)
        return GR_EXIT_NOTHING;
    return GR_EXIT_RIGHT;
}

static enum gradus_status report(const struct gr_explaining *both, int count,
                                 struct gradus_error *error)
{
    const char *directory = gr_args_get(both->args, "report"),
               *site = gr_args_get(both->args, "site");
    struct gr_explained_kernel kernels[2];
    for (int i = 0; i < count; i++)
        kernels[i] = (struct gr_explained_kernel){gr_explaining_head(&both[i]), &both[i].variant,
                                                  &both[i].explained};
    if (!directory)
        return GRADUS_OK;
    return count > 1 ? gr_explained_report_pair(directory, site, kernels, error)
                     : gr_explained_report(directory, site, kernels, error);
}

/* Does everything that is requested for one kernel. */
static enum gradus_status explain(struct gr_explaining *w, const struct gr_follower *follower,
                                  struct gradus_error *error)
{
    struct gr_explain ask = gr_explaining_ask(w);
    ask.follower = follower;
    enum gradus_status status = gr_explain(&ask, &w->explained, error);
    if (status == GRADUS_OK && gr_args_get(w->args, "counters")) {
        gr_follower_stage(follower, "counting on the GPU");
        status = count(w, &ask, error);
    }
    return status;
}

/* Does everything that is requested for the kernels, with progress: two steps for each kernel, and
 * further ones for some options. */
static enum gradus_status explain_all(struct gr_explaining *both, int count,
                                      struct gradus_error *error)
{
    const struct gr_args *args = both[0].args;
    bool counted = gr_args_get(args, "counters") != NULL,
         paged = gr_args_get(args, "report") != NULL;
    char size[64];
    const struct gr_problem *p = &both[0].problem;
    gr_kernel_size_name(both[0].kernel, p, size, sizeof size);
    char *what = gr_printf("%s %s", both[0].kernel->name, size);
    struct gr_steps steps;
    enum gradus_status status = GRADUS_OK;
    gr_steps_begin(&steps, what ? what : "", (2 + counted) * count + paged);
    for (int i = 0; i < count && status == GRADUS_OK; i++)
        status = explain(&both[i], &steps.follower, error);
    if (paged)
        gr_follower_stage(&steps.follower, "drawing");
    if (status == GRADUS_OK)
        status = write_code(&both[0], error);
    if (status == GRADUS_OK)
        status = report(both, count, error);
    if (status == GRADUS_OK)
        status = list_code(&both[0], error);
    gr_steps_end(&steps);
    free(what);
    return status;
}

static bool executes(const struct gr_args *args)
{
    return !is(args, "simulate", "no") && !is(args, "engine", "source");
}

static enum gradus_status refuse_options(const struct gr_args *args, struct gradus_error *error)
{
    static const char *const alone[] = {"ptx", "cubin", "counters", "code"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (gr_args_get(args, "against") && gr_args_get(args, alone[i]))
            return gr_fail(error, GRADUS_INVALID,
                           "explain: --%s is of one kernel, not for --against", alone[i]);
    if (gr_args_get(args, "code") && !executes(args))
        return gr_fail(
            error, GRADUS_INVALID,
            "explain: --code lists what was executed: not with --simulate no or --engine "
            "source");
    if (gr_args_get(args, "code") && is(args, "format", "csv"))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --code is for --format table or md, and JSON has each instruction "
                       "without it: found --format csv");
    if (gr_args_get(args, "site") && !gr_args_get(args, "report"))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --site is for --report DIR, which draws it");
    if (gr_args_get(args, "counters") && gr_device_arg_is_simulated(args))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --counters are of a GPU: found --device %s, wanted "
                       "cuda[:N]|hip[:N]",
                       gr_args_get(args, "device"));
    return GRADUS_OK;
}

/* The worse of the exit statuses of two kernels. */
static enum gr_exit worse(enum gr_exit code, enum gr_exit one)
{
    return one == GR_EXIT_WRONG || code == GR_EXIT_RIGHT ? one : code;
}

/* ---- One kernel, or two beside each other. ---- */

static enum gr_exit run_kernels(const struct gr_args *args)
{
    struct gr_explaining both[2] = {{0}, {0}};
    struct gradus_error error = {0};
    const char *against = gr_args_get(args, "against");
    int count = against ? 2 : 1;
    enum gradus_status status = refuse_options(args, &error);
    for (int i = 0; i < count && status == GRADUS_OK; i++)
        status = gr_explaining_prepare(args, i ? against : args->operands[0], i ? &both[0] : NULL,
                                       &both[i], &error);
    if (status == GRADUS_OK)
        status = explain_all(both, count, &error);
    enum gr_exit code = GR_EXIT_RIGHT;
    if (status != GRADUS_OK) {
        code = gr_cli_fail(&error);
    } else {
        if (!is_dash(gr_args_get(args, "ptx")) && !is_dash(gr_args_get(args, "cubin")))
            show(args, both, count);
        for (int i = count - 1; i >= 0; i--)
            code = worse(code, exit_of(args, &both[i].explained));
    }
    for (int i = 0; i < count; i++)
        gr_explaining_free(&both[i]);
    gradus_error_clear(&error);
    return code;
}

/* ---- Several kernels of a file, one after another. ---- */

/* Is only one kernel wanted? */
static bool is_of_one(const struct gr_args *args)
{
    static const char *const words[] = {"against", "report", "counters", "code", "ptx", "cubin"};
    bool one = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        one |= gr_args_get(args, words[i]) != NULL;
    return one;
}

/* Explains one of several kernels. UNSUPPORTED: it is left out, and a note has said why. */
static enum gradus_status explain_one(const struct gr_args *args, const struct gr_several *several,
                                      int i, struct gr_explaining *w, struct gradus_error *error)
{
    enum gradus_status status = gr_explaining_prepare_one(args, several, i, w, error);
    if (status == GRADUS_UNSUPPORTED && w->rungs.file_count > 0)
        gr_cli_note("%s", error->text);
    return status == GRADUS_OK ? explain_all(w, 1, error) : status;
}

/* Prints what is printed when all kernels are explained: one document of the format. */
static void show_document(const struct gr_format *format, const struct gr_explaining *all,
                          int count)
{
    const struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_explained_head *heads = calloc((size_t)count + 1, sizeof *heads);
    const struct gr_explained **explained = calloc((size_t)count + 1, sizeof *explained);
    struct gr_str out = {0};
    for (int i = 0; i < count && heads && explained; i++) {
        heads[i] = gr_explaining_head(&all[i]);
        explained[i] = &all[i].explained;
    }
    if (count > 0 && heads && explained)
        format->explain(heads, explained, count, &style, &out);
    fwrite(gr_str_text(&out), 1, out.length, stdout);
    gr_str_free(&out);
    free(heads);
    free(explained);
}

static enum gr_exit run_several(const struct gr_args *args, const struct gr_several *several)
{
    const char *name = gr_args_get(args, "format");
    const struct gr_format *format = gr_format_find(name ? name : "table");
    struct gr_explaining *all = calloc((size_t)several->list.count, sizeof *all);
    struct gradus_error error = {0};
    enum gr_exit code = GR_EXIT_RIGHT;
    enum gradus_status status = all ? GRADUS_OK : gr_fail_memory(&error, "kernels", sizeof *all);
    int shown = 0;
    gr_several_note(several);
    for (int i = 0; i < several->list.count && status == GRADUS_OK; i++) {
        struct gr_explaining *w = &all[shown];
        status = explain_one(args, several, i, w, &error);
        if (status == GRADUS_UNSUPPORTED && w->rungs.file_count > 0) {
            gr_explaining_free(w);
            gradus_error_clear(&error);
            status = GRADUS_OK;
            continue;
        }
        shown++;
        if (status != GRADUS_OK)
            break;
        if (!format->joins) {
            printf("%s", shown > 1 ? "\n" : "");
            show(args, w, 1);
            fflush(stdout);
        }
        code = worse(code, exit_of(args, &w->explained));
    }
    if (status != GRADUS_OK)
        code = gr_cli_fail(&error);
    else if (shown == 0)
        code = GR_EXIT_NOTHING;
    else if (format->joins)
        show_document(format, all, shown);
    for (int i = 0; i < shown; i++)
        gr_explaining_free(&all[i]);
    free(all);
    gradus_error_clear(&error);
    return code;
}

static enum gr_exit run(const struct gr_args *args)
{
    struct gr_several several;
    struct gradus_error error = {0};
    enum gr_exit code;
    enum gradus_status status = gr_explaining_several(args, args->operands[0], &several, &error);
    if (status != GRADUS_OK)
        code = gr_cli_fail(&error);
    else
        code = several.list.count > 1 && !is_of_one(args) ? run_several(args, &several)
                                                          : run_kernels(args);
    gr_several_free(&several);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_explain = {
    .name = "explain",
    .operands = "KERNEL [SIZE]",
    .summary = "show a GPU kernel's resources, its memory accesses, and what limits it",
    .details =
        "KERNEL is a rung as `gradus list --device cuda` names it, a file, or NVIDIA's machine "
        "code. A source is compiled where a compiler for the GPU is found (NVIDIA's libnvrtc; for "
        "AMD's GPUs a clang with the AMDGPU back end), and its machine code is read: registers, "
        "spills, shared memory, the instructions of its hot loop. Occupancy, the least time and "
        "the arithmetic intensities are derived step by step.\n\n"
        "Its source is also compiled for this machine and simulated, a thread at a time: sectors a "
        "request, bank conflicts and bytes moved are counted for each line that touches memory, "
        "and faults are looked for. `--code` lists the instructions that were executed below their "
        "source lines; the page of `--report` shows them beside the source. docs/explain.md goes "
        "through the output of several kernels, docs/simulator.md says which counts are exact and "
        "what is not modelled. The file's `expect` lines are checked. A false one, or a fault, "
        "makes the exit status 1; advice does not. With `--device sim` given explicitly, a kernel "
        "that cannot be simulated makes it 3.\n\n"
        "A kernel that is no GEMM (a transpose, a softmax, a reduction) is explained in the same "
        "way if its file or the options give its sizes and arrays; docs/kernels-howto.md describes "
        "the lines. There is no reference for what it computes, so its values are not verified.\n\n"
        "Of a file with several kernels each that can be a GEMM is explained, one after another; "
        "--kernel chooses one or several, separated by commas. --against, --report, --counters, "
        "--code, --ptx and --cubin are of one.\n\n"
        "Machine code is a cubin, a fatbin, or a program, library or object file that nvcc made; "
        "of several architectures --arch chooses one. It is executed as it is, for sm_75 to "
        "sm_120, without any compiler. --kernel names the function by its symbol or its name in "
        "C++. What machine code does not contain must be given: --args in the order of the "
        "parameters, --grid, and --block unless the kernel requires one. In --args A, B, C and "
        "arrays are pointers, alpha, beta and numbers with a point are floating-point, and the "
        "rest are integers, unless the symbol contains the types. A product is compared with a "
        "reference.\n\n"
        "A device file has one fact on each line, `KEY VALUE | SOURCE`, with the keys of the "
        "built-in ones (devices/h200.txt in the source).\n\n"
        "  gradus explain 7 --arch sm_86\n"
        "  gradus explain 7 --arch gfx90a\n"
        "  gradus explain 9 16384x4096x4096 --gpu a100 --param BK=16\n"
        "  gradus explain my.cu --grid 'cdiv(N,32),cdiv(M,32)' --block 32,32\n"
        "  gradus explain transpose.cu --array 'in f32[N,M], out f32[M,N]' \\\n"
        "      --size N=1024,M=512 --grid 'cdiv(M,32),cdiv(N,32)' --block 32,32\n"
        "  gradus explain my.cubin --kernel 'tile<32, float>' --args A,B,C,M,N,K \\\n"
        "      --block 32,32 --grid 'cdiv(N,32),cdiv(M,32)'\n"
        "  gradus explain ./program --arch sm_80 --kernel gemm --args M,N,K,A,B,C \\\n"
        "      --block 256 --grid 'cdiv(N,128),cdiv(M,128)'\n"
        "  gradus explain 7 --against 9 --size 1024 --report build/pair\n"
        "  gradus explain 7 --format json --cubin tile.cubin\n"
        "  gradus explain 7 --ptx - | less\n"
        "  gradus explain 7 --code | less\n"
        "  gradus explain 7 --report build/explained --site 38\n"
        "  gradus explain 7 --device cuda --counters\n"
        "  gradus explain my.hip --device hip --counters",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};

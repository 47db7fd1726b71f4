/* verb_gemm.c: gradus gemm A.npy B.npy -o C.npy: multiplies matrices in files.
 * SPDX-License-Identifier: MIT */
#include "cli/metavar.h"
#include "base/str.h"
#include "cli/device_arg.h"
#include "cli/gpus_arg.h"
#include "cli/ranks.h"
#include "cli/steps.h"
#include "cli/timeline.h"
#include "cli/verb.h"
#include "cpu/cpu.h"
#include "files/gemm_files.h"
#include "files/gemm_mpi.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gr_option options[] = {
    {"output", 'o', "FILE", false, "where the product goes; - is standard output"},
    {"alpha", 0, "NUMBER", false, "the factor of the product (default 1)"},
    {"beta", 0, "NUMBER", false, "the factor of C0 (default 1 with --c, else 0)"},
    {"c", 0, "FILE", false, "C0, to be added; same shape as the product"},
    {"trans-a", 0, NULL, false, "take A transposed"},
    {"trans-b", 0, NULL, false, "take B transposed"},
    {"raw", 0, "bf16|f16|e4m3|e5m2", false, "words of u2, V2, u1 or V1 are such numbers"},
    {"verify", 0, NULL, false, "compare with a float64 reference; write nothing if it is wrong"},
    {"threads", 0, "N", false, "threads (default: as many as this process may use)"},
    {"device", 0, GR_METAVAR_DEVICE, false, "where to compute (default: cpu)"},
    GR_OPTION_ENGINE,
    {"mpi", 0, NULL, false, "by all ranks of the mpirun that started this"},
    {"timeline", 0, "table|json", false,
     "with --mpi or several GPUs: how long each computed, and waited"},
    {"device-mem", 0, "SIZE", false, "use no more of the GPU's memory: 256M, 2G"},
    {0},
};

/* Reads the number of an option; *value is not changed if it is not given. Returns false, after a
 * message, for anything that is not a number. */
static bool read_number(const struct gr_args *args, const char *name, double *value)
{
    const char *text = gr_args_get(args, name);
    if (!text)
        return true;
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number)) {
        gr_cli_refuse("--%s: found '%.80s', wanted a finite number", name, text);
        return false;
    }
    *value = number;
    return true;
}

static bool read_threads(const struct gr_args *args, int *threads)
{
    const char *text = gr_args_get(args, "threads");
    *threads = gr_cpu_threads_default();
    if (!text)
        return true;
    char *end;
    errno = 0;
    long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
    if (number < 1 || number > 4096 || *end || errno) {
        gr_cli_refuse("--threads: found '%.80s', wanted a number from 1 to 4096", text);
        return false;
    }
    *threads = (int)number;
    return true;
}

/* Prints the verdict to stderr, because standard output may be the product. */
static enum gr_exit print_verdict(const char *out, const struct gr_gemm_files_outcome *outcome)
{
    const struct gr_check *check = &outcome->check;
    const struct gr_worst *w = &check->worst;
    if (check->right) {
        fprintf(stderr, "%s: right: %s", out, check->checked_by);
        if (w->known)
            fprintf(stderr, "; worst C[%" PRId64 ",%" PRId64 "], ratio %.3g of %.3g", w->row,
                    w->col, w->ratio, w->limit);
        fputc('\n', stderr);
        return GR_EXIT_RIGHT;
    }
    fprintf(stderr, "%s: wrong, not written: %s\n", out, check->checked_by);
    for (int i = 0; i < outcome->findings.count; i++)
        fprintf(stderr, "  %s\n", outcome->findings.items[i].text);
    return GR_EXIT_WRONG;
}

static enum gr_exit multiply(const struct gr_gemm_files *request, bool json)
{
    struct gr_gemm_files_outcome outcome;
    struct gradus_error error = {0};
    enum gr_exit status = GR_EXIT_RIGHT;
    const char *out = strcmp(request->out, "-") == 0 ? "standard output" : request->out;
    struct gr_steps steps;
    char *what = gr_printf("%s = %s x %s", out, request->a, request->b);
    struct gr_gemm_files followed = *request;
    followed.follower = &steps.follower;
    gr_steps_begin(&steps, what ? what : "", request->verify ? 4 : 3);
    enum gradus_status done = gr_gemm_files_run(&followed, &outcome, &error);
    gr_steps_end(&steps);
    free(what);
    if (done != GRADUS_OK)
        status = gr_cli_fail(&error);
    else {
        if (outcome.widened)
            fprintf(stderr, "%s: %s input is computed and written as %s\n", out,
                    outcome.narrow == GR_F16 ? "f2" : gr_dtype_name(outcome.narrow),
                    outcome.type == GR_F64 ? "f8" : "f4");
        if (request->verify)
            status = print_verdict(out, &outcome);
        if (request->timeline)
            gr_timeline_print(&outcome.plan, outcome.timelines, json);
    }
    gr_findings_free(&outcome.findings);
    gradus_error_clear(&error);
    return status;
}

/* Reads a number of bytes such as "256M", with K, M, G or T for powers of 1024. */
static bool read_memory(const struct gr_args *args, int64_t *bytes)
{
    static const char units[] = "KMGT";
    const char *text = gr_args_get(args, "device-mem");
    if (!text)
        return true;
    char *end;
    double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    const char *unit = number > 0 && *end ? strchr(units, *end) : NULL;
    if (unit) {
        number *= (double)((int64_t)1 << (10 * (unit - units + 1)));
        end++;
    }
    if (number < 1 << 20 || number > 1e18 || *end) {
        gr_cli_refuse("--device-mem: found '%.80s', wanted a size of 1M or more, as 256M or 2G",
                      text);
        return false;
    }
    *bytes = (int64_t)number;
    return true;
}

static enum gr_exit multiply_by_ranks(const struct gr_gemm_files *request, const char *timeline)
{
    struct gr_ranks ranks;
    struct gradus_error error = {0};
    struct gr_gemm_mpi_outcome outcome = {.timeline = timeline != NULL};
    enum gradus_status status = gr_ranks_open(&ranks, &error);
    if (status == GRADUS_OK)
        status = gr_gemm_files_mpi(request, &ranks.comm, &outcome, &error);
    if (status == GRADUS_OK && timeline && ranks.comm.rank == 0)
        gr_timeline_print(&outcome.plan, outcome.timelines, strcmp(timeline, "json") == 0);
    free(outcome.timelines);
    return gr_ranks_close(&ranks, status, &error);
}

static enum gr_exit run(const struct gr_args *args)
{
    struct gradus_error error = {0};
    struct gr_gemm_files request = {.a = args->operands[0],
                                    .b = args->operands[1],
                                    .c0 = gr_args_get(args, "c"),
                                    .out = gr_args_get(args, "output"),
                                    .alpha = 1,
                                    .trans_a = gr_args_get(args, "trans-a") != NULL,
                                    .trans_b = gr_args_get(args, "trans-b") != NULL,
                                    .verify = gr_args_get(args, "verify") != NULL};
    enum gr_dtype raw;
    if (gr_args_get(args, "raw") && gr_dtype_parse(gr_args_get(args, "raw"), &raw))
        request.raw = &raw;
    request.beta = request.c0 ? 1 : 0;
    if (!request.out || !*request.out)
        return gr_cli_refuse("gemm: no output: add -o C.npy (or -o - for standard output)");
    if (!read_number(args, "alpha", &request.alpha) || !read_number(args, "beta", &request.beta) ||
        !read_threads(args, &request.threads) || !read_memory(args, &request.memory_bytes))
        return GR_EXIT_USAGE;
    request.several = gr_gpus_arg_is(args);
    if (request.several) {
        request.device = gr_device_ref_cpu();
        if (gr_gpus_arg(args, request.gpus, &request.gpu_count, &error) != GRADUS_OK)
            return gr_cli_fail(&error);
    } else if (gr_device_arg(args, &request.device, &error) != GRADUS_OK ||
               gr_engine_arg(args, &request.device, &request.engine, &error) != GRADUS_OK)
        return gr_cli_fail(&error);
    const char *const timeline = gr_args_get(args, "timeline");
    if (timeline && !gr_args_get(args, "mpi") && !request.several)
        return gr_cli_refuse("gemm: --timeline goes with --mpi or --device cuda:all");
    request.timeline = timeline && request.several;
    if (request.timeline && strcmp(request.out, "-") == 0)
        return gr_cli_refuse(
            "gemm: --timeline: found -o -, wanted a file: both go to standard output");
    if (!gr_args_get(args, "mpi"))
        return multiply(&request, timeline && strcmp(timeline, "json") == 0);
    request.several =
        gr_args_get(args, "device") && strcmp(gr_args_get(args, "device"), "cuda") == 0;
    if (request.verify || (gr_args_get(args, "device") && !request.several) ||
        (gr_args_get(args, "device-mem") && !request.several))
        return gr_cli_refuse("gemm: --mpi excludes --verify, any --device but cuda, and without it "
                             "--device-mem");
    return multiply_by_ranks(&request, timeline);
}

const struct gr_verb gr_verb_gemm = {
    .name = "gemm",
    .operands = "A.npy B.npy",
    .summary = "multiply your own .npy matrices",
    .details =
        "Computes alpha op(A) op(B) + beta C0 and writes it in NumPy's format. Shapes follow "
        "numpy.matmul: vectors and empty dimensions too. Elements are f4 or f8, of either byte "
        "order, by rows or by columns (Fortran order); f2 is computed and written as f4, and mixed "
        "types become the wider one. NumPy has no bf16 and no 8-bit floats: with --raw they are "
        "read from words of their size, as .view('u2') makes them of PyTorch's or JAX's arrays.\n\n"
        "The output appears complete or not at all: until the product is complete (and, with "
        "--verify, found right), an existing file is unchanged.\n\n"
        "With --device cuda, blocks of the matrices stream through the GPU's memory, so that any "
        "of them may be larger than it. With --device cuda:all, or cuda:0,2, several GPUs share "
        "the work: each computes a block of C, and panels travel between them during the products. "
        "With --device sim, the GPU's kernel is simulated here: the result is right, but it is "
        "slow.\n\n"
        "With --mpi, the processes that mpirun started share the work: each reads and writes its "
        "part of files that all of them see. --timeline says for each rank how long it multiplied, "
        "how long panels of the matrices were in transit, and how long it only waited for them, "
        "beside what the plan predicted.\n\n"
        "With --mpi --device cuda, each of these processes uses one GPU, whose number is its rank "
        "on its machine, and panels travel by NCCL.\n\n"
        "  gradus gemm A.npy B.npy -o C.npy --verify\n"
        "  gradus gemm A.npy B.npy -o C.npy --c C.npy --alpha 0.5 --trans-b\n"
        "  gradus gemm A.npy x.npy -o - > y.npy\n"
        "  gradus gemm A.npy B.npy -o C.npy --device cuda:all --timeline table\n"
        "  mpirun -n 4 gradus gemm A.npy B.npy -o C.npy --mpi\n",
    .options = options,
    .group = GR_GROUP_MATRICES,
    .run = run,
};

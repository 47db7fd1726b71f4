/* tune_library.c: implements gradus tune library. SPDX-License-Identifier: MIT */
#include "cli/tune_library.h"

#include "backend/backend.h"
#include "base/file.h"
#include "cli/device_arg.h"
#include "cli/measuring.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "core/error.h"
#include "device/device_dispatch.h"
#include "measure/library_times.h"
#include "measure/sweep.h"
#include "measure/tuned_table.h"
#include "probe/probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Squares, all combinations of small and large dimensions, few rows, few columns, small and large
 * k, and lengths of rows that are not multiples of a vector. */
static const char default_sizes[] =
    "64,128,256,384,512,768,1000,1023,1024,1536,2048,3072,4095,4096,8192,"
    "64x64x1024,64x64x4096,64x1024x64,64x1024x1024,64x1024x4096,64x4096x64,64x4096x1024,"
    "64x4096x4096,256x256x64,256x256x1024,256x256x4096,256x1024x256,256x1024x1024,256x4096x64,"
    "256x4096x256,256x4096x1024,256x4096x4096,1024x64x64,1024x64x1024,1024x64x4096,1024x256x256,"
    "1024x256x1024,1024x256x4096,1024x1024x64,1024x1024x256,1024x1024x4096,1024x4096x64,"
    "1024x4096x256,1024x4096x1024,1024x4096x4096,4096x64x64,4096x64x1024,4096x64x4096,"
    "4096x256x256,4096x256x1024,4096x256x4096,4096x1024x64,4096x1024x256,4096x1024x1024,"
    "4096x1024x4096,4096x4096x64,4096x4096x256,4096x4096x1024,"
    "1x1024x1024,1x4096x4096,4x1024x1024,4x4096x4096,16x1024x1024,16x1024x4096,16x4096x1024,"
    "16x4096x4096,1024x1x1024,4096x1x4096,1024x4x1024,4096x4x4096,1024x16x1024,4096x16x4096,"
    "128x4096x4096,4096x128x4096,4096x4096x128,"
    "256x256x4,1024x1024x4,4096x4096x4,256x256x16,1024x1024x16,4096x4096x16,4096x4096x32,"
    "64x64x65536,512x512x8192,300x5000x700,1023x511x257,2047x65x2049,33x4095x1001,"
    "1023x511x17,4095x2047x17,1601x2947x41,4097x701x97,4093x15x1021,15x4093x509,"
    "95x941x35,941x95x35,95x7111x35,7111x95x35,941x941x35,941x7111x35,7111x941x35,"
    "95x7111x107,7111x95x107,941x941x107,941x7111x107,7111x941x107,"
    "95x95x1013,95x941x1013,941x95x1013,941x941x1013,95x7111x1013,7111x95x1013";
static const double default_limit = 150;

struct library_run {
    const struct gr_args *args;
    struct gr_device_ref device;
    struct gr_size *sizes;
    int size_count;
    struct gr_library_asked asked;
    struct gr_library_times times;
    struct gr_run described; /* only its environment is used */
    struct gr_file_out file; /* of -o */
    bool to_file;
};

bool gr_tunes_library(const struct gr_args *args)
{
    return args->operand_count == 1 && strcmp(args->operands[0], "library") == 0;
}

/* ---- The request. ---- */

static enum gradus_status refuse_others(const struct gr_args *args, struct gradus_error *error)
{
    static const char *const known[] = {"output", "device", "size", "dtype", "trans", "time-limit"};
    for (int i = 0; i < args->given_count; i++) {
        const char *name = args->verb->options[args->given[i].option].name;
        bool is_known = false;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            is_known |= strcmp(name, known[j]) == 0;
        if (!is_known)
            return gr_fail(error, GRADUS_INVALID, "--%s is for a kernel, not for the library",
                           name);
    }
    return GRADUS_OK;
}

static enum gradus_status read_device(struct library_run *r, struct gradus_error *error)
{
    const enum gradus_status status = gr_device_arg(r->args, &r->device, error);
    if (status == GRADUS_OK && strcmp(r->device.backend->name, "cuda") != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "--device %s: the library has kernels for NVIDIA's GPUs: --device cuda",
                       r->device.text);
    r->asked.device = r->device.index;
    return status;
}

static enum gradus_status read_sizes(struct library_run *r, struct gradus_error *error)
{
    const char *size = gr_args_get_at(r->args, "size", 0);
    enum gradus_status status = GRADUS_OK;
    if (!size)
        status = gr_sizes_parse(default_sizes, &r->sizes, &r->size_count, error);
    for (int i = 0; status == GRADUS_OK && (size = gr_args_get_at(r->args, "size", i)); i++)
        status = gr_sizes_parse(size, &r->sizes, &r->size_count, error);
    for (int i = 0; status == GRADUS_OK && i < r->size_count; i++)
        if (r->sizes[i].m < 1 || r->sizes[i].n < 1 || r->sizes[i].k < 1)
            status = gr_fail(error, GRADUS_INVALID, "--size: found 0, wanted 1 or more");
    r->asked.sizes = r->sizes;
    r->asked.size_count = r->size_count;
    return status;
}

static enum gradus_status read_asked(struct library_run *r, struct gradus_error *error)
{
    static const char *const usual[] = {"f32", "f64", "bf16", "bf16-bf16"};
    static const char *const trans[] = {"nn", "nt", "tn", "tt"};
    static const char *given[1];
    const char *trans_given = gr_args_get(r->args, "trans");
    double seconds = default_limit;
    given[0] = gr_args_get(r->args, "dtype");
    r->asked.types = given[0] ? given : usual;
    r->asked.type_count = given[0] ? 1 : (int)(sizeof usual / sizeof *usual);
    for (int t = 0; t < 4; t++)
        r->asked.trans[t] = !trans_given || strcmp(trans_given, trans[t]) == 0;
    enum gradus_status status = refuse_others(r->args, error);
    if (status == GRADUS_OK)
        status = read_device(r, error);
    if (status == GRADUS_OK)
        status = read_sizes(r, error);
    if (status == GRADUS_OK && gr_args_get(r->args, "time-limit"))
        status = gr_measuring_number("time-limit", gr_args_get(r->args, "time-limit"), 0.01, 86400,
                                     &seconds, error);
    r->asked.limit_ns = (int64_t)(seconds * 1e9);
    return status;
}

/* ---- The results. ---- */

/* Returns the time that the library expects of a kernel for a product, with or without its table of
 * measured times. */
static double expected_us(const struct library_run *r, const struct gr_library_time *t,
                          bool by_table)
{
    const struct gr_device_kernel *k = &gr_device_kernels[t->kernel];
    struct gr_device_gpu gpu = *r->times.gpu;
    const struct gradus_gemm gemm = {
        .a_type = k->a_type, .b_type = k->b_type, .c_type = k->c_type, .sum_type = k->sum_type};
    const struct gr_device_given given = {.m = t->m,
                                          .n = t->n,
                                          .k = t->k,
                                          .lda = t->trans & 2 ? t->m : t->k,
                                          .ldb = t->trans & 1 ? t->k : t->n,
                                          .ldc = t->n,
                                          .alpha = 1,
                                          .trans_a = t->trans >> 1,
                                          .trans_b = t->trans & 1,
                                          .sms = gpu.sms,
                                          .smem_max = gpu.smem_max,
                                          .cc = gpu.cc,
                                          .warp = gpu.warp,
                                          .batch = 1};
    double us = INFINITY;
    bool admitted;
    gpu.points = by_table ? gpu.points : NULL;
    gr_device_expects(&gpu, &gemm, &given, t->kernel, &us, &admitted);
    return us;
}

/* How much longer the chosen kernel takes than the fastest one: the mean and the maximum. */
struct loss {
    double mean, most;
    int others; /* how often another kernel than the fastest is chosen */
};

static struct loss loss_of(const struct library_run *r, bool by_table)
{
    struct loss loss = {0};
    const struct gr_library_times *t = &r->times;
    for (int i = 0; i < t->count;) {
        double best = INFINITY, least = INFINITY, chosen = 0;
        for (int product = t->times[i].product; i < t->count && t->times[i].product == product;
             i++) {
            const double expected = expected_us(r, &t->times[i], by_table);
            best = fmin(best, t->times[i].us);
            chosen = expected < least ? t->times[i].us : chosen;
            least = fmin(least, expected);
        }
        const double one = chosen / best - 1;
        loss.mean += one / t->products;
        loss.most = fmax(loss.most, one);
        loss.others += one > 0;
    }
    return loss;
}

static void print_loss(const struct library_run *r, const char *by, bool by_table)
{
    const struct loss loss = loss_of(r, by_table);
    printf("  %-24s not the fastest in %d of %d, at a loss of %.2f %% in the mean and %.1f %% at "
           "most\n",
           by, loss.others, r->times.products, 100 * loss.mean, 100 * loss.most);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the line of a kernel: how far the model is from the measured times. */
static void print_kernel(const struct library_run *r, int kernel, double *ratios)
{
    int count = 0;
    for (int i = 0; i < r->times.count; i++)
        if (r->times.times[i].kernel == kernel)
            ratios[count++] = r->times.times[i].us / expected_us(r, &r->times.times[i], false);
    if (!count)
        return;
    qsort(ratios, (size_t)count, sizeof *ratios, by_value);
    printf("  %-24s %5d products, measured over the model's: %.2f in the median, %.2f to %.2f\n",
           gr_device_kernels[kernel].name, count, ratios[count / 2], ratios[0], ratios[count - 1]);
}

static enum gradus_status print(const struct library_run *r, struct gradus_error *error)
{
    const struct gr_library_times *t = &r->times;
    double *ratios = malloc(((size_t)t->count + 1) * sizeof *ratios);
    if (!ratios)
        return gr_fail_memory(error, "ratios", (size_t)t->count * sizeof *ratios);
    printf("The library's kernels on %s: %d products, %d times\n", t->gpu->name, t->products,
           t->count);
    for (int i = 0; i < gr_device_kernel_count; i++)
        print_kernel(r, i, ratios);
    free(ratios);
    if (t->products) {
        printf("What the library takes\n");
        print_loss(r, "by its models", false);
        if (t->gpu->points)
            print_loss(r, "with the table it has", true);
    }
    if (t->wrong)
        printf("WRONG: %d kernels were left out of a product, the first: %s\n", t->wrong,
               t->first_wrong);
    if (t->left)
        gr_cli_note("%d products were not reached in the time: --time-limit", t->left);
    return GRADUS_OK;
}

/* ---- The file. ---- */

static enum gradus_status write_file(struct library_run *r, struct gradus_error *error)
{
    struct gr_str text = {0};
    char driver[64] = "unknown";
    const int version = r->times.driver_version;
    if (version)
        snprintf(driver, sizeof driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    gr_tuned_format_head(r->times.gpu->name, driver, &r->described.environment, &text);
    gr_library_times_format(&r->times, &text);
    enum gradus_status status = text.failed ? gr_fail_memory(error, "the table", 0) : GRADUS_OK;
    if (status == GRADUS_OK &&
        fwrite(gr_str_text(&text), 1, text.length, r->file.stream) != text.length)
        status = gr_fail(error, GRADUS_IO, "%s: write error", r->file.path);
    gr_str_free(&text);
    if (status != GRADUS_OK)
        return status;
    r->to_file = false;
    return gr_file_out_commit(&r->file, error);
}

static void on_product(void *context, const char *product, int done, int all)
{
    char head[64];
    (void)context;
    snprintf(head, sizeof head, "[%d/%d]", done, all);
    gr_progress_format(head, product, -1);
}

static enum gradus_status run(struct library_run *r, struct gradus_error *error)
{
    const char *path = gr_args_get(r->args, "output");
    enum gradus_status status = read_asked(r, error);
    if (status == GRADUS_OK && path) {
        status = gr_file_out_open(&r->file, path, error);
        r->to_file = status == GRADUS_OK;
    }
    if (status == GRADUS_OK)
        status = gr_probe_environment(&r->described.environment, error);
    if (status != GRADUS_OK)
        return status;
    r->described.environment.command = gr_strdup(r->args->command);
    r->asked.on_product = on_product;
    gr_signals_defer();
    gr_progress_begin();
    status = gr_library_times_run(&r->asked, &r->times, error);
    gr_progress_end();
    if (status == GRADUS_OK)
        status = print(r, error);
    if (status == GRADUS_OK && r->to_file && r->times.count)
        status = write_file(r, error);
    return status;
}

enum gr_exit gr_tune_library(const struct gr_args *args)
{
    struct library_run r = {.args = args};
    struct gradus_error error = {0};
    const enum gradus_status status = run(&r, &error);
    const enum gr_exit code = status == GRADUS_INTERRUPTED ? GR_EXIT_INTERRUPTED
                              : status != GRADUS_OK        ? gr_cli_fail(&error)
                              : r.times.wrong              ? GR_EXIT_WRONG
                              : r.times.count              ? GR_EXIT_RIGHT
                                                           : GR_EXIT_NOTHING;
    if (status == GRADUS_INTERRUPTED)
        gr_cli_note("interrupted: nothing is written");
    if (r.to_file)
        gr_file_out_abandon(&r.file);
    gr_library_times_free(&r.times);
    gr_run_free(&r.described);
    free(r.sizes);
    gradus_error_clear(&error);
    return code;
}

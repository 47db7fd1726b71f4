/* devices_gpu_dispatch.c: shows how the library would compute a product on a GPU.
 * SPDX-License-Identifier: MIT */
#include "cli/devices_gpu_dispatch.h"

#include "core/error.h"
#include "base/str.h"
#include "cli/gpu_choice.h"
#include "cli/public_types.h"
#include "cli/style.h"
#include "device/device_dispatch.h"
#include "device/device_launch.h"
#include "device/device_tuned.h"
#include "io/json_out.h"
#include "records/problem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_COLUMNS = 22 };

struct question {
    char shape[80];
    const char *type, *trans, *math;
    struct gradus_gemm gemm;
    struct gr_gpu_choice choice;
    struct gr_device_gpu gpu;
    struct gr_device_given given;
    int kernel; /* the result */
    struct gr_device_plan plan;
    struct gr_device_gpu untuned; /* the GPU without measured times, and the result for it */
    int untuned_kernel;
};

bool gr_devices_names_gpu(const struct gr_args *args)
{
    const char *device = gr_args_get(args, "device");
    return gr_args_get(args, "gpu") || (device && strcmp(device, "cpu") != 0);
}

/* Returns the index of a word in a list; 0 for null. The option parser permits only words of the
 * list. */
static int place_of(const char *word, const char *const *words)
{
    int i = 0;
    while (word && strcmp(word, words[i]) != 0)
        i++;
    return i;
}

static void read_words(const struct gr_args *args, struct question *q)
{
    static const char *const maths[] = {"default", "ieee", "accurate", "scaled", "tf32"};
    const char *trans = gr_args_get(args, "trans");
    q->type = gr_public_types_init(&q->gemm, gr_args_get(args, "dtype"));
    q->gemm.math = (enum gradus_math)place_of(gr_args_get(args, "math"), maths);
    q->math = maths[q->gemm.math];
    q->trans = trans ? trans : "nn";
}

/* Chooses as the library would, with and without measured times. */
static enum gradus_status choose(struct question *q, struct gradus_error *error)
{
    q->untuned = q->gpu;
    q->gpu.points = gr_device_tuned_find(q->gpu.name, q->gpu.cc, q->gpu.sms);
    enum gradus_status status =
        gr_device_choose(&q->untuned, &q->gemm, &q->given, &q->untuned_kernel, &q->plan, error);
    q->plan = (struct gr_device_plan){0};
    return status == GRADUS_OK
               ? gr_device_choose(&q->gpu, &q->gemm, &q->given, &q->kernel, &q->plan, error)
               : status;
}

/* Reads a dense row-major product. Its addresses are aligned. */
static enum gradus_status read_question(const struct gr_args *args, struct question *q,
                                        struct gradus_error *error)
{
    int64_t m, n, k;
    read_words(args, q);
    enum gradus_status status = gr_size_parse(gr_args_get(args, "dispatch"), &m, &n, &k, error);
    if (status == GRADUS_OK)
        status = gr_gpu_choose(args, NULL, &q->choice, error);
    if (status != GRADUS_OK)
        return status;
    if (m < 1 || n < 1 || m > INT32_MAX || n > INT32_MAX || k > INT32_MAX)
        return gr_fail(error, GRADUS_INVALID,
                       "--dispatch: found sizes that launch nothing on a GPU, wanted m and n of 1 "
                       "or more, and 31 bits");
    const struct gr_device *d = &q->choice.device;
    const bool ta = q->trans[0] == 't', tb = q->trans[1] == 't';
    snprintf(q->gpu.name, sizeof q->gpu.name, "%s", d->name);
    snprintf(q->gpu.arch, sizeof q->gpu.arch, "%s", q->choice.arch);
    q->gpu.cc = (int)d->cc;
    q->gpu.sms = (int)d->sms;
    q->gpu.smem_max = (int)d->smem_per_block_bytes;
    q->gpu.warp = (int)d->warp;
    q->gemm.m = m, q->gemm.n = n, q->gemm.k = k;
    q->given = (struct gr_device_given){.m = m,
                                        .n = n,
                                        .k = k,
                                        .lda = ta ? m : k,
                                        .ldb = tb ? k : n,
                                        .ldc = n,
                                        .alpha = 1,
                                        .trans_a = ta,
                                        .trans_b = tb,
                                        .sms = d->sms,
                                        .smem_max = d->smem_per_block_bytes,
                                        .cc = d->cc,
                                        .warp = d->warp};
    gr_size_name(m, n, k, q->shape, sizeof q->shape);
    return choose(q, error);
}

/* Returns the architecture whose machine code is built into the library, or null. */
static const char *built_in(const struct question *q)
{
    for (int i = 0; gr_device_cubins[i]; i++)
        for (const struct gr_device_cubin *c = gr_device_cubins[i]; c->arch; c++)
            if (c->kernel == q->kernel && c->trans == q->given.trans_a * 2 + q->given.trans_b &&
                gr_device_arch_runs(c->arch, q->gpu.cc))
                return c->arch;
    return NULL;
}

static void add_heading(struct gr_str *out, const char *heading)
{
    const bool colour = gr_cli_style(STDOUT_FILENO).colour;
    gr_str_printf(out, "%s%s%s%s\n", out->length ? "\n" : "", colour ? "\033[1m" : "", heading,
                  colour ? "\033[0m" : "");
}

static void add_launches(const struct question *q, struct gr_str *out)
{
    const struct gr_device_kernel *k = &gr_device_kernels[q->kernel];
    for (int i = 0; i < q->plan.launch_count; i++) {
        const struct gr_device_launch *l = &q->plan.launches[i];
        gr_str_printf(out, "  %-*s%s: %lldx%lldx%lld blocks of %lld threads", NAME_COLUMNS - 2,
                      i ? "" : "launches", k->stanzas[l->stanza].name, (long long)l->grid[0],
                      (long long)l->grid[1], (long long)l->grid[2],
                      (long long)(l->block[0] * l->block[1] * l->block[2]));
        if (l->smem_bytes)
            gr_str_printf(out, ", %lld bytes of shared memory each", (long long)l->smem_bytes);
        gr_str_add(out, "\n");
    }
}

/* Appends which table of measured times was used, and what it has changed. */
static void add_points(const struct question *q, struct gr_str *out)
{
    const struct gr_device_points *p = q->gpu.points;
    if (!p) {
        gr_str_printf(out, "  %-*snone of any GPU: by the cost models alone\n", NAME_COLUMNS - 2,
                      "table");
        return;
    }
    gr_str_printf(out, "  %-*s%s, of %s%s\n", NAME_COLUMNS - 2, "table", p->file, p->gpu,
                  strcmp(p->gpu, q->gpu.name) == 0 ? "" : ": the nearest GPU that has one");
    gr_str_printf(out, "  %-*s%s\n", NAME_COLUMNS - 2, "without it",
                  q->kernel == q->untuned_kernel ? "the same kernel"
                                                 : gr_device_kernels[q->untuned_kernel].name);
}

static void add_expected(const struct question *q, struct gr_str *out)
{
    char heading[128];
    snprintf(heading, sizeof heading, "What each kernel is expected to take (us, by %s)",
             q->gpu.points ? "the table; in brackets by the cost model of an H100"
                           : "the cost model of an H100");
    add_heading(out, heading);
    for (int i = 0; i < gr_device_kernel_count; i++) {
        double us, untuned;
        bool admitted;
        if (!gr_device_expects(&q->gpu, &q->gemm, &q->given, i, &us, &admitted))
            continue;
        gr_str_printf(out, "  %-*s%10.1f", NAME_COLUMNS - 2, gr_device_kernels[i].name, us);
        if (q->gpu.points &&
            gr_device_expects(&q->untuned, &q->gemm, &q->given, i, &untuned, &admitted))
            gr_str_printf(out, " (%.1f)", untuned);
        gr_str_add(out, admitted ? "\n" : "  not by this math\n");
    }
}

static void render_table(const struct question *q, struct gr_str *out)
{
    const struct gr_device_kernel *k = &gr_device_kernels[q->kernel];
    char heading[320];
    double us = 0;
    bool admitted;
    gr_device_expects(&q->gpu, &q->gemm, &q->given, q->kernel, &us, &admitted);
    snprintf(heading, sizeof heading, "Dispatch of %s, %s, %s, math %s, on %s (%s)", q->shape,
             q->type, q->trans, q->math, q->gpu.name, q->gpu.arch);
    add_heading(out, heading);
    gr_str_printf(out, "  %-*s%s\n", NAME_COLUMNS - 2, "kernel", k->name);
    gr_str_printf(out, "  %-*s%.1f us expected, the least of those that the math admits\n",
                  NAME_COLUMNS - 2, "why", us);
    add_points(q, out);
    add_launches(q, out);
    gr_str_printf(out, "  %-*s%.1f MB\n", NAME_COLUMNS - 2, "workspace",
                  (double)gr_device_work_bytes(k, &q->plan) / 1e6);
    if (built_in(q))
        gr_str_printf(out, "  %-*sbuilt in, for %s\n", NAME_COLUMNS - 2, "code", built_in(q));
    else
        gr_str_printf(out, "  %-*snot built in: of the cache, or by NVRTC at the first call\n",
                      NAME_COLUMNS - 2, "code");
    add_expected(q, out);
}

static void render_json(const struct question *q, struct gr_str *out)
{
    const struct gr_device_kernel *k = &gr_device_kernels[q->kernel];
    struct gr_json writer = {.out = out}, *w = &writer;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-gpu-dispatch");
    gr_json_put_whole(w, "schema_version", 1);
    gr_json_put_whole(w, "m", q->gemm.m);
    gr_json_put_whole(w, "n", q->gemm.n);
    gr_json_put_whole(w, "k", q->gemm.k);
    gr_json_put_text(w, "dtype", q->type);
    gr_json_put_text(w, "trans", q->trans);
    gr_json_put_text(w, "math", q->math);
    gr_json_put_text(w, "gpu", q->gpu.name);
    gr_json_put_text(w, "arch", q->gpu.arch);
    gr_json_put_text(w, "kernel", k->name);
    gr_json_put_text(w, "table", q->gpu.points ? q->gpu.points->file : NULL);
    gr_json_put_text(w, "table_gpu", q->gpu.points ? q->gpu.points->gpu : NULL);
    gr_json_put_text(w, "kernel_without_table", gr_device_kernels[q->untuned_kernel].name);
    gr_json_put_whole(w, "workspace_bytes", gr_device_work_bytes(k, &q->plan));
    gr_json_put_text(w, "built_in", built_in(q));
    gr_json_open_array(w, "kernels", GR_JSON_LINES);
    for (int i = 0; i < gr_device_kernel_count; i++) {
        double us;
        bool admitted;
        if (!gr_device_expects(&q->gpu, &q->gemm, &q->given, i, &us, &admitted))
            continue;
        gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
        gr_json_put_text(w, "kernel", gr_device_kernels[i].name);
        gr_json_put_real(w, "expected_us", us);
        gr_json_put_bool(w, "admitted", admitted);
        gr_json_close(w);
    }
    gr_json_close(w);
    gr_json_close(w);
    gr_str_add(out, "\n");
}

enum gr_exit gr_devices_gpu_dispatch(const struct gr_args *args)
{
    const char *format = gr_args_get(args, "format");
    static struct question q;
    struct gradus_error error = {0};
    if (read_question(args, &q, &error) != GRADUS_OK) {
        const enum gr_exit failed = gr_cli_fail(&error);
        gradus_error_clear(&error);
        return failed;
    }
    struct gr_str out = {0};
    if (format && strcmp(format, "json") == 0)
        render_json(&q, &out);
    else
        render_table(&q, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    return GR_EXIT_RIGHT;
}

/* bench_gpus.c: implements gradus bench --device cuda:all. SPDX-License-Identifier: MIT */
#include "cli/bench_gpus.h"

#include "base/str.h"
#include "cli/gpus_arg.h"
#include "cli/measuring.h"
#include "core/error.h"
#include "measure/gpus_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct gr_size *sizes;
    int size_count;
    struct gr_gpus_task task; /* without the size */
    bool csv;
};

/* Options that have no meaning here are refused, not ignored. */
static enum gradus_status check_options(const struct gr_args *args, struct gradus_error *error)
{
    static const char *const known[] = {"device", "size",       "sizes",  "dtype",
                                        "math",   "time-limit", "format", "host"};
    for (int i = 0; i < args->given_count; i++) {
        const char *const name = args->verb->options[args->given[i].option].name;
        bool found = false;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            found |= strcmp(name, known[j]) == 0;
        if (!found)
            return gr_fail(error, GRADUS_INVALID, "bench: several GPUs exclude --%s", name);
    }
    if (args->operand_count > 0)
        return gr_fail(error, GRADUS_INVALID,
                       "bench: several GPUs measure the library: found '%.80s', wanted no kernel",
                       args->operands[0]);
    return GRADUS_OK;
}

static enum gradus_status read_sizes(const struct gr_args *args, struct request *r,
                                     struct gradus_error *error)
{
    static const char *const names[] = {"size", "sizes"};
    enum gradus_status status = GRADUS_OK;
    for (int s = 0; s < 2; s++)
        for (int i = 0; gr_args_get_at(args, names[s], i) && status == GRADUS_OK; i++)
            status =
                gr_sizes_parse(gr_args_get_at(args, names[s], i), &r->sizes, &r->size_count, error);
    if (status == GRADUS_OK && r->size_count == 0)
        status = gr_sizes_parse("16384,32768", &r->sizes, &r->size_count, error);
    for (int i = 0; i < r->size_count && status == GRADUS_OK; i++)
        if (r->sizes[i].m < 1 || r->sizes[i].n < 1 || r->sizes[i].k < 1)
            status = gr_fail(error, GRADUS_INVALID,
                             "bench: found a size of 0, wanted 1 or more: a product of nothing has "
                             "no rate");
    return status;
}

static enum gradus_status read_words(const struct gr_args *args, struct request *r,
                                     struct gradus_error *error)
{
    static const char *const maths[] = {"default", "ieee", "accurate", "scaled"};
    const char *const dtype = gr_args_get(args, "dtype"), *const math = gr_args_get(args, "math");
    const char *const format = gr_args_get(args, "format");
    r->task.type = GRADUS_F32;
    if (dtype && strcmp(dtype, "bf16") == 0)
        r->task.type = GRADUS_BF16;
    else if (dtype && strcmp(dtype, "f32") != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "bench: several GPUs: --dtype: found '%.40s', wanted f32 or bf16", dtype);
    for (int i = 0; math && i < 4; i++)
        if (strcmp(math, maths[i]) == 0)
            r->task.math = (enum gradus_math)i;
    if (format && strcmp(format, "table") != 0 && strcmp(format, "csv") != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "bench: several GPUs: --format: found '%.40s', wanted table or csv", format);
    r->csv = format && strcmp(format, "csv") == 0;
    r->task.host = gr_args_get(args, "host") != NULL;
    return GRADUS_OK;
}

static enum gradus_status read_options(const struct gr_args *args, struct request *r,
                                       struct gradus_error *error)
{
    const char *const limit = gr_args_get(args, "time-limit");
    double seconds = 1;
    enum gradus_status status = check_options(args, error);
    if (status == GRADUS_OK)
        status = gr_gpus_arg(args, r->task.numbers, &r->task.count, error);
    if (status == GRADUS_OK)
        status = read_sizes(args, r, error);
    if (status == GRADUS_OK)
        status = read_words(args, r, error);
    if (status == GRADUS_OK && limit)
        status = gr_measuring_number("time-limit", limit, 0.001, 1e6, &seconds, error);
    r->task.budget_ns = (int64_t)(seconds * 1e9);
    return status;
}

/* ---- Output. ---- */

static const char *name_of(const struct gr_gpus_task *task)
{
    static const char *const maths[] = {"f32", "f32 ieee", "f32 accurate", "f32 scaled"};
    return task->type == GRADUS_BF16 ? "bf16" : maths[task->math];
}

static bool is_planned(enum gr_gpus_way way)
{
    return way == GR_GPUS_COPIES || way == GR_GPUS_NCCL;
}

static void add_table_line(struct gr_str *out, const struct gr_gpus_task *task,
                           const struct gr_gpus_row *row, enum gr_gpus_way way)
{
    const struct gr_gpus_line *const line = &row->lines[way];
    const double flop = 2 * (double)task->m * (double)task->n * (double)task->k;
    const double one = line->one_s.n ? line->one_s.median : row->lines[GR_GPUS_ONE].time_s.median;
    const double time = line->time_s.median;
    gr_str_printf(out, "  %-21s ", gr_gpus_way_name(way));
    if (!line->done) {
        if (line->wrong_row >= 0)
            gr_str_printf(out, "wrong: row %" PRId64 " of C\n", line->wrong_row);
        else
            gr_str_printf(out, "%s\n", line->reason);
        return;
    }
    gr_str_printf(out, "%9.2f %8.1f", 1e3 * time, flop / time * 1e-12);
    if (way == GR_GPUS_ONE || way == GR_GPUS_CUBLAS_XT) {
        gr_str_add(out, "\n");
        return;
    }
    gr_str_printf(out, " %5.1f%% %9.2f %9.2f %9.2f", 100 * one / (row->count * time),
                  1e3 * line->mean.product_s, 1e3 * line->mean.transfer_s, 1e3 * line->mean.wait_s);
    if (is_planned(way))
        gr_str_printf(out, " %9.2f %6.2f %5" PRId64 "x%" PRId64, 1e3 * line->plan.model.time_s,
                      line->plan.model.time_s / time, line->plan.steps, line->plan.passes);
    gr_str_add(out, "\n");
}

static void add_table(struct gr_str *out, const struct gr_gpus_task *task,
                      const struct gr_gpus_row *row)
{
    char size[80];
    gr_size_name(task->m, task->n, task->k, size, sizeof size);
    gr_str_printf(
        out, "%s %s, %d x %s; link %.1f GB/s by copies, %.1f by %s; times in ms\n", size,
        name_of(task), row->count, row->gpu, 1e-9 * row->lines[GR_GPUS_COPIES].link_bytes_per_s,
        1e-9 * row->lines[GR_GPUS_NCCL].link_bytes_per_s, *row->link ? row->link : "NCCL");
    gr_str_printf(out, "  %-21s %9s %8s %6s %9s %9s %9s %9s %6s %7s\n", "", "time", "Tflop/s",
                  "eff.", "product", "transfers", "waiting", "planned", "ratio", "tiles");
    for (int way = 0; way < GR_GPUS_WAYS; way++)
        if (row->lines[way].done || row->lines[way].wrong_row >= 0 || *row->lines[way].reason)
            add_table_line(out, task, row, (enum gr_gpus_way)way);
}

/* Appends the reason why a line was skipped, as the last column. */
static void add_reason(struct gr_str *out, const char *reason)
{
    const char *const quote = *reason ? "\"" : "";
    gr_str_add(out, quote);
    for (const char *c = reason; *c; c++)
        gr_str_printf(out, "%s%c", *c == '"' ? "\"" : "", *c);
    gr_str_printf(out, "%s\n", quote);
}

static void add_csv(struct gr_str *out, const struct gr_gpus_task *task,
                    const struct gr_gpus_row *row)
{
    for (int way = 0; way < GR_GPUS_WAYS; way++) {
        const struct gr_gpus_line *const l = &row->lines[way];
        const char *const verdict = l->done ? "right" : l->wrong_row >= 0 ? "wrong" : "skip";
        if (!l->done && l->wrong_row < 0 && !*l->reason)
            continue;
        gr_str_printf(
            out,
            "%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%d,%s,\"%s\",%s,%.9g,%.9g,%d,%.9g,%.9g"
            ",%.9g,%.9g,%.9g,%" PRId64 ",%" PRId64 ",%.9g,%.9g,%d,",
            task->m, task->n, task->k, name_of(task), row->count, row->gpu,
            gr_gpus_way_name((enum gr_gpus_way)way), verdict, l->time_s.median, l->time_s.iqr,
            l->time_s.n, l->link_bytes_per_s, l->mean.product_s, l->mean.transfer_s, l->mean.wait_s,
            is_planned((enum gr_gpus_way)way) ? l->plan.model.time_s : 0, l->plan.steps,
            l->plan.passes, l->one_s.median, l->slowest_s, l->same_bits);
        add_reason(out, l->reason);
    }
}

static void print(const struct request *r, const struct gr_gpus_task *task,
                  const struct gr_gpus_row *row)
{
    struct gr_str out = {0};
    (r->csv ? add_csv : add_table)(&out, task, row);
    fputs(gr_str_text(&out), stdout);
    fflush(stdout);
    gr_str_free(&out);
}

static enum gradus_status measure(const struct request *r, bool *wrong, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    if (r->csv)
        puts("m,n,k,type,gpus,gpu,way,verdict,time_s,iqr_s,samples,link_bytes_per_s,product_s,"
             "transfer_s,wait_s,planned_s,steps,passes,one_gpu_s,slowest_product_s,same_bits,"
             "reason");
    for (int i = 0; i < r->size_count && status == GRADUS_OK; i++) {
        struct gr_gpus_task task = r->task;
        struct gr_gpus_row *const row = calloc(1, sizeof *row);
        if (!row)
            return gr_fail_memory(error, "a row", sizeof *row);
        task.m = r->sizes[i].m, task.n = r->sizes[i].n, task.k = r->sizes[i].k;
        status = gr_gpus_bench(&task, row, error);
        if (status == GRADUS_OK)
            print(r, &task, row);
        for (int way = 0; way < GR_GPUS_WAYS; way++)
            *wrong |= row->lines[way].wrong_row >= 0;
        free(row);
    }
    return status;
}

enum gr_exit gr_bench_gpus(const struct gr_args *args)
{
    struct request request = {.task = {.math = GRADUS_MATH_DEFAULT}};
    struct gradus_error error = {0};
    bool wrong = false;
    enum gradus_status status = read_options(args, &request, &error);
    if (status == GRADUS_OK)
        status = measure(&request, &wrong, &error);
    free(request.sizes);
    if (status != GRADUS_OK) {
        const enum gr_exit code = gr_cli_fail(&error);
        gradus_error_clear(&error);
        return code;
    }
    return wrong ? GR_EXIT_WRONG : GR_EXIT_RIGHT;
}

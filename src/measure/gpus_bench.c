/* gpus_bench.c: compares products over several GPUs with one GPU, with sending all panels before
 * the product, and with cuBLASXt, in one run on the same matrices. SPDX-License-Identifier: MIT */
#include "measure/gpus_bench.h"

#include "core/clock.h"
#include "core/error.h"
#include "cpu/gemm.h"
#include "dist/dist_threads.h"
#include "measure/gpus_operands.h"
#include "measure/gpus_xt.h"
#include "measure/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_LEAST = 3, SAMPLES_MOST = 25 };

const char *gr_gpus_way_name(enum gr_gpus_way way)
{
    static const char *const names[GR_GPUS_WAYS] = {[GR_GPUS_ONE] = "one GPU",
                                                    [GR_GPUS_COPIES] = "all, copies",
                                                    [GR_GPUS_COPIES_APART] = "copies, then product",
                                                    [GR_GPUS_NCCL] = "all, NCCL",
                                                    [GR_GPUS_NCCL_APART] = "NCCL, then product",
                                                    [GR_GPUS_HOST] = "from host memory",
                                                    [GR_GPUS_CUBLAS_XT] = "cuBLASXt, likewise"};
    return names[way];
}

/* ---- The link. ---- */

struct ring {
    struct gradus_gpus *gpus;
    const struct gr_gpus_operands *operands;
    int64_t bytes;
    double seconds[GR_MULTI_GPUS];
};

/* Rank i receives a part of A from the next rank into its C, while it sends its own. */
static int move_once(const struct ring *x, const struct gr_dist_comm *comm)
{
    const int me = (int)comm->rank, next = (int)((me + 1) % comm->size);
    const int before = (int)((me + comm->size - 1) % comm->size);
    const struct gr_multi_gpu *const g = &x->gpus->gpus[me];
    void *const stream = g->streams[GR_MULTI_TRAVEL];
    if (!g->nccl)
        return g->driver->copy_peer(x->operands->c[me], g->gpu->context, x->operands->a[next],
                                    x->gpus->gpus[next].gpu->context, (size_t)x->bytes, stream);
    int result = g->nccl->group_start();
    if (result == 0)
        result = g->nccl->send((const void *)(uintptr_t)x->operands->a[me], (size_t)x->bytes,
                               GR_MULTI_NCCL_BYTES, before, g->nccl_comm, stream);
    if (result == 0)
        result = g->nccl->receive((void *)(uintptr_t)x->operands->c[me], (size_t)x->bytes,
                                  GR_MULTI_NCCL_BYTES, next, g->nccl_comm, stream);
    return g->nccl->group_end() == 0 ? result : -1;
}

static enum gradus_status ring_of_one(struct gr_dist_comm *comm, void *context,
                                      struct gradus_error *error)
{
    enum { TIMES = 5 };
    struct ring *const x = context;
    const struct gr_multi_gpu *const g = &x->gpus->gpus[comm->rank];
    bool entered = false;
    enum gradus_status status = gr_device_enter(g->gpu, &entered, error);
    x->seconds[comm->rank] = 1e30;
    for (int i = 0; i < TIMES && status == GRADUS_OK; i++) {
        status = gr_dist_agree(comm, status, NULL, error);
        if (status != GRADUS_OK)
            break;
        const int64_t begin = gr_now_ns();
        int result = move_once(x, comm);
        if (result == 0)
            result = g->driver->stream_synchronize(g->streams[GR_MULTI_TRAVEL]);
        const double seconds = (double)(gr_now_ns() - begin) * 1e-9;
        if (result != 0)
            status = gr_fail(error, GRADUS_IO, "measuring the link: status %d", result);
        if (i > 0 && seconds < x->seconds[comm->rank])
            x->seconds[comm->rank] = seconds;
    }
    if (entered)
        gr_device_leave(g->gpu, entered);
    return status;
}

static enum gradus_status measure_link(struct gradus_gpus *gpus,
                                       const struct gr_gpus_operands *operands, double *rate,
                                       struct gradus_error *error)
{
    const int64_t a = operands->gemm.m / gpus->count * operands->gemm.k *
                      gr_gemm_type_bytes(operands->gemm.a_type);
    const int64_t c = operands->gemm.m * (operands->gemm.n / gpus->count) * 4;
    struct ring x = {gpus, operands, a < c ? a : c, {0}};
    *rate = 0;
    if (gpus->count < 2 || x.bytes == 0)
        return GRADUS_OK;
    const enum gradus_status status = gr_dist_threads_run(gpus->count, ring_of_one, &x, error);
    double slowest = 0;
    for (int i = 0; i < gpus->count; i++)
        slowest = x.seconds[i] > slowest ? x.seconds[i] : slowest;
    *rate = status == GRADUS_OK && slowest > 0 ? (double)x.bytes / slowest : 0;
    return status;
}

/* ---- One line. ---- */

struct bench {
    const struct gr_gpus_task *task;
    struct gradus_gpus *gpus;
    const struct gr_multi_gpu *first; /* for the products of one GPU; it keeps the stream, and with
                                         it the library's workspace for the stream */
    struct gr_gpus_operands operands;
    struct gr_multi_gemm gemms[GR_MULTI_GPUS];
    struct gr_multi_plan plan;
    bool timed; /* products record their timelines */
    struct gr_dist_timeline timelines[GR_MULTI_GPUS];
    float *one;       /* the checked rows of C, as computed by one GPU */
    float *a, *b, *c; /* in host memory */
    struct gr_gpus_xt *xt;
};

static enum gradus_status run_one(struct bench *x, struct gradus_error *error)
{
    const struct gr_multi_gpu *const g = x->first;
    struct gradus_gemm gemm = x->operands.gemm;
    gemm.stream = g->streams[GR_MULTI_PRODUCT];
    enum gradus_status status = gradus_gemm_run(&gemm, error);
    bool entered = false;
    if (status == GRADUS_OK)
        status = gr_device_enter(g->gpu, &entered, error);
    if (status == GRADUS_OK)
        status = gr_multi_check(g, g->driver->stream_synchronize(gemm.stream),
                                "waiting for the product", error);
    gr_device_leave(g->gpu, entered);
    return status;
}

static enum gradus_status run_blocks(struct bench *x, struct gradus_error *error)
{
    const struct gr_multi_told told = {NULL, x->timed ? x->timelines : NULL};
    return gr_multi_gpus_run(x->gemms, &x->plan, x->gpus, 0, &told, error);
}

static struct gradus_gemm host_problem(const struct bench *x)
{
    struct gradus_gemm g = x->operands.gemm;
    g.a = x->a, g.b = x->b, g.c = x->c;
    return g;
}

static enum gradus_status run_host(struct bench *x, struct gradus_error *error)
{
    const struct gradus_gemm g = host_problem(x);
    const struct gr_multi_told told = {&x->plan, x->timed ? x->timelines : NULL};
    return gr_multi_gpus_host(&g, x->gpus, 0, &told, error);
}

static enum gradus_status run_xt(struct bench *x, struct gradus_error *error)
{
    return gr_gpus_xt_multiply(x->xt, x->task->m, x->task->n, x->task->k, x->a, x->b, x->c, error);
}

static void add_timelines(const struct bench *x, struct gr_dist_timeline *sum)
{
    for (int i = 0; i < x->gpus->count; i++) {
        const struct gr_dist_timeline *const t = &x->timelines[i];
        sum->bring_s += t->bring_s, sum->product_s += t->product_s;
        sum->transfer_s += t->transfer_s, sum->wait_s += t->wait_s, sum->all_s += t->all_s;
        sum->sent_bytes += t->sent_bytes, sum->received_bytes += t->received_bytes;
    }
}

static double slowest_of(const struct bench *x)
{
    double most = 0;
    for (int i = 0; i < x->gpus->count; i++)
        most = x->timelines[i].product_s > most ? x->timelines[i].product_s : most;
    return most;
}

static void divide(struct gr_dist_timeline *t, int by)
{
    t->bring_s /= by, t->product_s /= by, t->transfer_s /= by, t->wait_s /= by, t->all_s /= by;
    t->sent_bytes /= by, t->received_bytes /= by;
}

typedef enum gradus_status (*run_function)(struct bench *, struct gradus_error *);

static enum gradus_status time_once(struct bench *x, run_function run, double *seconds,
                                    struct gradus_error *error)
{
    const int64_t begin = gr_now_ns();
    const enum gradus_status status = run(x, error);
    *seconds = (double)(gr_now_ns() - begin) * 1e-9;
    return status;
}

/* Averages the timelines of some calls. Recording and reading events takes time on the host, so
 * these calls are not the ones whose time is reported. */
static enum gradus_status add_means(struct bench *x, run_function run, bool in_turns, int calls,
                                    struct gr_gpus_line *line, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < calls && status == GRADUS_OK; i++) {
        if (in_turns)
            status = run_one(x, error);
        x->timed = true;
        if (status == GRADUS_OK)
            status = run(x, error);
        x->timed = false;
        add_timelines(x, &line->mean);
        line->slowest_s += slowest_of(x) / calls;
    }
    divide(&line->mean, calls * x->gpus->count);
    return status;
}

/* Times a product that was found right, and thus has run at least once. A GPU's clock depends on
 * what it did before, and on its temperature, so a product of operands on the GPUs is timed in
 * turns with one GPU. */
static enum gradus_status sample(struct bench *x, run_function run, struct gr_gpus_line *line,
                                 struct gradus_error *error)
{
    enum { CALLS_A_TIMELINE = 4 };
    const bool in_turns = run == run_blocks, on_all = in_turns || run == run_host;
    double samples[SAMPLES_MOST], ones[SAMPLES_MOST];
    int count = 0;
    line->slowest_s = 0;
    line->mean = (struct gr_dist_timeline){0};
    memset(x->timelines, 0, sizeof x->timelines);
    x->timed = on_all; /* this first call creates the events */
    enum gradus_status status = run(x, error);
    x->timed = false;
    const int64_t start = gr_now_ns();
    while (status == GRADUS_OK && count < SAMPLES_MOST &&
           (count < SAMPLES_LEAST || gr_now_ns() - start < x->task->budget_ns)) {
        if (in_turns)
            status = time_once(x, run_one, &ones[count], error);
        if (status == GRADUS_OK)
            status = time_once(x, run, &samples[count++], error);
    }
    if (status == GRADUS_OK && on_all)
        status = add_means(x, run, in_turns, (count - 1) / CALLS_A_TIMELINE + 1, line, error);
    if (status != GRADUS_OK)
        return status;
    line->time_s = gr_stat_of(samples, count);
    if (in_turns)
        line->one_s = gr_stat_of(ones, count);
    line->plan = x->plan;
    line->done = true;
    return GRADUS_OK;
}

/* Measures a line whose result is on the GPUs. */
static enum gradus_status line_on_gpus(struct bench *x, bool whole, run_function run,
                                       struct gr_gpus_line *line, struct gradus_error *error)
{
    enum gradus_status status = gr_gpus_operands_clear(x->gpus, &x->operands, error);
    if (status == GRADUS_OK)
        status = run(x, error);
    if (status == GRADUS_OK)
        status = gr_gpus_operands_check(x->gpus, &x->operands, whole, &line->wrong_row, error);
    if (status != GRADUS_OK || line->wrong_row >= 0)
        return status;
    const size_t bytes = (size_t)(GR_GPUS_ROWS * x->task->n) * sizeof *x->one;
    if (whole)
        memcpy(x->one, x->operands.found, bytes);
    line->same_bits = memcmp(x->one, x->operands.found, bytes) == 0;
    return sample(x, run, line, error);
}

static enum gradus_status line_on_host(struct bench *x, run_function run, struct gr_gpus_line *line,
                                       struct gradus_error *error)
{
    const size_t bytes = (size_t)x->task->m * (size_t)x->task->n * sizeof *x->c;
    memset(x->c, 0xFF, bytes);
    const enum gradus_status status = run(x, error);
    if (status != GRADUS_OK)
        return status;
    line->wrong_row = gr_gpus_operands_check_host(&x->operands, x->c);
    return line->wrong_row < 0 ? sample(x, run, line, error) : GRADUS_OK;
}

/* Stores a failure as the reason in the line. */
static void tell(struct gr_gpus_line *line, enum gradus_status status, struct gradus_error *error)
{
    if (status != GRADUS_OK) {
        line->done = false;
        line->wrong_row = -1;
        snprintf(line->reason, sizeof line->reason, "%.190s", error->text);
        gradus_error_clear(error);
        *error = (struct gradus_error){0};
    }
}

/* ---- All lines. ---- */

/* Measures the overlapped product and the product after all panels, over one kind of link. */
static void bench_link(struct bench *x, const struct gr_gpus_task *task, enum gr_multi_link link,
                       struct gr_gpus_row *row, enum gr_gpus_way way)
{
    struct gr_gpus_line *const line = &row->lines[way], *const apart = &row->lines[way + 1];
    const struct gr_gpus_line *const one = &row->lines[GR_GPUS_ONE];
    struct gradus_error error = {0};
    struct gradus_gpus *const before = x->gpus;
    struct gr_multi_rates rates = gr_multi_rates_assumed(&x->gemms[0]);
    double rate = 0;
    enum gradus_status status =
        gr_multi_gpus_open(task->count ? task->numbers : NULL, task->count, link, &x->gpus, &error);
    if (status == GRADUS_OK)
        status = measure_link(x->gpus, &x->operands, &rate, &error);
    rates.gpu = x->first->gpu;
    rates.whole_s = one->time_s.median;
    if (one->time_s.median > 0)
        rates.flop_per_s =
            2 * (double)task->m * (double)task->n * (double)task->k / one->time_s.median;
    if (rate > 0)
        rates.link_bytes_per_s = rate;
    line->link_bytes_per_s = apart->link_bytes_per_s = rate;
    if (status == GRADUS_OK) {
        snprintf(row->link, sizeof row->link, "%s", gradus_gpus_link(x->gpus));
        status = gr_multi_plan(&x->gemms[0], x->gpus->count, &rates, &x->plan, &error);
    }
    if (status == GRADUS_OK)
        status = line_on_gpus(x, false, run_blocks, line, &error);
    tell(line, status, &error);
    if (status == GRADUS_OK) {
        x->plan.steps = x->plan.passes = 1;
        status = line_on_gpus(x, false, run_blocks, apart, &error);
        tell(apart, status, &error);
    }
    gradus_gpus_close(x->gpus);
    gradus_error_clear(&error);
    x->gpus = before;
}

static void bench_host(struct bench *x, const struct gr_gpus_task *task, struct gr_gpus_row *row)
{
    struct gr_gpus_line *const host = &row->lines[GR_GPUS_HOST];
    struct gr_gpus_line *const xt = &row->lines[GR_GPUS_CUBLAS_XT];
    struct gradus_error error = {0};
    const size_t a = (size_t)task->m * (size_t)task->k, b = (size_t)task->k * (size_t)task->n;
    int numbers[GR_MULTI_GPUS];
    x->a = malloc(a * sizeof *x->a), x->b = malloc(b * sizeof *x->b);
    x->c = malloc((size_t)task->m * (size_t)task->n * sizeof *x->c);
    enum gradus_status status = x->a && x->b && x->c
                                    ? GRADUS_OK
                                    : gr_fail_memory(&error, "matrices", (a + b) * sizeof *x->a);
    if (status == GRADUS_OK) {
        gr_gpus_operands_copy(&x->operands, GR_MULTI_A, x->a);
        gr_gpus_operands_copy(&x->operands, GR_MULTI_B, x->b);
        status = line_on_host(x, run_host, host, &error);
    }
    tell(host, status, &error);
    for (int i = 0; i < x->gpus->count; i++)
        numbers[i] = x->gpus->gpus[i].gpu->ordinal;
    if (x->a && x->b && x->c)
        status = gr_gpus_xt_open(numbers, x->gpus->count, &x->xt, &error);
    if (status == GRADUS_OK)
        status = line_on_host(x, run_xt, xt, &error);
    tell(xt, status, &error);
    gr_gpus_xt_close(x->xt);
    free(x->a), free(x->b), free(x->c);
}

enum gradus_status gr_gpus_bench(const struct gr_gpus_task *task, struct gr_gpus_row *row,
                                 struct gradus_error *error)
{
    struct bench *const x = calloc(1, sizeof *x);
    struct gradus_gemm sizes;
    *row = (struct gr_gpus_row){.count = 0};
    for (int i = 0; i < GR_GPUS_WAYS; i++)
        row->lines[i].wrong_row = -1;
    if (!x)
        return gr_fail_memory(error, "a measurement", sizeof *x);
    x->task = task;
    gradus_gemm_init(&sizes, task->type);
    sizes.math = task->math;
    sizes.m = task->m, sizes.n = task->n, sizes.k = task->k;
    enum gradus_status status = gr_multi_gpus_open(task->count ? task->numbers : NULL, task->count,
                                                   GR_MULTI_COPIES, &x->gpus, error);
    if (status == GRADUS_OK) {
        row->count = x->gpus->count;
        x->first = &x->gpus->gpus[0];
        snprintf(row->gpu, sizeof row->gpu, "%s", x->gpus->gpus[0].gpu->name);
        status = gr_gpus_operands_make(x->gpus, &sizes, &x->operands, error);
    }
    x->one = malloc((size_t)(GR_GPUS_ROWS * task->n) * sizeof *x->one);
    if (status == GRADUS_OK && !x->one)
        status = gr_fail_memory(error, "rows of C", (uint64_t)(GR_GPUS_ROWS * task->n) * 4);
    if (status == GRADUS_OK) {
        gr_gpus_operands_problem(&x->operands, x->gemms);
        status = line_on_gpus(x, true, run_one, &row->lines[GR_GPUS_ONE], error);
    }
    if (status == GRADUS_OK && row->lines[GR_GPUS_ONE].wrong_row < 0) {
        bench_link(x, task, GR_MULTI_COPIES, row, GR_GPUS_COPIES);
        if (x->gpus->count > 1)
            bench_link(x, task, GR_MULTI_NCCL, row, GR_GPUS_NCCL);
        if (task->host && task->type == GRADUS_F32)
            bench_host(x, task, row);
    }
    if (x->gpus)
        gr_gpus_operands_free(x->gpus, &x->operands);
    gradus_gpus_close(x->gpus);
    free(x->one);
    free(x);
    return status;
}

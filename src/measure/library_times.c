/* library_times.c: measures the times of the library's GPU kernels. SPDX-License-Identifier: MIT */
#include "measure/library_times.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/stop.h"
#include "device/device_launch.h"
#include "device/device_model.h"
#include "measure/library_operands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel is not run if the model expects it to take this many times as long as the best. */
static const double hopeless = 6;
enum { CANDIDATES = 8, ROUND_US = 1200, MOST_CALLS = 200, MOST_RACES = 4 };

/* If the rounds of a kernel, without the fastest and the slowest, differ by more than this factor,
 * the product is measured again: launches of a few microseconds may have waited for a busy host. */
static const double steady = 1.1;

/* A kernel that can compute the product. */
struct candidate {
    int kernel;
    struct gr_device_loaded *loaded;
    struct gr_device_plan plan;
    double model_us, us[GR_LIBRARY_ROUNDS];
    int calls;
    void *graph; /* of that many launches, executable; null: they are launched one by one */
};

struct running {
    const struct gr_library_asked *asked;
    struct gr_library_times *times;
    struct gr_library_operands operands;
    void *stream, *start, *stop; /* a CUDA stream and events */
    struct gr_device_given given;
    struct candidate candidates[CANDIDATES];
    int count, done, all;
    int64_t turn; /* of the operands */
    const char *types;
    int64_t begun;
};

static const char *const trans_names[] = {"nn", "nt", "tn", "tt"};

static struct gr_device_given given_of(const struct running *r, const struct gr_size *s, int trans)
{
    const struct gr_device_gpu *gpu = r->times->gpu;
    return (struct gr_device_given){.m = s->m,
                                    .n = s->n,
                                    .k = s->k,
                                    .lda = trans & 2 ? s->m : s->k,
                                    .ldb = trans & 1 ? s->k : s->n,
                                    .ldc = s->n,
                                    .alpha = 1,
                                    .a = r->operands.a,
                                    .b = r->operands.b,
                                    .c = r->operands.c,
                                    .trans_a = trans >> 1,
                                    .trans_b = trans & 1,
                                    .sms = gpu->sms,
                                    .smem_max = gpu->smem_max,
                                    .cc = gpu->cc,
                                    .warp = gpu->warp,
                                    .batch = 1};
}

static enum gradus_type public_type(enum gr_dtype type)
{
    return type == GR_F64    ? GRADUS_F64
           : type == GR_BF16 ? GRADUS_BF16
           : type == GR_F16  ? GRADUS_F16
                             : GRADUS_F32;
}

/* Lists the kernels that the default math mode permits, except those that are expected to be far
 * slower. */
static void find_candidates(struct running *r)
{
    const struct gr_types t = r->operands.types;
    const struct gradus_gemm gemm = {.a_type = public_type(t.a),
                                     .b_type = public_type(t.b),
                                     .c_type = public_type(t.c),
                                     .sum_type = public_type(t.acc)};
    const struct gr_device_gpu *gpu = r->times->gpu;
    const int trans = (int)(r->given.trans_a * 2 + r->given.trans_b);
    double least = 0;
    r->count = 0;
    for (int i = 0; i < gr_device_kernel_count && r->count < CANDIDATES; i++) {
        const struct gr_device_kernel *one = &gr_device_kernels[i];
        const struct gr_device_cost *cost = gr_device_cost_of(one);
        struct candidate *c = &r->candidates[r->count];
        *c = (struct candidate){.kernel = i};
        if (!cost || !gr_device_is_used(cost, gpu->cc, &r->given) ||
            !gr_device_has_types(one, &gemm, trans) || !gr_device_arch_fits(one->arch, gpu->cc) ||
            !gr_device_has_math(cost, &gemm, r->given.k) || !one->plan(&r->given, -1, &c->plan))
            continue;
        c->model_us = gr_device_model_us(cost, &r->given, &c->plan);
        least = r->count++ && least < c->model_us ? least : c->model_us;
    }
    int kept = 0;
    for (int i = 0; i < r->count; i++)
        if (r->candidates[i].model_us <= hopeless * least)
            r->candidates[kept++] = r->candidates[i];
    r->count = kept;
}

static enum gradus_status launch(const struct running *r, struct candidate *c,
                                 const struct gr_device_given *given, struct gradus_error *error)
{
    return gr_device_launch_all(r->times->gpu, &gr_device_kernels[c->kernel], c->loaded, given,
                                &c->plan, r->operands.work, r->stream, error);
}

/* Runs the kernel once. *right: C is correct. */
static enum gradus_status try(struct running *r, struct candidate *c, bool *right,
                              struct gradus_error *error)
{
    const struct gr_device_kernel *one = &gr_device_kernels[c->kernel];
    enum gradus_status status =
        gr_device_load(r->times->gpu, c->kernel, (int)(r->given.trans_a * 2 + r->given.trans_b),
                       &c->loaded, error);
    if (status == GRADUS_OK)
        status = gr_library_work(&r->operands, gr_device_work_bytes(one, &c->plan), error);
    if (status == GRADUS_OK)
        status = gr_library_spoil_c(&r->operands, r->given.m * r->given.n, error);
    if (status == GRADUS_OK)
        status = launch(r, c, &r->given, error);
    if (status == GRADUS_OK)
        status = gr_library_check(&r->operands, &r->given, right, error);
    return status;
}

static void note_wrong(struct running *r, const struct candidate *c)
{
    const struct gr_device_given *g = &r->given;
    if (!r->times->wrong++)
        snprintf(r->times->first_wrong, sizeof r->times->first_wrong,
                 "%s %s %" PRId64 "x%" PRId64 "x%" PRId64, gr_device_kernels[c->kernel].name,
                 trans_names[g->trans_a * 2 + g->trans_b], g->m, g->n, g->k);
}

/* Removes kernels whose result is wrong. */
static enum gradus_status verify(struct running *r, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    int kept = 0;
    for (int i = 0; i < r->count && status == GRADUS_OK; i++) {
        bool right = false;
        status = try(r, &r->candidates[i], &right, error);
        if (status == GRADUS_OK && right)
            r->candidates[kept++] = r->candidates[i];
        else if (status == GRADUS_OK)
            note_wrong(r, &r->candidates[i]);
    }
    r->count = kept;
    return status;
}

/* Launches the kernel `calls` times. The operands rotate. */
static enum gradus_status launch_in_a_row(struct running *r, struct candidate *c, int calls,
                                          struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < calls && status == GRADUS_OK; i++) {
        const struct gr_device_given given = gr_library_rotated(&r->operands, &r->given, r->turn++);
        status = launch(r, c, &given, error);
    }
    return status;
}

static void forget_graph(const struct running *r, struct candidate *c)
{
    if (c->graph && r->times->gpu->driver->graph_exec_destroy)
        r->times->gpu->driver->graph_exec_destroy(c->graph);
    c->graph = NULL;
}

/* Makes a graph of c->calls launches, if the driver has graphs. The host needs about 2.5 us for a
 * launch, as long as the smallest products take; a graph is launched at once. */
static enum gradus_status capture(struct running *r, struct candidate *c,
                                  struct gradus_error *error)
{
    enum { RELAXED = 2 };
    const struct gr_device_driver *driver = r->times->gpu->driver;
    void *graph = NULL;
    forget_graph(r, c);
    if (!driver->capture_begin || !driver->capture_end || !driver->graph_instantiate ||
        !driver->graph_launch)
        return GRADUS_OK;
    int result = driver->capture_begin(r->stream, RELAXED);
    if (result != 0)
        return gr_device_check(driver, result, "a capture", error);
    const enum gradus_status status = launch_in_a_row(r, c, c->calls, error);
    result = driver->capture_end(r->stream, &graph);
    if (status == GRADUS_OK && result == 0)
        result = driver->graph_instantiate(&c->graph, graph, 0);
    if (graph && driver->graph_destroy)
        driver->graph_destroy(graph);
    return status == GRADUS_OK ? gr_device_check(driver, result, "a graph", error) : status;
}

/* Measures the time of one of `calls` launches in microseconds. */
static enum gradus_status time_calls(struct running *r, struct candidate *c, int calls, double *us,
                                     struct gradus_error *error)
{
    const struct gr_device_driver *driver = r->times->gpu->driver;
    enum gradus_status status = GRADUS_OK;
    float ms = 0;
    int result = driver->event_record(r->start, r->stream);
    if (result == 0 && c->graph)
        result = driver->graph_launch(c->graph, r->stream);
    else if (result == 0)
        status = launch_in_a_row(r, c, calls, error);
    if (result == 0 && status == GRADUS_OK)
        result = driver->event_record(r->stop, r->stream);
    if (result == 0 && status == GRADUS_OK)
        result = driver->event_synchronize(r->stop);
    if (result == 0 && status == GRADUS_OK)
        result = driver->event_elapsed(&ms, r->start, r->stop);
    *us = (double)ms * 1e3 / calls;
    return status == GRADUS_OK ? gr_device_check(driver, result, "timing a kernel", error) : status;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum gradus_status keep(struct running *r, struct candidate *c, struct gradus_error *error)
{
    struct gr_library_times *t = r->times;
    struct gr_library_time *grown = realloc(t->times, (size_t)(t->count + 1) * sizeof *grown);
    if (!grown)
        return gr_fail_memory(error, "times", sizeof *grown);
    t->times = grown;
    grown[t->count++] =
        (struct gr_library_time){.kernel = c->kernel,
                                 .trans = (int)(r->given.trans_a * 2 + r->given.trans_b),
                                 .m = r->given.m,
                                 .n = r->given.n,
                                 .k = r->given.k,
                                 .product = t->products,
                                 .us = c->us[GR_LIBRARY_ROUNDS / 2],
                                 .least = c->us[0],
                                 .most = c->us[GR_LIBRARY_ROUNDS - 1]};
    return GRADUS_OK;
}

static int calls_of_a_round(double us)
{
    return us * MOST_CALLS < ROUND_US ? MOST_CALLS : us > ROUND_US ? 1 : (int)(ROUND_US / us);
}

/* Determines how many launches make a round of each candidate, and captures them. */
static enum gradus_status prepare_rounds(struct running *r, struct gradus_error *error)
{
    enum { FIRST = 2 };
    enum gradus_status status = GRADUS_OK;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < r->count && status == GRADUS_OK; i++) {
            struct candidate *c = &r->candidates[i];
            double us = 0;
            status = time_calls(r, c, round == 0 ? FIRST : c->calls, &us, error);
            c->calls = calls_of_a_round(us);
        }
    for (int i = 0; i < r->count && status == GRADUS_OK; i++)
        status = capture(r, &r->candidates[i], error);
    return status;
}

/* Times all candidates in turns, and sorts their times. A first round is not counted. */
static enum gradus_status run_rounds(struct running *r, struct gradus_error *error)
{
    enum gradus_status status = prepare_rounds(r, error);
    for (int round = -1; round < GR_LIBRARY_ROUNDS; round++)
        for (int i = 0; i < r->count && status == GRADUS_OK; i++) {
            struct candidate *c = &r->candidates[i];
            double us = 0;
            status = time_calls(r, c, c->calls, round < 0 ? &us : &c->us[round], error);
        }
    for (int i = 0; i < r->count; i++) {
        forget_graph(r, &r->candidates[i]);
        qsort(r->candidates[i].us, GR_LIBRARY_ROUNDS, sizeof(double), by_value);
    }
    return status;
}

static bool was_disturbed(const struct running *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->candidates[i].us[GR_LIBRARY_ROUNDS - 2] > steady * r->candidates[i].us[1])
            return true;
    return false;
}

static enum gradus_status race(struct running *r, struct gradus_error *error)
{
    enum gradus_status status = run_rounds(r, error);
    for (int i = 1; i < MOST_RACES && status == GRADUS_OK && was_disturbed(r); i++)
        status = run_rounds(r, error);
    for (int i = 0; i < r->count && status == GRADUS_OK; i++)
        status = keep(r, &r->candidates[i], error);
    r->times->products += status == GRADUS_OK;
    return status;
}

static enum gradus_status measure(struct running *r, const struct gr_size *s, int trans,
                                  struct gradus_error *error)
{
    char product[128];
    r->done++;
    r->given = given_of(r, s, trans);
    find_candidates(r);
    if (r->count < 2)
        return GRADUS_OK;
    if (gr_now_ns() - r->begun > r->asked->limit_ns) {
        r->times->left++;
        return GRADUS_OK;
    }
    if (gr_stop_requested())
        return gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
    snprintf(product, sizeof product, "%s %s %" PRId64 "x%" PRId64 "x%" PRId64, r->types,
             trans_names[trans], s->m, s->n, s->k);
    if (r->asked->on_product)
        r->asked->on_product(r->asked->context, product, r->done - 1, r->all);
    enum gradus_status status = verify(r, error);
    return status == GRADUS_OK && r->count > 1 ? race(r, error) : status;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool has_kernels(struct gr_types types)
{
    return types.b == types.a &&
           (types.a == GR_F32 || types.a == GR_F64 || types.a == GR_BF16 || types.a == GR_F16);
}

static enum gradus_status measure_types(struct running *r, struct gradus_error *error)
{
    const struct gr_library_asked *asked = r->asked;
    struct gr_types types;
    int64_t a = 0, b = 0, c = 0;
    if (!gr_types_parse(r->types, &types) || !has_kernels(types))
        return gr_fail(error, GRADUS_INVALID,
                       "found the types %s, for which the library has no GPU kernels, wanted f32, "
                       "f64, bf16 or f16",
                       r->types);
    for (int i = 0; i < asked->size_count; i++) {
        a = larger(a, asked->sizes[i].m * asked->sizes[i].k);
        b = larger(b, asked->sizes[i].k * asked->sizes[i].n);
        c = larger(c, asked->sizes[i].m * asked->sizes[i].n);
    }
    enum gradus_status status =
        gr_library_operands_make(r->times->gpu, types, a, b, c, &r->operands, error);
    for (int i = 0; i < asked->size_count; i++)
        for (int trans = 0; trans < 4 && status == GRADUS_OK; trans++)
            if (asked->trans[trans])
                status = measure(r, &asked->sizes[i], trans, error);
    gr_library_operands_free(&r->operands);
    return status;
}

/* The stream waits for what the default stream does, where the operands are filled and checked. */
static enum gradus_status make_stream(struct running *r, struct gradus_error *error)
{
    const struct gr_device_driver *driver = r->times->gpu->driver;
    if (!driver->event_elapsed)
        return gr_fail(error, GRADUS_UNSUPPORTED, "the driver has no cuEventElapsedTime");
    int result = driver->stream_create(&r->stream, 0);
    if (result == 0)
        result = driver->event_create(&r->start, 0);
    if (result == 0)
        result = driver->event_create(&r->stop, 0);
    return gr_device_check(driver, result, "a stream and events", error);
}

enum gradus_status gr_library_times_run(const struct gr_library_asked *asked,
                                        struct gr_library_times *times, struct gradus_error *error)
{
    static struct running r; /* static because it is large */
    bool entered = false;
    *times = (struct gr_library_times){0};
    r = (struct running){.asked = asked, .times = times, .begun = gr_now_ns()};
    for (int i = 0; i < 4; i++)
        r.all += asked->trans[i] ? asked->size_count * asked->type_count : 0;
    enum gradus_status status = gr_device_gpu_open(asked->device, &times->gpu, error);
    if (status != GRADUS_OK)
        return status;
    if (times->gpu->driver->driver_version)
        times->gpu->driver->driver_version(&times->driver_version);
    status = gr_device_enter(times->gpu, &entered, error);
    if (status == GRADUS_OK)
        status = make_stream(&r, error);
    for (int i = 0; i < asked->type_count && status == GRADUS_OK; i++) {
        r.types = asked->types[i];
        status = measure_types(&r, error);
    }
    for (int i = 0; i < 2 && times->gpu->driver->event_destroy; i++)
        if (i ? r.stop : r.start)
            times->gpu->driver->event_destroy(i ? r.stop : r.start);
    if (r.stream && times->gpu->driver->stream_destroy)
        times->gpu->driver->stream_destroy(r.stream);
    gr_device_leave(times->gpu, entered);
    return status;
}

void gr_library_times_format(const struct gr_library_times *times, struct gr_str *out)
{
    const struct gr_device_gpu *gpu = times->gpu;
    gr_str_printf(out,
                  "gpu         compute capability %d, %d multiprocessors, %d bytes of shared "
                  "memory, warps of %d\n",
                  gpu->cc, gpu->sms, gpu->smem_max, gpu->warp);
    gr_str_printf(
        out, "interval    the least and the most of %d rounds, in turns, back to back in a graph\n",
        GR_LIBRARY_ROUNDS);
    for (int i = 0; i < times->count; i++) {
        const struct gr_library_time *t = &times->times[i];
        gr_str_printf(
            out, "time        %s | %s %" PRId64 "x%" PRId64 "x%" PRId64 " | %.5g us [%.4g,%.4g]\n",
            gr_device_kernels[t->kernel].name, trans_names[t->trans], t->m, t->n, t->k, t->us,
            t->least, t->most);
    }
}

void gr_library_times_free(struct gr_library_times *times)
{
    free(times->times);
    *times = (struct gr_library_times){0};
}

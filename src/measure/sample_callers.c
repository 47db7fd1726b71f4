/* sample_callers.c: takes a sample of several callers, each of which computes products of its own.
 * SPDX-License-Identifier: MIT */
#include "measure/sample_callers.h"

#include "core/error.h"
#include "measure/callers.h"

#include <stdlib.h>

/* What a caller needs for its products. */
struct gr_caller {
    struct gr_launch launch;
    enum gradus_status status;
    int last_set; /* of its last product */
    struct gr_touch_step steps[GR_TOUCH_STEPS];
    uint32_t ordinals[GR_TOUCH_STEPS]; /* the ordinals of the prepared touches */
};

/* The data of a sample for the threads that take it. */
struct sample {
    struct gr_worker *worker;
    const struct gr_request *request;
    struct gr_scratch scratch;
    int candidate, times;
    bool warmed;
};

int gr_callers_of(const struct gr_worker *w)
{
    return w->callers > 1 ? w->callers : 1;
}

/* The number of operand sets that a caller has. */
static int share_of(const struct gr_worker *w, const struct gr_request *request)
{
    return request->time.plan.sets / w->callers;
}

/* The operand set of a caller's product. The caller goes through its sets cyclically. */
static int set_of(const struct gr_worker *w, const struct gr_request *request, int caller,
                  int product)
{
    return caller + w->callers * (product % share_of(w, request));
}

int gr_caller_last_set(const struct gr_worker *w, int caller)
{
    return w->caller[caller].last_set;
}

static enum gradus_status open_callers(struct gr_worker *w, struct gradus_error *error)
{
    if (w->caller)
        return GRADUS_OK;
    w->caller = calloc((size_t)w->callers, sizeof *w->caller);
    w->calls = calloc((size_t)w->callers, sizeof *w->calls);
    if (!w->caller || !w->calls)
        return gr_fail_memory(error, "callers", (uint64_t)w->callers * sizeof *w->caller);
    return gr_callers_open(w->callers, &w->crew, error);
}

/* Prepares the touch of each product individually, because successive products use different sets.
 * With several sets, there are at most as many products as touch steps, so that each product has a
 * step. */
static void prepare_touches(const struct sample *s, int caller)
{
    struct gr_worker *w = s->worker;
    struct gr_caller *c = &w->caller[caller];
    const struct gr_touch_plan *plan = &s->request->time.touch;
    for (int i = 0; i < share_of(w, s->request); i++)
        gr_touch_undo(&w->touched[set_of(w, s->request, caller, i)]);
    for (int i = 0; plan->on && i < s->times && i < GR_TOUCH_STEPS; i++) {
        const int set = set_of(w, s->request, caller, i);
        gr_worker_take_set(w, s->request, set, &c->launch);
        void *const operands[] = {(void *)c->launch.a, (void *)c->launch.b, c->launch.c};
        gr_touch_prepare(plan, set, operands, &w->touched[set], 1, &c->steps[i]);
        c->ordinals[i] = w->touched[set].prepared;
    }
}

static void compute(const struct sample *s, struct gr_caller *c)
{
    const enum gradus_status status = gr_worker_enqueue(
        s->worker, s->candidate, &s->request->time.item, &c->launch, &s->scratch, NULL);
    if (status != GRADUS_OK)
        c->status = status;
}

/* Runs an untimed product on the set that is used last, whose C is overwritten like any other. */
static void prepare(void *context, int caller)
{
    const struct sample *s = context;
    struct gr_worker *w = s->worker;
    struct gr_caller *c = &w->caller[caller];
    const int last = set_of(w, s->request, caller, share_of(w, s->request) - 1);
    c->launch = gr_worker_launch(w, &s->request->time.item);
    c->status = GRADUS_OK;
    if (s->warmed) {
        const struct gr_work_item item = gr_worker_rotated(s->request, last);
        gr_worker_take_set(w, s->request, last, &c->launch);
        compute(s, c);
        gr_mirror_overwrite(&w->mirror, &item, NULL);
    }
    gr_worker_take_set(w, s->request, caller, &c->launch);
}

static void call(void *context, int caller, int number)
{
    const struct sample *s = context;
    struct gr_worker *w = s->worker;
    struct gr_caller *c = &w->caller[caller];
    if (number > 0 && share_of(w, s->request) > 1)
        gr_worker_take_set(w, s->request, set_of(w, s->request, caller, number), &c->launch);
    if (s->request->time.touch.on)
        gr_touch_step(&s->request->time.touch, c->steps, number);
    compute(s, c);
}

/* Records each caller's last product. */
static void finish(const struct sample *s, int caller)
{
    struct gr_worker *w = s->worker;
    struct gr_caller *c = &w->caller[caller];
    const int last = w->calls[caller] - 1, step = last % GR_TOUCH_STEPS;
    c->last_set = set_of(w, s->request, caller, last);
    if (!s->request->time.touch.on)
        return;
    w->touched[c->last_set].first = c->ordinals[step];
    gr_touch_done(&c->steps[step], 0, &w->touched[c->last_set]);
}

enum gradus_status gr_callers_sample(struct gr_worker *w, const struct gr_request *request, int e,
                                     int times, double *ns, struct gradus_error *error)
{
    enum gradus_status status = open_callers(w, error);
    if (status != GRADUS_OK)
        return status;
    const bool few = share_of(w, request) > 1 && times > GR_TOUCH_STEPS;
    struct sample s = {.worker = w,
                       .request = request,
                       .scratch = gr_worker_scratch(w, &request->time.item),
                       .candidate = request->time.candidates[e],
                       .times = few ? GR_TOUCH_STEPS : times,
                       .warmed = request->time.warmed[e]};
    const struct gr_callers_work work = {
        .prepare = prepare, .call = call, .context = &s, .overhead_ns = w->touch_ns};
    for (int i = 0; i < w->callers; i++)
        prepare_touches(&s, i);
    *ns = gr_callers_run(w->crew, &work, s.times, w->calls);
    for (int i = 0; i < w->callers; i++) {
        finish(&s, i);
        if (w->caller[i].status != GRADUS_OK)
            status = gr_fail(error, w->caller[i].status, "a caller's product failed");
    }
    return status;
}

enum gradus_status gr_callers_overwrite(struct gr_worker *w, const struct gr_request *request,
                                        int kept, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    const int share = share_of(w, request);
    for (int i = 0; i < w->callers; i++)
        for (int j = 0; j < share && j < w->calls[i] && status == GRADUS_OK; j++) {
            const int set = set_of(w, request, i, j);
            const struct gr_work_item item = gr_worker_rotated(request, set);
            if (set != kept)
                status = gr_mirror_overwrite(&w->mirror, &item, error);
        }
    return status;
}

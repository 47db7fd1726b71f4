/* samples.c: runs a burst of interleaved samples, and checks what they left in C.
 * SPDX-License-Identifier: MIT */
#include "measure/worker.h"

#include "core/clock.h"
#include "check/check.h"
#include "records/steady.h"
#include "check/pair.h"
#include "measure/idle_threads.h"
#include "measure/sample_callers.h"
#include "probe/probe.h"
#include "probe/waited.h"

#include <string.h>

/* The place of operand o of set `set` of the rotation. */
static struct gr_arena_place rotated_place(const struct gr_request *request,
                                           struct gr_arena_place first, int o, int set)
{
    first.offset += request->time.plan.stride[o] * (uint64_t)set;
    return first;
}

struct gr_work_item gr_worker_rotated(const struct gr_request *request, int set)
{
    struct gr_work_item item = request->time.item;
    item.a = rotated_place(request, item.a, 0, set);
    item.b = rotated_place(request, item.b, 1, set);
    item.c = rotated_place(request, item.c, 2, set);
    return item;
}

void gr_worker_take_set(const struct gr_worker *w, const struct gr_request *request, int set,
                        struct gr_launch *launch)
{
    const struct gr_work_item *item = &request->time.item;
    launch->a = gr_mirror_at(&w->mirror, rotated_place(request, item->a, 0, set));
    launch->b = gr_mirror_at(&w->mirror, rotated_place(request, item->b, 1, set));
    launch->c = gr_mirror_at(&w->mirror, rotated_place(request, item->c, 2, set));
}

/* The threads of all callers together. */
static int all_threads(const struct gr_worker *w)
{
    return w->threads * gr_callers_of(w);
}

/* Measures the FMA peak right now, because the clock varies and so does the share of a machine
 * that others use too. */
static void measure_fma(const struct gr_worker *w, const struct gr_request *request,
                        struct gr_reply *reply)
{
    const int64_t burst_ns = 2000000;
    if (!request->time.fma)
        return;
    enum gr_dtype type = gr_backend_burst_type(w->backend, request->time.item.problem.types);
    if (!w->backend->burst && all_threads(w) > 1)
        gr_wait_for_idle_threads();
    double gflops = w->backend->burst ? w->backend->burst(w->device, type, burst_ns)
                                      : gr_probe_fma(type, all_threads(w), burst_ns, NULL);
    if (gflops > reply->fma_gflops)
        reply->fma_gflops = gflops;
}

/* The operand set of GEMM t of a sample that begins with `set`. */
static int set_of(const struct gr_request *request, int set, int t)
{
    return request->time.successive ? (set + t) % request->time.plan.sets : set;
}

/* Prepares touches of the set, one for each of the next `count` GEMMs on it: see touch.h. A
 * device executes commands on its memory in the order of the launches; there the touches are
 * applied at once, none is undone, and each C is overwritten as a whole. */
static enum gradus_status prepare_touches(struct gr_worker *w, const struct gr_request *request,
                                          int set, const struct gr_launch *launch, int count,
                                          struct gradus_error *error)
{
    const struct gr_touch_plan *plan = &request->time.touch;
    struct gr_touched *touched = &w->touched[set];
    if (!plan->on)
        return GRADUS_OK;
    if (!w->mirror.memory) {
        void *const operands[] = {(void *)launch->a, (void *)launch->b, launch->c};
        gr_touch_undo(touched);
        gr_touch_prepare(plan, set, operands, touched,
                         count < GR_TOUCH_STEPS ? count : GR_TOUCH_STEPS, w->steps);
        return GRADUS_OK;
    }
    const struct gr_touch next = gr_touch_of(plan, set, ++touched->ordinal);
    uint64_t bytes = (uint64_t)plan->operand[next.operand].bytes;
    unsigned char *operand = (unsigned char *)(next.operand == 0 ? launch->a : launch->b);
    return w->mirror.memory->fill(w->device, operand + (uint64_t)next.at * bytes,
                                  (unsigned char)next.value, bytes, error);
}

static bool touches_on_host(const struct gr_worker *w, const struct gr_request *request)
{
    return request->time.touch.on && !w->mirror.memory;
}

/* Applies the touch before the first GEMM of several, and records the last one. */
static void touch_first(struct gr_worker *w, const struct gr_request *request)
{
    if (touches_on_host(w, request))
        gr_touch_step(&request->time.touch, w->steps, 0);
}

static void touched_last(struct gr_worker *w, const struct gr_request *request, int set, int times)
{
    if (touches_on_host(w, request))
        gr_touch_done(w->steps, times - 1, &w->touched[set]);
}

/* After the sets were filled anew, nothing has been touched. */
static void forget_touches(struct gr_worker *w, const struct gr_request *request)
{
    if (w->touch_seed == request->time.touch.seed)
        return;
    memset(w->touched, 0, sizeof w->touched);
    w->touch_seed = w->rng.state = request->time.touch.seed;
}

/* An untimed GEMM on the operand set that was used last, so that the next set stays cold. Its C
 * is overwritten afterwards, as that of any other, because a kernel that checks whether C is
 * already correct must not find that it is. */
static enum gradus_status warm_up(struct gr_worker *w, const struct gr_request *request, int e,
                                  int set, struct gr_launch *launch, struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    const int sets = request->time.plan.sets, used = (set + sets - 1) % sets;
    const struct gr_work_item item = gr_worker_rotated(request, used);
    gr_worker_take_set(w, request, used, launch);
    enum gradus_status status = prepare_touches(w, request, used, launch, 1, error);
    touch_first(w, request);
    if (status == GRADUS_OK)
        status = gr_worker_enqueue(w, request->time.candidates[e], gr_worker_item(w, request, e),
                                   launch, scratch, error);
    touched_last(w, request, used, 1);
    return status == GRADUS_OK ? gr_mirror_overwrite(&w->mirror, &item, error) : status;
}

/* The GEMMs of a device are captured and launched as a whole, so the operands of each are
 * prepared before. */
static enum gradus_status prepare_sample(struct gr_worker *w, const struct gr_request *request,
                                         int times, int set, struct gr_launch *launch,
                                         struct gradus_error *error)
{
    int sets = request->time.successive ? times : 1;
    enum gradus_status status = GRADUS_OK;
    for (int t = 0; t < sets && status == GRADUS_OK; t++) {
        gr_worker_take_set(w, request, set_of(request, set, t), launch);
        status = prepare_touches(w, request, set_of(request, set, t), launch, times, error);
    }
    return status;
}

/* Only the last C of a sample with several GEMMs is checked, so a kernel must not be able to
 * predict which GEMM is the last. */
static int products_of(struct gr_worker *w, const struct gr_request *request, int e)
{
    int times = request->time.times[e];
    if (!request->time.vary || times == 1 || request->time.successive)
        return times;
    return times + (int)(gr_rng_unit(&w->rng) * (2 + times / 8));
}

/* Takes one sample: several GEMMs timed as one, minus the time of the touches between them. */
static enum gradus_status sample(struct gr_worker *w, const struct gr_request *request, int e,
                                 int set, double *ns, struct gradus_error *error)
{
    const struct gr_work_item *item = gr_worker_item(w, request, e);
    struct gr_launch launch = gr_worker_launch(w, item);
    struct gr_scratch scratch = gr_worker_scratch(w, item);
    const int times = products_of(w, request, e), candidate = request->time.candidates[e];
    const bool successive = request->time.successive, touch = touches_on_host(w, request);
    int64_t all_ns = 0;
    enum gradus_status status = GRADUS_OK;
    if (gr_callers_of(w) > 1)
        return gr_callers_sample(w, request, e, times, ns, error);
    if (gr_worker_takes_turns(w, candidate))
        status = gr_worker_prepare(w, candidate, item, error);
    if (status == GRADUS_OK && request->time.warmed[e])
        status = warm_up(w, request, e, set, &launch, &scratch, error);
    if (status == GRADUS_OK)
        status = prepare_sample(w, request, times, set, &launch, error);
    touch_first(w, request);
    if (status == GRADUS_OK)
        status = w->backend->begin(w->device, error);
    const bool begun = status == GRADUS_OK;
    for (int t = 0; t < times && status == GRADUS_OK; t++) {
        if (successive)
            gr_worker_take_set(w, request, set_of(request, set, t), &launch);
        else if (t > 0 && touch)
            gr_touch_step(&request->time.touch, w->steps, t);
        status = gr_worker_enqueue(w, candidate, item, &launch, &scratch, error);
    }
    if (status == GRADUS_OK)
        status = w->backend->end(w->device, &all_ns, error);
    else if (begun) /* the stream would be captured for ever, and refuse what comes next */
        w->backend->end(w->device, &all_ns, NULL);
    touched_last(w, request, set, times);
    double touches_ns = successive ? 0 : w->touch_ns * (times - 1);
    *ns = ((double)all_ns - (touches_ns < 0.5 * (double)all_ns ? touches_ns : 0)) / times;
    return status;
}

/* The time of one touch, which is subtracted from a sample because the clock cannot be stopped
 * between its GEMMs. It is measured on cached operands, where a touch costs only its
 * instructions. */
static double touch_ns(struct gr_worker *w, const struct gr_request *request, int set)
{
    enum { TRIES = 8 };
    struct gr_launch launch = gr_worker_launch(w, &request->time.item);
    double least = 0;
    gr_worker_take_set(w, request, set, &launch);
    bool between = false;
    for (int e = 0; e < request->time.candidate_count; e++)
        between |= request->time.times[e] > 1 && touches_on_host(w, request);
    for (int i = 0; i < TRIES && between; i++) {
        prepare_touches(w, request, set, &launch, GR_TOUCH_STEPS, NULL);
        const int64_t start_ns = gr_now_ns();
        for (int t = 0; t < GR_TOUCH_STEPS; t++)
            gr_touch_step(&request->time.touch, w->steps, t);
        double ns = (double)(gr_now_ns() - start_ns) / GR_TOUCH_STEPS;
        touched_last(w, request, set, GR_TOUCH_STEPS);
        least = i == 0 || ns < least ? ns : least;
    }
    return least;
}

/* Checks two elements of the C that was just computed: the one that was overwritten before, and
 * one that the last touch of A or B has changed. This detects in every sample a candidate that
 * skipped the GEMM or returned a known result. All candidates are checked, so that the effect on
 * the caches is the same for all. */
static bool passes_spot_check(const struct gr_worker *w, const struct gr_request *request, int set)
{
    const struct gr_touched *touched = &w->touched[set];
    const struct gr_problem *p = &request->time.item.problem;
    if (!request->time.watch || !request->time.touch.on || touched->ordinal == 0 ||
        w->mirror.memory)
        return true;
    const struct gr_touch last = gr_touch_of(&request->time.touch, set, touched->ordinal);
    struct gr_launch launch = {0};
    int64_t spoiled = last.c_at, row, col;
    gr_worker_take_set(w, request, set, &launch);
    gr_touch_reaches(&request->time.touch, p, &last, touched->ordinal, &row, &col);
    bool one = gr_check_element(p, request->time.math, launch.a, launch.b, launch.c,
                                spoiled / p->ldc, spoiled % p->ldc);
    return gr_check_element(p, request->time.math, launch.a, launch.b, launch.c, row, col) && one;
}

/* Checks the last C of each of several callers. *set is the operand set of a wrong C, or of the
 * last product of any caller. */
static bool passes_spot_checks(struct gr_worker *w, const struct gr_request *request, int *set)
{
    const int callers = gr_callers_of(w), any = (int)(gr_rng_unit(&w->rng) * callers);
    if (callers == 1)
        return passes_spot_check(w, request, *set);
    for (int i = 0; i < callers; i++) {
        *set = gr_caller_last_set(w, i);
        if (!passes_spot_check(w, request, *set))
            return false;
    }
    *set = gr_caller_last_set(w, any);
    return true;
}

/* Watches the last C for as long as an unfinished thread might take to write it. Busy-waits, so
 * that the clock of the core does not drop. */
static bool changes_late(const struct gr_worker *w, const struct gr_work_item *item)
{
    const int64_t watch_ns = 20000000; /* the same time as in verification */
    const int64_t until_ns = gr_now_ns() + watch_ns;
    uint64_t bytes = gr_operand_bytes(&item->problem, 'C');
    if (w->mirror.memory || !item->take_snapshot)
        return false;
    do
        if (memcmp(gr_mirror_at(&w->mirror, item->c), gr_mirror_at(&w->mirror, item->snapshot),
                   bytes) != 0)
            return true;
    while (gr_now_ns() < until_ns);
    return false;
}

/* Copies the last C of a burst, that of operand set reply->last_set, to the snapshot. */
static enum gradus_status keep_last(struct gr_worker *w, const struct gr_request *request,
                                    struct gr_reply *reply, struct gradus_error *error)
{
    struct gr_work_item item = gr_worker_rotated(request, reply->last_set);
    enum gradus_status status = gr_mirror_snapshot(&w->mirror, &item, error);
    reply->ordinal = w->touched[reply->last_set].ordinal;
    reply->late = status == GRADUS_OK && request->time.watch && changes_late(w, &item);
    return status;
}

/* As after_sample, where `set` is that of the C to keep. */
static enum gradus_status after_callers(struct gr_worker *w, const struct gr_request *request,
                                        int set, bool last, struct gr_reply *reply,
                                        struct gradus_error *error)
{
    reply->last_set = set;
    enum gradus_status status = last ? keep_last(w, request, reply, error) : GRADUS_OK;
    return status == GRADUS_OK ? gr_callers_overwrite(w, request, last ? set : -1, error) : status;
}

/* Overwrites C in every set that the sample used, except the last C of a burst, which goes to
 * the snapshot. This is done after use, when C is in the cache anyway. */
static enum gradus_status after_sample(struct gr_worker *w, const struct gr_request *request, int e,
                                       int set, bool last, struct gr_reply *reply,
                                       struct gradus_error *error)
{
    int times = request->time.successive ? request->time.times[e] : 1;
    int sets = request->time.plan.sets, first = times > sets ? times - sets : 0; /* each set once */
    enum gradus_status status = GRADUS_OK;
    if (gr_callers_of(w) > 1)
        return after_callers(w, request, set, last, reply, error);
    for (int t = first; t < times && status == GRADUS_OK; t++) {
        reply->last_set = set_of(request, set, t);
        struct gr_work_item item = gr_worker_rotated(request, reply->last_set);
        status = last && t == times - 1 ? keep_last(w, request, reply, error)
                                        : gr_mirror_overwrite(&w->mirror, &item, error);
    }
    return status;
}

/* The duration of a round's samples, and how long their threads waited for a core. */
struct round {
    int64_t ns, lost_ns;
    bool known;
};

/* For a device the host's threads are irrelevant. */
static struct gr_waited waited(const struct gr_worker *w)
{
    if (w->mirror.memory)
        return (struct gr_waited){.ns = -1};
    return all_threads(w) > 1 ? gr_waited_all() : gr_waited_own();
}

static enum gradus_status watched_sample(struct gr_worker *w, const struct gr_request *request,
                                         int e, int set, double *ns, struct round *round,
                                         struct gradus_error *error)
{
    const struct gr_waited before = waited(w);
    const int64_t start_ns = gr_now_ns();
    enum gradus_status status = sample(w, request, e, set, ns, error);
    round->ns += gr_now_ns() - start_ns;
    const int64_t lost_ns = gr_waited_between_ns(before, waited(w));
    round->known = lost_ns >= 0;
    round->lost_ns += lost_ns;
    return status;
}

static void count_disturbed(const struct round *round, struct gr_reply *reply)
{
    if (!round->known)
        reply->disturbed = -1;
    else if ((double)round->lost_ns > GR_DISTURBED_ABOVE * (double)round->ns)
        reply->disturbed++;
}

/* Makes every candidate's buffers before the first sample, so that none moves later. */
static enum gradus_status prepare_all(struct gr_worker *w, const struct gr_request *request,
                                      struct gradus_error *error)
{
    enum gradus_status status =
        gr_worker_prepare(w, GR_CANDIDATE_KERNEL, &request->time.item, error);
    for (int e = 0; e < request->time.candidate_count && status == GRADUS_OK; e++)
        if (gr_worker_takes_turns(w, request->time.candidates[e])) {
            w->mailbox->running = e;
            status = gr_worker_prepare(w, request->time.candidates[e],
                                       gr_worker_item(w, request, e), error);
        }
    return status;
}

/* Does a wrong C of this candidate end the burst? Only the last candidate of a burst is the kernel,
 * the others are peers; but if several kernels take turns, all of them count. */
static bool decides(const struct gr_request *request, int e)
{
    return e == request->time.candidate_count - 1 ||
           request->time.candidates[e] < GR_CANDIDATE_KERNEL;
}

/* The order is A B A B …, on successive operand sets, so that no candidate finds operands in the
 * cache that another has just loaded, unless the request has only one set. The last sample of
 * all ends on the last set. */
enum gradus_status gr_worker_time(struct gr_worker *w, const struct gr_request *request,
                                  struct gr_reply *reply, struct gradus_error *error)
{
    int candidates = request->time.candidate_count, samples = request->time.samples;
    int set = request->time.first_set, sets = request->time.plan.sets;
    enum gradus_status status = prepare_all(w, request, error);
    bool right = true;
    forget_touches(w, request);
    w->touch_ns = touch_ns(w, request, set);
    for (int s = 0; s < samples && right && status == GRADUS_OK; s++) {
        struct round round = {0};
        if (s == 0 || s == samples / 2)
            measure_fma(w, request, reply);
        for (int e = 0; e < candidates && right && status == GRADUS_OK; e++) {
            struct gr_work_item item = gr_worker_rotated(request, set);
            bool last = s == samples - 1 && e == candidates - 1;
            w->mailbox->running = reply->last = e;
            if (s == 0)
                status = gr_mirror_overwrite(&w->mirror, &item, error);
            if (all_threads(w) > 1 && !w->mirror.memory)
                gr_wait_for_idle_threads();
            if (status == GRADUS_OK)
                status =
                    watched_sample(w, request, e, set, &w->mailbox->sample_ns[e][s], &round, error);
            bool fine = status != GRADUS_OK || passes_spot_checks(w, request, &set);
            right = fine || !decides(request, e);
            if (status == GRADUS_OK)
                status = after_sample(w, request, e, set, last || !right, reply, error);
            set = (reply->last_set + 1) % sets;
        }
        count_disturbed(&round, reply);
        reply->samples = s + 1;
    }
    measure_fma(w, request, reply);
    return status;
}

/* timing.c: times interleaved samples on rotating operand sets. SPDX-License-Identifier: MIT */
#include "measure/timing.h"

#include "core/clock.h"
#include "core/error.h"
#include "measure/sample_bursts.h"
#include "measure/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BURSTS = 3, WARM_UP_ROUNDS = 40, MOST = GR_MAX_PEERS + 1 };
/* With fewer warm products than this in a sample, it matters what the first one finds in the
 * caches, where the operands of another library's product may be. */
enum { FEW_PRODUCTS = 4 };
/* The number of calls that each caller makes in a sample, or fewer if they do not fit. */
static const int few_calls = 8;
static const int64_t long_sample_ns = 100000000;

struct bench {
    const struct gr_timing_params *params;
    struct gr_bursts bursts;
    /* Indices into the caller's peers. The kernel, which comes last, has none. */
    int peer_of[MOST];
    int candidate_count;
    double samples[MOST][BURSTS * GR_MAX_SAMPLES];
    double ratios[MOST][BURSTS * GR_MAX_SAMPLES];
    double fma_gflops;
    int count;
    int disturbed; /* of these rounds; negative: unknown */
};

/* Removes peers that are far slower than the fastest, because they take the time in which the
 * others could be compared. */
static void leave_out_slow(const struct gr_session *s, struct bench *b)
{
    const double far_behind = b->params->far_behind;
    double least = 0;
    int peers = b->candidate_count - 1, kept = 0;
    for (int e = 0; e < peers; e++) {
        double ns = s->child.mailbox->sample_ns[e][0];
        least = e == 0 || ns < least ? ns : least;
    }
    for (int e = 0; e < b->candidate_count; e++) {
        if (e < peers && s->child.mailbox->sample_ns[e][0] > far_behind * least)
            continue;
        b->peer_of[kept] = b->peer_of[e];
        b->bursts.request.time.candidates[kept] = b->bursts.request.time.candidates[e];
        b->bursts.request.time.times[kept++] = b->bursts.request.time.times[e];
    }
    b->candidate_count = b->bursts.request.time.candidate_count = kept;
}

/* The number of samples in a burst, as far as the budget permits. */
static int samples_for(const struct bench *b, double round_ns)
{
    double fitting = (double)b->params->budget_ns / BURSTS / round_ns;
    int samples = fitting < 1 ? 1 : fitting > GR_MAX_SAMPLES ? GR_MAX_SAMPLES : (int)fitting;
    /* An interval requires six samples in three bursts. If the user requested several peers, more
     * time is acceptable. */
    int least = round_ns < (double)b->params->long_round_ns ? 3 : b->candidate_count > 2 ? 2 : 1;
    return samples < least ? least : samples;
}

void gr_timing_calibrate(const struct gr_session *s, const struct gr_timing_params *params,
                         double ns, int *times, bool *warmed)
{
    const bool successive = s->backend->memory != NULL;
    *times = (int)((double)params->shortest_sample_ns / ns) + 1;
    *warmed = !successive &&
              (s->threads * s->callers > 1 || (!params->cold && *times < FEW_PRODUCTS)) &&
              ns < (double)params->long_product_ns;
    /* With few products per caller, the sample would show which caller ends last, more than their
     * rates. */
    const int least = (int)((double)long_sample_ns / ns) + 1;
    if (s->callers > 1)
        *times = *times > few_calls ? *times : least < few_calls ? least : few_calls;
    if (params->cold && !successive && s->callers == 1)
        *times = 1;
}

/* Runs until the clock frequency has settled, and chooses the number of products per sample and of
 * samples per burst. */
static enum gradus_status calibrate(struct gr_session *s, struct bench *b, bool *alive,
                                    struct gr_outcome *o, struct gradus_error *error)
{
    const struct gr_timing_params *params = b->params;
    struct gr_reply reply;
    double round_ns = 0;
    int64_t start_ns = gr_now_ns();
    b->bursts.request.time.samples = 1;
    for (int e = 0; e < b->candidate_count; e++)
        b->bursts.request.time.times[e] = 1;
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        int64_t round_start_ns = gr_now_ns();
        enum gradus_status status = gr_bursts_ask(s, &b->bursts, &reply, alive, o, error);
        if (status != GRADUS_OK || !*alive)
            return status;
        for (int e = 0; e < b->candidate_count; e++) {
            gr_timing_calibrate(s, params, s->child.mailbox->sample_ns[e][0] + 1,
                                &b->bursts.request.time.times[e],
                                &b->bursts.request.time.warmed[e]);
        }
        /* The duration of a round includes waiting for other threads to sleep. */
        round_ns = (double)(gr_now_ns() - round_start_ns) + 1;
        if (gr_now_ns() - start_ns > params->warm_up_ns && round > 0)
            break;
        if (round_ns > 1e8)
            break;
    }
    if (round_ns > (double)params->long_round_ns && b->candidate_count > 2)
        leave_out_slow(s, b);
    b->bursts.request.time.samples = samples_for(b, round_ns);
    return GRADUS_OK;
}

static void collect(const struct gr_session *s, struct bench *b, const struct gr_reply *reply)
{
    int last = b->candidate_count - 1;
    for (int i = 0; i < reply->samples; i++, b->count++)
        for (int e = 0; e <= last; e++) {
            const double *ns = s->child.mailbox->sample_ns[e];
            b->samples[e][b->count] = ns[i];
            b->ratios[e][b->count] = ns[i] / s->child.mailbox->sample_ns[last][i];
        }
    if (reply->fma_gflops > b->fma_gflops)
        b->fma_gflops = reply->fma_gflops;
    b->disturbed = reply->disturbed < 0 || b->disturbed < 0 ? -1 : b->disturbed + reply->disturbed;
}

static void summarise(struct bench *b, struct gr_timing *timing)
{
    timing->time_ns = gr_stat_of(b->samples[b->candidate_count - 1], b->count);
    for (int e = 0; e < b->candidate_count - 1; e++) {
        timing->peers[b->peer_of[e]].time_ns = gr_stat_of(b->samples[e], b->count);
        timing->peers[b->peer_of[e]].speedup = gr_ratio_of(b->ratios[e], b->count);
    }
    timing->fma_gflops = b->fma_gflops;
    timing->disturbed = b->disturbed < 0 ? -1 : (double)b->disturbed / b->count;
}

/* Runs one burst and checks its last C. */
static enum gradus_status run_burst(struct gr_session *s, struct bench *b, int turn, int samples,
                                    struct gr_outcome *o, bool *alive, struct gradus_error *error)
{
    struct gr_reply reply;
    b->bursts.request.time.samples = samples;
    enum gradus_status status = gr_bursts_ask(s, &b->bursts, &reply, alive, o, error);
    gr_session_watch(s);
    if (status != GRADUS_OK || !*alive)
        return status;
    collect(s, b, &reply);
    b->bursts.request.time.first_set = (reply.last_set + 1) % b->bursts.request.time.plan.sets;
    return gr_bursts_check_last(s, &b->bursts, &reply, turn, o, error);
}

/* Each turn is divided into two bursts at a random sample, which a kernel cannot predict, so that a
 * C in the middle is checked as well as the last one. */
static enum gradus_status run_bursts(struct gr_session *s, struct bench *b, struct gr_outcome *o,
                                     bool *alive, struct gradus_error *error)
{
    const int samples = b->bursts.request.time.samples;
    b->bursts.request.time.fma = true;
    b->bursts.request.time.watch = true;
    b->bursts.request.time.vary = true;
    for (int turn = 0; turn < BURSTS; turn++) {
        enum gradus_status status = gr_bursts_fill(s, &b->bursts, turn, error);
        int first = samples > 1 ? 1 + (int)(gr_rng_unit(&b->bursts.rng) * (samples - 1)) : 0;
        if (status == GRADUS_OK && first > 0)
            status = run_burst(s, b, turn, first, o, alive, error);
        if (status == GRADUS_OK && *alive && o->verdict == GR_RIGHT)
            status = run_burst(s, b, turn, samples - first, o, alive, error);
        if (status != GRADUS_OK || !*alive || o->verdict != GR_RIGHT)
            return status;
    }
    return GRADUS_OK;
}

static enum gradus_status enter(struct gr_session *s, struct bench *b,
                                const struct gr_candidate *candidate, int peer,
                                struct gradus_error *error)
{
    enum gradus_status status = gr_session_ready(
        s, candidate, &b->bursts.request.time.candidates[b->candidate_count], error);
    b->peer_of[b->candidate_count] = peer;
    b->bursts.request.time.candidate_count = ++b->candidate_count;
    return status;
}

struct gr_timing_params gr_timing_params_of(const struct gr_session *s,
                                            const struct gr_candidate *candidate)
{
    const int64_t shortest_ns = s->callers > 1 ? 10000000 : s->threads > 1 ? 1000000 : 100000;
    return (struct gr_timing_params){.candidate = candidate,
                                     .budget_ns = s->options.budget_ns,
                                     .limit_ns = BURSTS * s->callers * s->options.time_limit_ns,
                                     .cold = gr_bursts_cold(s, &s->pairs[0].problem),
                                     .shortest_sample_ns = shortest_ns,
                                     .warm_up_ns = 60000000,
                                     .long_product_ns = 5000000,
                                     .long_round_ns = 300000000,
                                     .far_behind = 1.5};
}

static void begin(const struct gr_session *s, const struct gr_timing_params *params,
                  struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->params = params;
    gr_bursts_begin(s, &s->pairs[0].problem, params->limit_ns, &b->bursts);
}

/* Adds the peers, and then the candidate. */
static enum gradus_status enter_all(struct gr_session *s, struct bench *b,
                                    struct gradus_error *error)
{
    const struct gr_timing_params *params = b->params;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < params->peer_count && status == GRADUS_OK; i++)
        status = enter(s, b, &params->peers[i], i, error);
    if (status == GRADUS_OK)
        status = enter(s, b, params->candidate, -1, error);
    if (status == GRADUS_OK)
        status = gr_session_bind(s, params->candidate, &b->bursts.request.time.item, error);
    return status;
}

enum gradus_status gr_time(struct gr_session *s, const struct gr_timing_params *params,
                           struct gr_timing *timing, struct gr_outcome *o,
                           struct gradus_error *error)
{
    static struct bench b; /* static because it is large; a session is used by one thread */
    begin(s, params, &b);
    *timing = (struct gr_timing){.cold = params->cold};
    gr_bursts_plan_touches(s, &b.bursts);
    enum gradus_status status =
        gr_bursts_lay_out(s, &b.bursts, gr_bursts_sets(s, &b.bursts.problem, params->cold), error);
    if (status == GRADUS_OK)
        status = enter_all(s, &b, error);
    if (status != GRADUS_OK)
        return status;
    bool alive = true;
    status = gr_bursts_fill(s, &b.bursts, 0, error);
    if (status == GRADUS_OK)
        status = calibrate(s, &b, &alive, o, error);
    if (status == GRADUS_OK && alive)
        status = run_bursts(s, &b, o, &alive, error);
    if (status == GRADUS_OK && alive && o->verdict == GR_RIGHT)
        summarise(&b, timing);
    /* Either the kernel has lowered the limits of its process, or memory is short. Only this row
     * fails. */
    if (status == GRADUS_NO_MEMORY && s->child.pid) {
        o->verdict = GR_FAILED;
        snprintf(o->reason, sizeof o->reason, "right when verified, not timed: %.180s",
                 error ? error->text : "no memory");
        gradus_error_clear(error);
        gr_child_stop(&s->child);
        status = GRADUS_OK;
    }
    double *fastest = &s->fma_gflops[gr_backend_burst_type(s->backend, b.bursts.problem.types)];
    if (b.fma_gflops > *fastest)
        *fastest = b.fma_gflops;
    return status;
}

enum gradus_status gr_time_once(struct gr_session *s, const struct gr_candidate *candidate,
                                const struct gr_problem *problem, int64_t *ns, struct gr_outcome *o,
                                struct gradus_error *error)
{
    static struct bench b;
    memset(&b, 0, sizeof b);
    gr_bursts_begin(s, problem, s->options.time_limit_ns, &b.bursts);
    enum gradus_status status = gr_bursts_lay_out(s, &b.bursts, 1, error);
    if (status == GRADUS_OK)
        status = enter(s, &b, candidate, -1, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        gr_outcome_of_death(s, NULL, problem, status,
                            o); /* died in a constructor of the kernel's file */
        return GRADUS_OK;
    }
    b.bursts.request.time.item.a = (struct gr_arena_place){.segment = GR_SEG_A};
    b.bursts.request.time.item.b = (struct gr_arena_place){.segment = GR_SEG_B};
    b.bursts.request.time.item.c = (struct gr_arena_place){.segment = GR_SEG_C};
    if (status == GRADUS_OK)
        status = gr_session_bind(s, candidate, &b.bursts.request.time.item, error);
    if (status != GRADUS_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        int64_t span = gr_problem_span(&b.bursts.problem, "ABC"[i]);
        gr_fill_matrix(GR_FILL_UNIFORM, (uint64_t)i, gr_problem_type(&b.bursts.problem, "ABC"[i]),
                       1, span, span, s->arena.segment[i]);
    }
    struct gr_request request = {.op = GR_OP_RUN};
    struct gr_reply reply = {0};
    request.run.candidate = b.bursts.request.time.candidates[0];
    request.run.item = b.bursts.request.time.item;
    request.run.item.take_snapshot = false;
    status = gr_session_ask(s, &request, &reply, b.bursts.limit_ns, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        gr_outcome_of_death(s, NULL, problem, status, o);
        status = GRADUS_OK;
    }
    *ns = reply.ns;
    return status;
}

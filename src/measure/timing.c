/* timing.c: times interleaved samples on rotating operand sets. SPDX-License-Identifier: MIT */
#include "measure/timing.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/rng.h"
#include "measure/pair_touch.h"
#include "measure/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BURSTS = 3, WARM_UP_ROUNDS = 40 };
/* Beside fewer warm products than this in a sample, what the first one finds in the caches shows:
 * another library's product has left it there. */
enum { FEW_PRODUCTS = 4 };
/* Callers make so many calls in a sample, or as many as fit. */
static const int few_calls = 8;
static const int64_t long_sample_ns = 100000000;
/* Up to this size small products are used warm, so that is how they are timed. */
static const int64_t warm_until = 512;

struct bench {
    const struct gr_timing_params *params;
    struct gr_problem problem;
    /* Indices into the caller's peers. The kernel, which comes last, has none. */
    int peer_of[GR_MAX_CANDIDATES];
    int candidate_count;
    struct gr_request request;
    int64_t limit_ns;
    double samples[GR_MAX_CANDIDATES][BURSTS * GR_MAX_SAMPLES];
    double ratios[GR_MAX_CANDIDATES][BURSTS * GR_MAX_SAMPLES];
    double fma_gflops;
    struct gr_rng rng; /* for what a kernel must not predict */
    int count;
    int disturbed; /* of these rounds; negative: unknown */
};

static bool is_cold(const struct gr_session *s, const struct gr_problem *p)
{
    if (s->options.cache != GR_CACHE_BY_SIZE)
        return s->options.cache == GR_CACHE_COLD;
    return p->m > warm_until || p->n > warm_until || p->k > warm_until;
}

/* The number of operand sets in a rotation: cold sets together are twice the last-level cache. A
 * device runs many GEMMs at once, each of which needs its own inputs (measure/touch.h). */
static int count_sets(const struct gr_session *s, const struct gr_problem *p, bool cold)
{
    double bytes = gr_problem_bytes(p), cache = (double)s->llc_bytes;
    double fitting = cache / (bytes > 1 ? bytes : 1);
    /* Warm sets of a device fit into its last-level cache. */
    double sets = cold ? 2 * fitting + 1 : s->backend->memory ? fitting / 4 : 1;
    return sets < 1 ? 1 : sets > GR_MAX_SETS ? GR_MAX_SETS : (int)sets;
}

/* Callers have as many sets each, and one at least. */
static int count_sets_of_all(const struct gr_session *s, const struct gr_problem *p, bool cold)
{
    const int sets = count_sets(s, p, cold), callers = s->callers;
    const int each = (sets + callers - 1) / callers, most = GR_MAX_SETS / callers;
    return callers * (each < most ? each : most);
}

/* The distance between sets in bytes; an odd number of cache lines avoids conflicts between sets
 * in the caches. */
static uint64_t stride_of(const struct gr_problem *p, char operand)
{
    return (gr_operand_bytes(p, operand) + 63) / 64 * 64 + 64 * 17;
}

/* Sizes the arena for one set of operands and the snapshot, and plans the rotation. */
static enum gradus_status lay_out(struct gr_session *s, struct bench *b, int sets,
                                  struct gradus_error *error)
{
    struct gr_arena_plan arena = {.count = GR_SEG_COUNT};
    struct gr_rotation_plan *plan = &b->request.time.plan;
    struct gr_work_item *item = &b->request.time.item;
    struct gr_arena_place *places[] = {&item->a, &item->b, &item->c};
    uint64_t before = 0;
    plan->sets = sets;
    for (int o = 0; o < 3; o++) {
        /* The offsets within a page follow one another, so that small operands do not compete
         * for the same sets of L1; a few more lines separate operands of whole pages, which
         * would otherwise all begin at the same set. */
        plan->offset[o] = (before + 64 * 5 * (uint64_t)o) % 4096;
        before += (gr_operand_bytes(&b->problem, "ABC"[o]) + 63) / 64 * 64;
        plan->stride[o] = stride_of(&b->problem, "ABC"[o]);
        *places[o] =
            (struct gr_arena_place){.segment = GR_ROTATION_A + o, .offset = plan->offset[o]};
        arena.bytes[o] = gr_operand_bytes(&b->problem, "ABC"[o]);
    }
    arena.bytes[GR_SEG_SNAPSHOT] = arena.bytes[GR_SEG_C];
    item->problem = b->problem;
    item->take_snapshot = true;
    item->snapshot = (struct gr_arena_place){.segment = GR_SEG_SNAPSHOT};
    return gr_session_arena(s, &arena, error);
}

/* Set i holds pair (i + turn) mod 3, which gives it other inputs each turn. */
static const struct gr_pair *pair_of(const struct gr_session *s, int set, int turn)
{
    return &s->pairs[(set + turn) % GR_PAIRS];
}

static enum gradus_status fill_sets(struct gr_session *s, struct bench *b, int turn,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    b->request.time.touch.seed = gr_rng_next(&b->rng);
    for (int first = 0;
         first < GR_PAIRS && first < b->request.time.plan.sets && status == GRADUS_OK; first++) {
        const struct gr_pair *pair = pair_of(s, first, turn);
        const void *const sources[] = {pair->a, pair->b, pair->c0};
        struct gr_request request = {.op = GR_OP_FILL};
        struct gr_reply reply;
        request.fill.plan = b->request.time.plan;
        request.fill.first = first;
        request.fill.step = GR_PAIRS;
        for (int o = 0; o < 3; o++) {
            request.fill.operands[o] = (struct gr_arena_place){.segment = o};
            request.fill.bytes[o] = gr_operand_bytes(&b->problem, "ABC"[o]);
            memcpy(s->arena.segment[o], sources[o], request.fill.bytes[o]);
        }
        status = gr_session_ask(s, &request, &reply, gr_housekeeping_limit_ns, error);
    }
    return status;
}

/* The values in the pairs determine how large a change must be to be detected. User data with
 * NaN or Inf are not changed. */
static void plan_touches(const struct gr_session *s, struct bench *b)
{
    double typical[2] = {0, 0};
    for (int i = 0; i < GR_PAIRS; i++)
        for (int o = 0; o < 2; o++) {
            double size = gr_pair_typical(&s->pairs[i], "AB"[o]);
            typical[o] = isnan(size) ? size : fmax(typical[o], size);
        }
    b->rng.state = (uint64_t)gr_now_ns() ^ (uint64_t)getpid() << 40;
    gr_touch_plan_make(&b->problem, typical, s->backend->memory != NULL, 0, &b->request.time.touch);
    b->request.time.touch.on &= isfinite(typical[0]) && isfinite(typical[1]);
}

static void mark_wrong(struct gr_outcome *o, const char *why)
{
    o->verdict = GR_WRONG;
    snprintf(o->reason, sizeof o->reason, "right when verified, wrong when timed: %.180s", why);
}

/* Checks the last C of a burst against the reference for the inputs that its set had by then. */
static enum gradus_status check_last(struct gr_session *s, const struct bench *b,
                                     const struct gr_reply *reply, int turn, struct gr_outcome *o,
                                     struct gradus_error *error)
{
    struct gr_pair *pair = &s->pairs[(reply->last_set + turn) % GR_PAIRS];
    const struct gr_touch_plan *plan = &b->request.time.touch;
    struct gr_pair_touches touches;
    struct gr_check check = {0};
    const int reported = o->findings.count;
    enum gradus_status status = gr_pair_touch(pair, plan, reply->last_set, reply->ordinal,
                                              s->backend->memory != NULL, &touches, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_check_result(pair->reference, 1, 0, NULL, s->arena.segment[GR_SEG_SNAPSHOT],
                             pair->c0, false, &check, &o->findings, error);
    gr_pair_untouch(pair, plan, &touches);
    if (status != GRADUS_OK)
        return status;
    if (!check.right) {
        o->check = check;
        mark_wrong(o, o->findings.count > reported ? o->findings.items[reported].text : "");
    } else if (reply->late) {
        gr_findings_add(&o->findings, GR_FIND_LATE, 0,
                        "C changed after the kernel had returned: it finished after its own time "
                        "was taken");
        mark_wrong(o, "C changed after the kernel had returned");
    }
    return GRADUS_OK;
}

/* Requests one burst. *alive is false if the kernel killed the worker. */
static enum gradus_status ask_burst(struct gr_session *s, struct bench *b, struct gr_reply *reply,
                                    bool *alive, struct gr_outcome *o, struct gradus_error *error)
{
    *alive = true;
    enum gradus_status status = gr_session_ask(s, &b->request, reply, b->limit_ns, error);
    if (status != GRADUS_CRASHED && status != GRADUS_TIMED_OUT)
        return status;
    gr_outcome_of_death(s, &b->problem, status, o);
    *alive = false;
    return GRADUS_OK;
}

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
        b->request.time.candidates[kept] = b->request.time.candidates[e];
        b->request.time.times[kept++] = b->request.time.times[e];
    }
    b->candidate_count = b->request.time.candidate_count = kept;
}

/* Samples of a burst: as many as the budget has room for. */
static int samples_for(const struct bench *b, double round_ns)
{
    double fitting = (double)b->params->budget_ns / BURSTS / round_ns;
    int samples = fitting < 1 ? 1 : fitting > GR_MAX_SAMPLES ? GR_MAX_SAMPLES : (int)fitting;
    /* An interval needs six; several peers were requested by somebody who has the time. */
    int least = round_ns < (double)b->params->long_round_ns ? 3 : b->candidate_count > 2 ? 2 : 1;
    return samples < least ? least : samples;
}

/* Runs until the clock has launch_origin, and chooses products per sample and samples per burst. */
static enum gradus_status calibrate(struct gr_session *s, struct bench *b, bool *alive,
                                    struct gr_outcome *o, struct gradus_error *error)
{
    const struct gr_timing_params *params = b->params;
    struct gr_reply reply;
    double round_ns = 0;
    int64_t start_ns = gr_now_ns();
    b->request.time.samples = 1;
    for (int e = 0; e < b->candidate_count; e++)
        b->request.time.times[e] = 1;
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        int64_t round_start_ns = gr_now_ns();
        enum gradus_status status = ask_burst(s, b, &reply, alive, o, error);
        if (status != GRADUS_OK || !*alive)
            return status;
        for (int e = 0; e < b->candidate_count; e++) {
            double ns = s->child.mailbox->sample_ns[e][0] + 1;
            int times = (int)((double)params->shortest_sample_ns / ns) + 1;
            b->request.time.warmed[e] =
                !b->request.time.successive &&
                (s->threads * s->callers > 1 || (!params->cold && times < FEW_PRODUCTS)) &&
                ns < (double)params->long_product_ns;
            /* Few products of each would say more of who ends last than of their rates. */
            const int least = (int)((double)long_sample_ns / ns) + 1;
            if (s->callers > 1)
                times = times > few_calls ? times : least < few_calls ? least : few_calls;
            const bool single = params->cold && !b->request.time.successive && s->callers == 1;
            b->request.time.times[e] = single ? 1 : times;
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
    b->request.time.samples = samples_for(b, round_ns);
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
    b->request.time.samples = samples;
    enum gradus_status status = ask_burst(s, b, &reply, alive, o, error);
    gr_session_watch(s);
    if (status != GRADUS_OK || !*alive)
        return status;
    collect(s, b, &reply);
    b->request.time.first_set = (reply.last_set + 1) % b->request.time.plan.sets;
    return check_last(s, b, &reply, turn, o, error);
}

/* Each turn is divided in two bursts at a random sample that no kernel can predict, so that a C
 * in the middle of it is checked as well as the last one. */
static enum gradus_status run_bursts(struct gr_session *s, struct bench *b, struct gr_outcome *o,
                                     bool *alive, struct gradus_error *error)
{
    const int samples = b->request.time.samples;
    b->request.time.fma = true;
    b->request.time.watch = true;
    b->request.time.vary = true;
    for (int turn = 0; turn < BURSTS; turn++) {
        enum gradus_status status = fill_sets(s, b, turn, error);
        int first = samples > 1 ? 1 + (int)(gr_rng_unit(&b->rng) * (samples - 1)) : 0;
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
    enum gradus_status status =
        gr_session_ready(s, candidate, &b->request.time.candidates[b->candidate_count], error);
    b->peer_of[b->candidate_count] = peer;
    b->request.time.candidate_count = ++b->candidate_count;
    return status;
}

struct gr_timing_params gr_timing_params_of(const struct gr_session *s,
                                            const struct gr_candidate *candidate)
{
    const int64_t shortest_ns = s->callers > 1 ? 10000000 : s->threads > 1 ? 1000000 : 100000;
    return (struct gr_timing_params){.candidate = candidate,
                                     .budget_ns = s->options.budget_ns,
                                     .limit_ns = BURSTS * s->callers * s->options.time_limit_ns,
                                     .cold = is_cold(s, &s->pairs[0].problem),
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
    b->problem = s->pairs[0].problem;
    b->problem.alpha = 1;
    b->problem.beta = 0;
    b->limit_ns = params->limit_ns;
    b->request.op = GR_OP_TIME;
    /* A device is given its products many at a time, which must not find their operands cached. */
    b->request.time.successive = s->backend->memory != NULL;
    snprintf(b->request.time.math, sizeof b->request.time.math, "%s", s->pairs_math);
}

/* The peers, and the candidate as the last. */
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
        status = gr_session_bind(s, params->candidate, &b->request.time.item, error);
    return status;
}

enum gradus_status gr_time(struct gr_session *s, const struct gr_timing_params *params,
                           struct gr_timing *timing, struct gr_outcome *o,
                           struct gradus_error *error)
{
    static struct bench b; /* large; a session is one thread's */
    begin(s, params, &b);
    *timing = (struct gr_timing){.cold = params->cold};
    plan_touches(s, &b);
    enum gradus_status status =
        lay_out(s, &b, count_sets_of_all(s, &b.problem, params->cold), error);
    if (status == GRADUS_OK)
        status = enter_all(s, &b, error);
    if (status != GRADUS_OK)
        return status;
    bool alive = true;
    status = fill_sets(s, &b, 0, error);
    if (status == GRADUS_OK)
        status = calibrate(s, &b, &alive, o, error);
    if (status == GRADUS_OK && alive)
        status = run_bursts(s, &b, o, &alive, error);
    if (status == GRADUS_OK && alive && o->verdict == GR_RIGHT)
        summarise(&b, timing);
    /* The kernel has lowered its process's limits, or memory really is short: only this row
     * fails. */
    if (status == GRADUS_NO_MEMORY && s->child.pid) {
        o->verdict = GR_FAILED;
        snprintf(o->reason, sizeof o->reason, "right when verified, not timed: %.180s",
                 error ? error->text : "no memory");
        gradus_error_clear(error);
        gr_child_stop(&s->child);
        status = GRADUS_OK;
    }
    double *fastest = &s->fma_gflops[gr_backend_burst_type(s->backend, b.problem.types)];
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
    b.problem = *problem;
    b.problem.alpha = 1;
    b.problem.beta = 0;
    b.limit_ns = s->options.time_limit_ns;
    enum gradus_status status = lay_out(s, &b, 1, error);
    if (status == GRADUS_OK)
        status = enter(s, &b, candidate, -1, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        gr_outcome_of_death(s, problem, status, o); /* died in a constructor of the kernel's file */
        return GRADUS_OK;
    }
    b.request.time.item.a = (struct gr_arena_place){.segment = GR_SEG_A};
    b.request.time.item.b = (struct gr_arena_place){.segment = GR_SEG_B};
    b.request.time.item.c = (struct gr_arena_place){.segment = GR_SEG_C};
    if (status == GRADUS_OK)
        status = gr_session_bind(s, candidate, &b.request.time.item, error);
    if (status != GRADUS_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        int64_t span = gr_problem_span(&b.problem, "ABC"[i]);
        gr_fill_matrix(GR_FILL_UNIFORM, (uint64_t)i, gr_problem_type(&b.problem, "ABC"[i]), 1, span,
                       span, s->arena.segment[i]);
    }
    struct gr_request request = {.op = GR_OP_RUN};
    struct gr_reply reply = {0};
    request.run.candidate = b.request.time.candidates[0];
    request.run.item = b.request.time.item;
    request.run.item.take_snapshot = false;
    status = gr_session_ask(s, &request, &reply, b.limit_ns, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        gr_outcome_of_death(s, problem, status, o);
        status = GRADUS_OK;
    }
    *ns = reply.ns;
    return status;
}

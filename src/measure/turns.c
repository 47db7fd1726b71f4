/* turns.c: runs several kernels in one worker. SPDX-License-Identifier: MIT */
#include "measure/turns.h"

#include "core/clock.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

/* The inputs of all sets change after this many bursts. */
enum { BURSTS_OF_A_FILL = 8, WARM_UP_ROUNDS = 8 };

void gr_turns_open(struct gr_session *session, const struct gr_candidate *candidates, int count,
                   struct gr_turns *t)
{
    memset(t, 0, sizeof *t);
    t->session = session;
    t->count = count;
    for (int i = 0; i < count; i++) {
        t->candidates[i] = candidates[i];
        t->candidates[i].slot = i + 1;
    }
    t->params = gr_timing_params_of(session, &t->candidates[0]);
    gr_bursts_begin(session, &session->pairs[0].problem, session->options.time_limit_ns,
                    &t->bursts);
    gr_bursts_plan_touches(session, &t->bursts);
}

void gr_turns_renew(struct gr_turns *t)
{
    gr_child_stop(&t->session->child);
    t->ready = false;
}

static bool is_blamed(const struct gr_turns_result *result)
{
    return result->blamed >= 0;
}

static void blame(struct gr_turns *t, int candidate, struct gr_turns_result *result)
{
    t->gone[candidate] = true;
    result->blamed = candidate;
    result->rounds = 0;
}

/* Records a failure of this candidate before it could run: in the constructors of its file, or
 * because the device refuses a launch. */
static enum gradus_status blame_status(struct gr_turns *t, int candidate, enum gradus_status status,
                                       struct gr_turns_result *result, struct gradus_error *error)
{
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT)
        gr_outcome_of_death(t->session, NULL, &t->bursts.problem, status, &result->outcome);
    else if (status == GRADUS_LAUNCH || status == GRADUS_UNSUPPORTED) {
        result->outcome.verdict = GR_FAILED;
        snprintf(result->outcome.reason, sizeof result->outcome.reason, "%.250s",
                 error ? error->text : "it cannot be launched");
    } else
        return status;
    gradus_error_clear(error);
    blame(t, candidate, result);
    return GRADUS_OK;
}

/* Loads one kernel, and binds its arguments. */
static enum gradus_status load_one(struct gr_turns *t, int i, struct gradus_error *error)
{
    struct gr_session *s = t->session;
    struct gr_request request = {.op = GR_OP_BIND};
    struct gr_reply reply;
    int id;
    enum gradus_status status = gr_session_ready(s, &t->candidates[i], &id, error);
    request.bind.kernel = t->candidates[i].slot;
    request.bind.item = t->bursts.request.time.item;
    if (status == GRADUS_OK)
        status = gr_session_bind(s, &t->candidates[i], &request.bind.item, error);
    if (status == GRADUS_OK)
        status = gr_session_ask(s, &request, &reply, gr_housekeeping_limit_ns, error);
    return status;
}

static enum gradus_status load_all(struct gr_turns *t, struct gr_turns_result *result,
                                   struct gradus_error *error)
{
    for (int i = 0; i < t->count; i++) {
        if (t->gone[i])
            continue;
        const enum gradus_status status = load_one(t, i, error);
        if (status != GRADUS_OK)
            return blame_status(t, i, status, result, error);
    }
    return GRADUS_OK;
}

/* In the request of a burst, the item is unused, because each candidate has its own. */
static enum gradus_status make_ready(struct gr_turns *t, struct gr_turns_result *result,
                                     struct gradus_error *error)
{
    struct gr_session *s = t->session;
    if (t->ready && s->child.pid && t->filled < BURSTS_OF_A_FILL)
        return GRADUS_OK;
    const bool loaded = t->ready && s->child.pid;
    enum gradus_status status = GRADUS_OK;
    if (!loaded) {
        const int sets = gr_bursts_sets(s, &t->bursts.problem, t->params.cold);
        status = gr_bursts_lay_out(s, &t->bursts, sets, error);
        if (status == GRADUS_OK)
            status = load_all(t, result, error);
    }
    if (status != GRADUS_OK || is_blamed(result))
        return status;
    t->turn = (t->turn + 1) % GR_PAIRS;
    t->filled = 0;
    t->bursts.request.time.first_set = 0;
    status = gr_bursts_fill(s, &t->bursts, t->turn, error);
    t->ready = status == GRADUS_OK;
    return status;
}

/* Runs one burst in this order, and checks its last C, or the first wrong one, completely. */
static enum gradus_status burst(struct gr_turns *t, const int *order, int count, int rounds,
                                struct gr_turns_result *result, struct gradus_error *error)
{
    struct gr_session *s = t->session;
    struct gr_reply reply = {0};
    bool alive = true;
    t->bursts.request.time.candidate_count = count;
    t->bursts.request.time.samples = rounds;
    for (int i = 0; i < count; i++) {
        t->bursts.request.time.candidates[i] = GR_CANDIDATE_KERNEL - t->candidates[order[i]].slot;
        t->bursts.request.time.times[i] = t->times[order[i]] ? t->times[order[i]] : 1;
        t->bursts.request.time.warmed[i] = t->warmed[order[i]];
    }
    t->bursts.limit_ns = s->options.time_limit_ns + (int64_t)(4 * count * rounds * t->slowest_ns);
    s->child.mailbox->running = -1;
    enum gradus_status status =
        gr_bursts_ask(s, &t->bursts, &reply, &alive, &result->outcome, error);
    gr_session_watch(s);
    if (status != GRADUS_OK)
        return status;
    const int running = s->child.mailbox->running;
    if (!alive && (running < 0 || running >= count))
        return gr_fail(error, GRADUS_CRASHED, "the worker ended between two kernels");
    if (!alive) {
        blame(t, order[running], result);
        t->ready = false;
        return GRADUS_OK;
    }
    t->bursts.request.time.first_set = (reply.last_set + 1) % t->bursts.request.time.plan.sets;
    t->filled++;
    status = gr_bursts_check_last(s, &t->bursts, &reply, t->turn, &result->outcome, error);
    if (status == GRADUS_OK && result->outcome.verdict != GR_RIGHT)
        blame(t, order[reply.last], result);
    else if (status == GRADUS_OK && reply.samples < rounds) {
        result->outcome.verdict = GR_WRONG;
        snprintf(result->outcome.reason, sizeof result->outcome.reason,
                 "right when verified, wrong when timed: an element of C that was inspected");
        blame(t, order[reply.last], result);
    }
    t->disturbed = reply.disturbed < 0 || t->disturbed < 0 ? -1 : t->disturbed + reply.disturbed;
    t->rounds += reply.samples;
    return status;
}

/* Runs untimed rounds until the clock and the caches have settled. */
static enum gradus_status warm_up(struct gr_turns *t, const int *order, int count,
                                  struct gr_turns_result *result, struct gradus_error *error)
{
    const int64_t start_ns = gr_now_ns();
    enum gradus_status status = GRADUS_OK;
    for (int round = 0; round < WARM_UP_ROUNDS && status == GRADUS_OK && !is_blamed(result) &&
                        (round == 0 || gr_now_ns() - start_ns < t->params.warm_up_ns);
         round++) {
        status = burst(t, order, count, 1, result, error);
        for (int i = 0; i < count && status == GRADUS_OK && !is_blamed(result); i++) {
            const double ns = t->session->child.mailbox->sample_ns[i][0] + 1;
            gr_timing_calibrate(t->session, &t->params, ns, &t->times[order[i]],
                                &t->warmed[order[i]]);
            t->slowest_ns = ns > t->slowest_ns ? ns : t->slowest_ns;
        }
    }
    t->disturbed = t->rounds = 0;
    return status;
}

enum gradus_status gr_turns_take(struct gr_turns *t, const int *order, int count, int rounds,
                                 const double **ns, struct gr_turns_result *result,
                                 struct gradus_error *error)
{
    *result = (struct gr_turns_result){.rounds = rounds, .blamed = -1};
    const bool fresh = !t->ready || !t->session->child.pid;
    enum gradus_status status = make_ready(t, result, error);
    t->bursts.request.time.watch = true;
    t->bursts.request.time.vary = true;
    if (status == GRADUS_OK && !is_blamed(result) && fresh)
        status = warm_up(t, order, count, result, error);
    if (status == GRADUS_OK && !is_blamed(result))
        status = burst(t, order, count, rounds, result, error);
    if (status != GRADUS_OK)
        result->rounds = 0;
    *ns = t->session->child.mailbox ? &t->session->child.mailbox->sample_ns[0][0] : NULL;
    return status;
}

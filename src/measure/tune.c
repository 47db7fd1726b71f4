/* tune.c: builds, verifies, and races the candidates, and races the fastest again.
 * SPDX-License-Identifier: MIT */
#include "measure/tune.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/rng.h"
#include "base/stop.h"
#include "base/str.h"
#include "measure/stats.h"
#include "measure/tune_candidates.h"
#include "measure/tune_model.h"
#include "measure/turns.h"
#include "measure/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FINALISTS = 8, /* in addition to the default */
    /* If chance in a process decided, all six processes would favour the same one of two equal
     * candidates in 1.6 % of the cases for each direction, and the range of their medians would
     * contain the true one in 96.9 %. */
    PROCESSES = 6,
    LEAST_ROUNDS = 4, /* of each process in the final round */
    MOST_ROUNDS = 20,
    /* Of a race, once it has no more candidates left than take part in the final round. */
    ENOUGH_ROUNDS = 24
};

struct tuning {
    struct gr_session *session;
    const struct gr_tune_params *params;
    struct gr_tune *tune;
    struct gr_rng rng;
    int64_t start_ns;
    struct gr_turns *turns;
    int entries[GR_TUNE_CANDIDATES]; /* the candidates of the current race */
    int entry_count;
};

static bool is_past(const struct tuning *t, double share)
{
    return (double)(gr_now_ns() - t->start_ns) > share * (double)t->params->limit_ns;
}

static void set_fate(struct gr_tune_candidate *c, enum gr_tune_fate fate, enum gr_verdict verdict,
                     const char *reason)
{
    c->fate = fate;
    c->verdict = verdict;
    snprintf(c->reason, sizeof c->reason, "%.255s", reason ? reason : "");
}

/* A failure of a candidate is stored in the candidate; an error of Gradus itself is returned. */
static enum gradus_status take_failure(struct gr_tune_candidate *c, enum gradus_status status,
                                       struct gradus_error *why, struct gradus_error *error)
{
    if (status == GRADUS_COMPILE)
        set_fate(c, GR_TUNE_WRONG, GR_NO_COMPILE, why->text);
    else if (status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH)
        set_fate(c, GR_TUNE_REFUSED, GR_REFUSED, why->text);
    else if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT)
        set_fate(c, GR_TUNE_WRONG, GR_FAILED, why->text);
    else if (status != GRADUS_OK) {
        gradus_error_clear(error);
        *error = *why;
        *why = (struct gradus_error){0};
        return status;
    }
    gradus_error_clear(why);
    return GRADUS_OK;
}

static struct gr_candidate candidate_of(const struct gr_tune_candidate *c)
{
    return (struct gr_candidate){.variant = &c->variant, .artifact = &c->artifact};
}

/* ---- Building. ---- */

/* Would the device accept the launches, with the resources that the compiled code needs? */
static enum gradus_status admit(const struct tuning *t, const struct gr_tune_candidate *c,
                                struct gradus_error *error)
{
    struct gr_work_item *item = calloc(1, sizeof *item);
    if (!item)
        return gr_fail_memory(error, "a launch", sizeof *item);
    const struct gr_candidate candidate = candidate_of(c);
    item->problem = t->params->problem;
    item->problem.alpha = 1;
    item->problem.beta = 0;
    for (int o = 0; o < 3; o++)
        *(struct gr_arena_place *[]){&item->a, &item->b, &item->c}[o] =
            (struct gr_arena_place){.segment = GR_ROTATION_A + o};
    enum gradus_status status = gr_session_bind(t->session, &candidate, item, error);
    free(item);
    return status;
}

static enum gradus_status build_all(struct tuning *t, struct gradus_error *error)
{
    struct gr_session *s = t->session;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < t->tune->count && status == GRADUS_OK && (i == 0 || !is_past(t, 0.3));
         i++) {
        struct gr_tune_candidate *c = &t->tune->candidates[i];
        struct gradus_error why = {0};
        gr_session_report(s, "building %d of %d", i + 1, t->tune->count);
        if (gr_stop_requested())
            return gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
        status = s->backend->prepare(s->found, &c->variant, &s->options.build, &c->artifact, &why);
        if (status == GRADUS_OK)
            c->fate = GR_TUNE_READY;
        if (status == GRADUS_OK)
            status = admit(t, c, &why);
        status = take_failure(c, status, &why, error);
    }
    return status;
}

static int64_t stack_bytes(const struct gr_tune_candidate *c)
{
    int64_t most = 0;
    for (int i = 0; i < GR_MAX_STANZAS; i++)
        most = c->artifact.code[i].stack_bytes > most ? c->artifact.code[i].stack_bytes : most;
    return most;
}

/* Removes candidates that use local memory, unless all of them do: then the kernel itself requires
 * it. */
static void leave_out_spills(struct gr_tune *tune)
{
    bool any_without = false;
    for (int i = 0; i < tune->count; i++)
        any_without |=
            tune->candidates[i].fate == GR_TUNE_READY && stack_bytes(&tune->candidates[i]) == 0;
    for (int i = 0; i < tune->count && any_without; i++) {
        struct gr_tune_candidate *c = &tune->candidates[i];
        if (c->fate == GR_TUNE_READY && stack_bytes(c) > 0 && !c->is_default)
            c->fate = GR_TUNE_SPILLS;
    }
}

/* ---- Verifying. ---- */

static enum gradus_status verify(struct tuning *t, struct gr_tune_candidate *c, bool shapes,
                                 struct gradus_error *error)
{
    struct gr_outcome outcome = {0};
    struct gradus_error why = {0};
    const struct gr_candidate candidate = candidate_of(c);
    enum gradus_status status = shapes ? gr_verify_shapes(t->session, &candidate, &outcome, &why)
                                       : gr_verify(t->session, &candidate, &outcome, &why);
    if (status == GRADUS_OK && outcome.verdict != GR_RIGHT)
        set_fate(c, outcome.verdict == GR_REFUSED ? GR_TUNE_REFUSED : GR_TUNE_WRONG,
                 outcome.verdict, outcome.reason);
    gr_outcome_free(&outcome);
    if (gr_stop_requested()) {
        gradus_error_clear(&why);
        return gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
    }
    return take_failure(c, status, &why, error);
}

static enum gradus_status verify_all(struct tuning *t, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    bool any = false;
    for (int i = 0; i < t->tune->count && status == GRADUS_OK; i++) {
        struct gr_tune_candidate *c = &t->tune->candidates[i];
        if (c->fate != GR_TUNE_READY)
            continue;
        if (any && is_past(t, 0.55)) {
            c->fate = GR_TUNE_UNTRIED;
            continue;
        }
        gr_session_report(t->session, "verifying %d of %d", i + 1, t->tune->count);
        status = verify(t, c, false, error);
        any |= c->fate == GR_TUNE_READY;
    }
    return status;
}

/* Verifies the finalists at edge shapes, too, which takes longer than a race. */
static enum gradus_status verify_shapes(struct tuning *t, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    int kept = 0;
    for (int i = 0; i < t->entry_count && status == GRADUS_OK; i++) {
        struct gr_tune_candidate *c = &t->tune->candidates[t->entries[i]];
        gr_session_report(t->session, "verifying finalist %d of %d", i + 1, t->entry_count);
        if (!t->session->options.no_shapes)
            status = verify(t, c, true, error);
        if (c->fate == GR_TUNE_READY)
            t->entries[kept++] = t->entries[i];
    }
    if (status == GRADUS_OK)
        t->entry_count = kept;
    return status;
}

/* ---- Racing. ---- */

static void open_turns(struct tuning *t)
{
    struct gr_candidate candidates[GR_TUNE_CANDIDATES];
    for (int i = 0; i < t->entry_count; i++)
        candidates[i] = candidate_of(&t->tune->candidates[t->entries[i]]);
    gr_turns_open(t->session, candidates, t->entry_count, t->turns);
}

/* Shuffles the candidates that are left, so that none always follows the same one. */
static int draw_order(struct tuning *t, const struct gr_race *race, int *order)
{
    int count = 0;
    for (int i = 0; i < race->count; i++)
        if (!race->entries[i].out)
            order[count++] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)(gr_rng_unit(&t->rng) * (i + 1)), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    return count;
}

/* Takes rounds, and adds their samples to the race. A candidate that is wrong or kills the worker
 * is removed. */
static enum gradus_status take_rounds(struct tuning *t, struct gr_race *race, int rounds,
                                      struct gradus_error *error)
{
    int order[GR_TUNE_CANDIDATES];
    const int count = draw_order(t, race, order);
    const double *ns = NULL;
    struct gr_turns_result result;
    enum gradus_status status = gr_turns_take(t->turns, order, count, rounds, &ns, &result, error);
    if (status == GRADUS_OK && result.blamed >= 0) {
        set_fate(&t->tune->candidates[t->entries[result.blamed]], GR_TUNE_WRONG,
                 result.outcome.verdict, result.outcome.reason);
        gr_race_drop(race, result.blamed);
    }
    for (int r = 0; status == GRADUS_OK && r < result.rounds; r++) {
        for (int i = 0; i < count; i++)
            gr_race_add(race, order[i], ns[(size_t)i * GR_MAX_SAMPLES + r]);
        gr_race_next(race);
    }
    gr_outcome_free(&result.outcome);
    if (status == GRADUS_OK && gr_stop_requested())
        status = gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
    return status;
}

/* The number of rounds until the next decision of the race (race.c). */
static int rounds_of_a_burst(int rounds)
{
    return rounds < 4 ? 1 : rounds < 16 ? 2 : 4;
}

static enum gradus_status run_race(struct tuning *t, struct gr_race *race,
                                   struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_race_left(race) > 1 && race->rounds < GR_RACE_ROUNDS) {
        const int left = gr_race_left(race);
        if ((left <= FINALISTS && race->rounds >= ENOUGH_ROUNDS) ||
            (race->rounds > 2 && is_past(t, 0.75)))
            break;
        gr_session_report(t->session, "race: round %d, %d left", race->rounds + 1, left);
        status = take_rounds(t, race, rounds_of_a_burst(race->rounds), error);
        gr_race_look(race, -1);
    }
    t->tune->race_rounds = race->rounds;
    return status;
}

/* Each part of the final round runs in a new process, which has its own pages and cores. */
static enum gradus_status run_final(struct tuning *t, struct gr_race *race,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    const int64_t begun_ns = gr_now_ns();
    const double left_ns = fmax((double)(t->start_ns + t->params->limit_ns - begun_ns), 0);
    for (int p = 0; p < PROCESSES && status == GRADUS_OK && gr_race_left(race) > 0; p++) {
        const int first = race->rounds;
        const double until_ns = (double)begun_ns + left_ns * (p + 1) / PROCESSES;
        gr_turns_renew(t->turns);
        while (status == GRADUS_OK && gr_race_left(race) > 0 &&
               race->rounds - first < MOST_ROUNDS &&
               (race->rounds - first < LEAST_ROUNDS || (double)gr_now_ns() < until_ns)) {
            gr_session_report(t->session, "final: process %d of %d", p + 1, PROCESSES);
            status = take_rounds(t, race, 2, error);
        }
        gr_race_next_part(race);
        t->tune->final_processes = p + 1;
    }
    t->tune->final_rounds = race->rounds;
    t->tune->disturbed = t->turns->disturbed < 0 || t->turns->rounds == 0
                             ? -1
                             : (double)t->turns->disturbed / t->turns->rounds;
    return status;
}

static void enter_ready(struct tuning *t)
{
    t->entry_count = 0;
    for (int i = 0; i < t->tune->count; i++)
        if (t->tune->candidates[i].fate == GR_TUNE_READY)
            t->entries[t->entry_count++] = i;
}

/* Keeps the times of the race for candidates that do not reach the final round. */
static void keep_race(struct tuning *t, const struct gr_race *race)
{
    for (int i = 0; i < race->count; i++) {
        double copy[GR_RACE_ROUNDS];
        memcpy(copy, race->entries[i].ns, (size_t)race->entries[i].count * sizeof *copy);
        t->tune->candidates[t->entries[i]].place.time_ns = gr_stat_of(copy, race->entries[i].count);
    }
}

/* Chooses the fastest candidates that are left, and the default in any case; the others are marked
 * as slower. */
static void choose_finalists(struct tuning *t, const struct gr_race *race)
{
    int chosen[GR_TUNE_CANDIDATES], count = 0;
    bool taken[GR_TUNE_CANDIDATES] = {false};
    const struct gr_tune_candidate *all = t->tune->candidates;
    for (int n = 0; n < FINALISTS; n++) {
        int best = -1;
        for (int i = 0; i < race->count; i++)
            if (!race->entries[i].out && !taken[i] &&
                (best < 0 || all[t->entries[i]].place.time_ns.median <
                                 all[t->entries[best]].place.time_ns.median))
                best = i;
        if (best >= 0) {
            taken[best] = true;
            chosen[count++] = t->entries[best];
        }
    }
    for (int i = 0; i < race->count; i++) {
        struct gr_tune_candidate *c = &t->tune->candidates[t->entries[i]];
        if (taken[i] || c->fate != GR_TUNE_READY)
            continue;
        if (c->is_default)
            chosen[count++] = t->entries[i];
        else
            c->fate = GR_TUNE_SLOWER;
    }
    memcpy(t->entries, chosen, (size_t)count * sizeof *chosen);
    t->entry_count = count;
}

static void judge(struct tuning *t, const struct gr_race *race)
{
    struct gr_race_place places[GR_TUNE_CANDIDATES];
    struct gr_tune *tune = t->tune;
    int reference = -1;
    for (int i = 0; i < race->count; i++)
        if (tune->candidates[t->entries[i]].is_default)
            reference = i;
    const int winner = gr_race_judge(race, reference, places);
    for (int i = 0; i < race->count; i++) {
        struct gr_tune_candidate *c = &tune->candidates[t->entries[i]];
        if (!places[i].left)
            continue;
        c->place = places[i];
        c->fate = i == winner ? GR_TUNE_WINNER : places[i].tie ? GR_TUNE_TIE : GR_TUNE_BEHIND;
        if (i == winner)
            tune->winner = t->entries[i];
    }
    const int chosen = gr_race_choose(places, winner, reference);
    tune->chosen = chosen < 0 ? -1 : t->entries[chosen];
}

/* Marks those that were removed from the race and were not wrong. */
static void mark_slower(struct tuning *t, const struct gr_race *race)
{
    for (int i = 0; i < race->count; i++) {
        struct gr_tune_candidate *c = &t->tune->candidates[t->entries[i]];
        if (race->entries[i].out && c->fate == GR_TUNE_READY && !c->is_default)
            c->fate = GR_TUNE_SLOWER;
    }
}

/* An interrupted tuning has no final round, so the race decides among those that are left. `raced`
 * are the candidates of its entries. */
static void judge_race(struct tuning *t, struct gr_race *race, const int *raced)
{
    memcpy(t->entries, raced, (size_t)race->count * sizeof *raced);
    t->entry_count = race->count;
    for (int i = 0; i < race->count; i++) {
        const enum gr_tune_fate fate = t->tune->candidates[raced[i]].fate;
        if (!race->entries[i].out && fate != GR_TUNE_READY && fate != GR_TUNE_SLOWER)
            gr_race_drop(race, i); /* it was wrong at an edge shape */
    }
    judge(t, race);
}

static enum gradus_status hold_final(struct tuning *t, struct gr_race *final,
                                     struct gradus_error *error)
{
    if (t->entry_count == 0)
        return GRADUS_OK;
    open_turns(t);
    enum gradus_status status = gr_race_open(t->entry_count, final, error);
    if (status == GRADUS_OK)
        status = run_final(t, final, error);
    if (final->rounds > 0)
        judge(t, final);
    return status;
}

static enum gradus_status race_all(struct tuning *t, struct gradus_error *error)
{
    struct gr_race race = {0}, final = {0};
    int raced[GR_TUNE_CANDIDATES];
    enter_ready(t);
    if (t->entry_count == 0)
        return GRADUS_OK;
    memcpy(raced, t->entries, sizeof raced);
    open_turns(t);
    enum gradus_status status = gr_race_open(t->entry_count, &race, error);
    if (status == GRADUS_OK)
        status = run_race(t, &race, error);
    keep_race(t, &race);
    mark_slower(t, &race);
    if (status == GRADUS_OK) {
        choose_finalists(t, &race);
        status = verify_shapes(t, error);
    }
    if (status == GRADUS_OK)
        status = hold_final(t, &final, error);
    t->tune->interrupted = status == GRADUS_INTERRUPTED;
    if (t->tune->interrupted && final.rounds == 0 && race.rounds > 0)
        judge_race(t, &race, raced);
    gr_race_free(&race);
    gr_race_free(&final);
    return status;
}

static enum gradus_status tune_timed(struct tuning *t, struct gradus_error *error)
{
    const struct gr_kernel *kernel = t->params->base->kernel;
    enum gradus_status status =
        gr_session_pairs(t->session, &t->params->problem, kernel->math, error);
    if (status == GRADUS_OK)
        status = build_all(t, error);
    if (status == GRADUS_OK)
        leave_out_spills(t->tune);
    if (status == GRADUS_OK)
        status = verify_all(t, error);
    if (status == GRADUS_OK)
        status = race_all(t, error);
    return status;
}

enum gradus_status gr_tune_run(struct gr_session *s, const struct gr_tune_params *params,
                               struct gr_tune *tune, struct gradus_error *error)
{
    *tune = (struct gr_tune){.problem = gr_kernel_shown(params->base->kernel, &params->problem),
                             .cold = gr_bursts_cold(s, &params->problem),
                             .simulated = s->backend->simulates,
                             .disturbed = -1,
                             .winner = -1,
                             .chosen = -1};
    struct tuning t = {.session = s,
                       .params = params,
                       .tune = tune,
                       .rng = {s->options.seed},
                       .start_ns = gr_now_ns(),
                       .turns = calloc(1, sizeof *t.turns)};
    if (!t.turns)
        return gr_fail_memory(error, "a tuning", sizeof *t.turns);
    enum gradus_status status = gr_tune_list(s, params, tune, error);
    if (status == GRADUS_OK)
        status = tune->simulated ? gr_tune_by_model(s, params, tune, error) : tune_timed(&t, error);
    for (int i = 0; i < tune->count; i++)
        tune->fates[tune->candidates[i].fate]++;
    free(t.turns);
    return status;
}

void gr_tune_free(struct gr_session *s, struct gr_tune *tune)
{
    for (int i = 0; i < tune->count; i++) {
        s->backend->discard(&tune->candidates[i].artifact);
        gr_row_free(&tune->candidates[i].row);
    }
    free(tune->candidates);
    *tune = (struct gr_tune){0};
}

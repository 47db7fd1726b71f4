/* sample_bursts.c: prepares bursts of samples and checks what they leave. SPDX-License-Identifier:
 * MIT */
#include "measure/sample_bursts.h"

#include "core/clock.h"
#include "measure/pair_touch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Up to this size small products are used warm, so that is how they are timed. */
static const int64_t warm_until = 512;

void gr_bursts_begin(const struct gr_session *s, const struct gr_problem *problem, int64_t limit_ns,
                     struct gr_bursts *b)
{
    memset(b, 0, sizeof *b);
    b->problem = *problem;
    b->problem.alpha = 1;
    b->problem.beta = 0;
    b->limit_ns = limit_ns;
    b->request.op = GR_OP_TIME;
    /* A device receives many products at once, whose operands must not be in its cache. */
    b->request.time.successive = s->backend->memory != NULL;
    snprintf(b->request.time.math, sizeof b->request.time.math, "%s", s->pairs_math);
}

bool gr_bursts_cold(const struct gr_session *s, const struct gr_problem *p)
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

/* All callers have the same number of sets, at least one. */
int gr_bursts_sets(const struct gr_session *s, const struct gr_problem *p, bool cold)
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
enum gradus_status gr_bursts_lay_out(struct gr_session *s, struct gr_bursts *b, int sets,
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

enum gradus_status gr_bursts_fill(struct gr_session *s, struct gr_bursts *b, int turn,
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
void gr_bursts_plan_touches(const struct gr_session *s, struct gr_bursts *b)
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
enum gradus_status gr_bursts_check_last(struct gr_session *s, const struct gr_bursts *b,
                                        const struct gr_reply *reply, int turn,
                                        struct gr_outcome *o, struct gradus_error *error)
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
enum gradus_status gr_bursts_ask(struct gr_session *s, struct gr_bursts *b, struct gr_reply *reply,
                                 bool *alive, struct gr_outcome *o, struct gradus_error *error)
{
    *alive = true;
    enum gradus_status status = gr_session_ask(s, &b->request, reply, b->limit_ns, error);
    if (status != GRADUS_CRASHED && status != GRADUS_TIMED_OUT)
        return status;
    gr_outcome_of_death(s, NULL, &b->problem, status, o);
    *alive = false;
    return GRADUS_OK;
}

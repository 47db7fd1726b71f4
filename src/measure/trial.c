/* trial.c: runs one GEMM under guard and checks the result. SPDX-License-Identifier: MIT */
#include "measure/trial.h"

#include "core/clock.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long to wait for a change of a wrong C before it is judged: the kernel may still be
 * writing after its return. */
static const int64_t late_wait_ns = 700000000;
/* How long a correct C must remain unchanged after the return. */
static const int64_t settle_ns = 20000000;

/* as for cudaMalloc */
enum { device_alignment_bytes = 256 };
/* The canaries around A and B are NaN. A NaN that a kernel reads there keeps its bits through
 * arithmetic, and if it is written past the end of C it could not be distinguished from the same
 * canary; so C's canary is a huge number instead. */
enum { CANARY_OF_C = 0xFE };

/* Null for a library. */
static const struct gr_kernel *kernel_of(const struct gr_trial *trial)
{
    return trial->candidate.variant ? trial->candidate.variant->kernel : NULL;
}

static unsigned char canary_of(int operand)
{
    return operand == 2 ? CANARY_OF_C : GR_CANARY;
}

struct staged {
    struct gr_problem problem;
    struct gr_work_item item;
    const void *original[3]; /* A, B and C before the run */
    void *c_start;           /* owned if C was filled with NaN or zeros */
};

static unsigned char *address(const struct gr_session *s, struct gr_arena_place place)
{
    return s->arena.segment[place.segment] + place.offset;
}

static struct gr_arena_place *place_of(struct staged *t, int i)
{
    return i == 0 ? &t->item.a : i == 1 ? &t->item.b : &t->item.c;
}

/* Places the operands at the end of their segments, or at the start, next to guard pages. A
 * device's memory has no guard pages, so that there canaries are on both sides, and operands
 * have the alignment of the device's allocator. */
static void place(const struct gr_session *s, struct staged *t, bool at_end)
{
    for (int i = 0; i < 3; i++) {
        uint64_t bytes = gr_operand_bytes(&t->problem, "ABC"[i]), margin = gr_session_margin(s);
        uint64_t end = s->arena.size[i] - margin - bytes;
        if (margin > 0)
            end -= end % device_alignment_bytes;
        *place_of(t, i) = (struct gr_arena_place){.segment = i, .offset = at_end ? end : margin};
    }
    t->item.snapshot = (struct gr_arena_place){.segment = GR_SEG_SNAPSHOT};
    t->item.take_snapshot = true;
    t->item.problem = t->problem;
}

/* The canaries before and after operand i in its segment. */
static void zones(const struct gr_session *s, struct staged *t, int i, uint64_t *before,
                  uint64_t *behind)
{
    uint64_t bytes = gr_operand_bytes(&t->problem, "ABC"[i]);
    uint64_t offset = place_of(t, i)->offset, rest = s->arena.size[i] - offset - bytes;
    *before = offset < GR_ZONE_BYTES ? offset : GR_ZONE_BYTES;
    *behind = rest < GR_ZONE_BYTES ? rest : GR_ZONE_BYTES;
}

static void fill_operands(const struct gr_session *s, struct staged *t)
{
    for (int i = 0; i < 3; i++) {
        uint64_t bytes = gr_operand_bytes(&t->problem, "ABC"[i]), before, behind;
        unsigned char *p = address(s, *place_of(t, i));
        zones(s, t, i, &before, &behind);
        memset(p - before, canary_of(i), before);
        memcpy(p, t->original[i], bytes);
        memset(p + bytes, canary_of(i), behind);
    }
}

/* A signalling NaN of a floating-point type, little-endian. Arithmetic turns it into a quiet
 * NaN, so an element with exactly these bits was not written, while another NaN was read and
 * propagated. */
static void signalling_nan(enum gr_dtype type, unsigned char *element)
{
    size_t bytes = gr_dtype_bytes(type);
    memset(element, 0xC5, bytes);
    element[bytes - 1] = type == GR_F16 ? 0x7D : 0x7F;
    if (type == GR_F64)
        element[bytes - 2] = 0xF4;
    else if (type != GR_F16 && bytes >= 2)
        element[bytes - 2] = 0xA5;
}

/* A copy of C0 with each element replaced by such a NaN. */
static void *nan_c(const struct gr_problem *p, const void *c0)
{
    uint64_t bytes = gr_operand_bytes(p, 'C');
    unsigned char nan[8], *c = malloc(bytes + 1);
    if (!c)
        return NULL;
    memcpy(c, c0, bytes);
    size_t element = gr_dtype_bytes(p->types.c);
    signalling_nan(p->types.c, nan);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++)
            memcpy(c + (size_t)(i * p->ldc + j) * element, nan, element);
    return c;
}

/* A copy of C0 whose elements are zero; what is between rows stays. */
static void *zero_c(const struct gr_problem *p, const void *c0)
{
    uint64_t bytes = gr_operand_bytes(p, 'C');
    size_t element = gr_dtype_bytes(p->types.c);
    unsigned char *c = malloc(bytes + 1);
    if (c)
        memcpy(c, c0, bytes);
    for (int64_t i = 0; c && i < p->m; i++)
        memset(c + (size_t)(i * p->ldc) * element, 0, (size_t)p->n * element);
    return c;
}

/* The index of the first byte of [p, p+count) that is not canary, or -1. */
static int64_t first_change(const unsigned char *p, uint64_t count, unsigned char canary)
{
    for (uint64_t i = 0; i < count; i++)
        if (p[i] != canary)
            return (int64_t)i;
    return -1;
}

/* Was padding between the rows of C written? */
static bool padding_written(const struct gr_problem *p, const unsigned char *c, int64_t *row,
                            int64_t *col)
{
    size_t element = gr_dtype_bytes(p->types.c);
    for (int64_t i = 0; i + 1 < p->m && p->n > 0; i++) {
        const unsigned char *end = c + (size_t)(i * p->ldc + p->n) * element;
        int64_t at = first_change(end, (uint64_t)(p->ldc - p->n) * element, GR_CANARY);
        if (at >= 0) {
            *row = i;
            *col = p->n + at / (int64_t)element;
            return true;
        }
    }
    return false;
}

static void look_outside(const struct gr_session *s, struct staged *t, struct gr_outcome *o)
{
    for (int i = 0; i < 3; i++) {
        uint64_t bytes = gr_operand_bytes(&t->problem, "ABC"[i]), before, behind;
        const unsigned char *p = address(s, *place_of(t, i));
        zones(s, t, i, &before, &behind);
        int64_t front = first_change(p - before, before, canary_of(i)),
                back = first_change(p + bytes, behind, canary_of(i));
        if (front >= 0)
            gr_findings_add(&o->findings, GR_FIND_WROTE_OUTSIDE, 0,
                            "wrote %" PRId64 " bytes before the start of %c",
                            (int64_t)before - front, "ABC"[i]);
        if (back == 0)
            gr_findings_add(&o->findings, GR_FIND_WROTE_OUTSIDE, 0, "wrote past the end of %c",
                            "ABC"[i]);
        else if (back > 0)
            gr_findings_add(&o->findings, GR_FIND_WROTE_OUTSIDE, 0,
                            "wrote %" PRId64 " bytes past the end of %c", back, "ABC"[i]);
        if (i < 2 && memcmp(p, t->original[i], bytes) != 0)
            gr_findings_add(&o->findings, GR_FIND_INPUT_CHANGED, 0, "changed its input %c",
                            "ABC"[i]);
    }
    int64_t row, col;
    if (padding_written(&t->problem, address(s, t->item.snapshot), &row, &col))
        gr_findings_add(&o->findings, GR_FIND_WROTE_OUTSIDE, 0,
                        "wrote C[%" PRId64 ",%" PRId64 "], past the row's end at column %" PRId64
                        " (ldc %" PRId64 ")",
                        row, col, t->problem.n, t->problem.ldc);
}

/* What was written beside the `work` buffers. */
static void look_beside_work(const struct gr_kernel *kernel, const struct gr_work_item *item,
                             const struct gr_reply *reply, struct gr_outcome *o)
{
    for (int i = 0; kernel && i < item->work_count; i++) {
        const struct gr_work_written *w = &reply->work[i];
        for (int past = 0; past < 2; past++) {
            if (!(past ? w->past : w->before))
                continue;
            char distance[40] = "";
            if (!past || w->past_bytes > 0)
                snprintf(distance, sizeof distance, "%" PRId64 " bytes ",
                         past ? w->past_bytes : w->before_bytes);
            gr_findings_add(&o->findings, GR_FIND_WROTE_OUTSIDE, 0,
                            "wrote %s%s of %s, of which the `work` line asks for %" PRId64 " bytes",
                            distance, past ? "past the end" : "before the start",
                            kernel->works[i].name.text, item->work_bytes[i]);
        }
    }
}

/* Does C differ from its snapshot within the time allowed for a wrong (or correct) one? */
static bool changed_later(const struct gr_session *s, struct staged *t, int64_t wait_ns)
{
    uint64_t bytes = gr_operand_bytes(&t->problem, 'C');
    int64_t until_ns = gr_now_ns() + wait_ns;
    for (;;) {
        if (memcmp(address(s, t->item.c), address(s, t->item.snapshot), bytes) != 0)
            return true;
        if (gr_now_ns() >= until_ns)
            return false;
        gr_sleep_ns(1000000);
    }
}

static enum gradus_status judge(const struct gr_session *s, const struct gr_trial *trial,
                                struct staged *t, const struct gr_reply *reply,
                                struct gr_outcome *o, struct gradus_error *error)
{
    bool exact = s->options.fill == GR_FILL_INTEGER && !s->options.inputs.a;
    struct gr_findings reported = {0};
    enum gradus_status status = gr_check_result(trial->pair->reference, trial->alpha, trial->beta,
                                                t->original[2], address(s, t->item.snapshot),
                                                t->original[2], exact, &o->check, &reported, error);
    int64_t wait_ns = trial->quick ? 0 : o->check.right ? settle_ns : late_wait_ns;
    if (status == GRADUS_OK) {
        if (changed_later(s, t, wait_ns))
            gr_findings_add(
                &o->findings, GR_FIND_LATE, 0,
                "C changed after the kernel had returned: it finished after its own time "
                "was taken");
        look_outside(s, t, o);
        look_beside_work(kernel_of(trial), &t->item, reply, o);
    }
    for (int i = 0; i < reported.count; i++)
        gr_findings_add(&o->findings, reported.items[i].kind, reported.items[i].line, "%s",
                        reported.items[i].text);
    gr_findings_free(&reported);
    bool clean = !gr_findings_has(&o->findings, GR_FIND_LATE) &&
                 !gr_findings_has(&o->findings, GR_FIND_WROTE_OUTSIDE) &&
                 !gr_findings_has(&o->findings, GR_FIND_INPUT_CHANGED);
    o->verdict = o->check.right && clean ? GR_RIGHT : GR_WRONG;
    if (o->verdict == GR_WRONG)
        snprintf(o->reason, sizeof o->reason, "%s",
                 o->findings.count ? o->findings.items[0].text : "the result is wrong");
    return status;
}

/* The cause is a `require`, or the device, which is a fault. */
static void refuse(struct gradus_error *why, struct gr_outcome *o)
{
    o->verdict = GR_REFUSED;
    snprintf(o->reason, sizeof o->reason, "%.255s", why->text);
    if (why->status == GRADUS_LAUNCH)
        gr_findings_add(&o->findings, GR_FIND_LAUNCH, 0, "%s", why->text);
    gradus_error_clear(why);
}

/* Reports what the simulated launch itself has detected. */
static enum gradus_status refuse_launch(const struct gr_trial *trial, struct gr_outcome *o,
                                        struct gradus_error *error)
{
    struct gradus_error why = {0};
    gr_fail(&why, GRADUS_LAUNCH, "%s: %s", trial->candidate.variant->kernel->name, error->text);
    gradus_error_clear(error);
    refuse(&why, o);
    return GRADUS_OK;
}

static enum gradus_status run_and_judge(struct gr_session *s, const struct gr_trial *trial,
                                        struct staged *t, int candidate_id, struct gr_outcome *o,
                                        struct gradus_error *error)
{
    struct gr_request request = {.op = GR_OP_RUN};
    struct gr_reply reply;
    request.run.candidate = candidate_id;
    request.run.guard_work = true;
    request.run.muted = trial->muted;
    request.run.item = t->item;
    fill_operands(s, t);
    enum gradus_status status = gr_session_ask(s, &request, &reply, trial->limit_ns, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        gr_outcome_of_death(s, kernel_of(trial), &t->problem, status, o);
        return GRADUS_OK;
    }
    if (status == GRADUS_LAUNCH && s->backend->simulates)
        return refuse_launch(trial, o, error);
    if (status != GRADUS_OK)
        return status;
    o->ns = reply.ns;
    return judge(s, trial, t, &reply, o, error);
}

/* Makes room for this problem's operands and for what the arena already holds. */
static enum gradus_status make_room(struct gr_session *s, const struct gr_problem *p,
                                    struct gradus_error *error)
{
    struct gr_arena_plan plan = {.count = 4};
    for (int i = 0; i < 3; i++)
        plan.bytes[i] = gr_operand_bytes(p, "ABC"[i]) + 2 * gr_session_margin(s);
    plan.bytes[GR_SEG_SNAPSHOT] = plan.bytes[GR_SEG_C];
    return gr_session_arena(s, &plan, error);
}

enum gradus_status gr_trial_run(struct gr_session *s, const struct gr_trial *trial,
                                struct gr_outcome *o, struct gradus_error *error)
{
    struct staged t = {.problem = trial->pair->problem};
    int candidate_id = 0;
    t.problem.alpha = trial->alpha;
    t.problem.beta = trial->beta;
    *o = (struct gr_outcome){0};
    enum gradus_status status = make_room(s, &t.problem, error);
    if (status == GRADUS_OK)
        status = gr_session_ready(s, &trial->candidate, &candidate_id, error);
    if (status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT) {
        /* The worker died in a constructor of the kernel's file. */
        gr_outcome_of_death(s, kernel_of(trial), &t.problem, status, o);
        return GRADUS_OK;
    }
    if (status != GRADUS_OK)
        return status;
    struct gradus_error refused = {0};
    place(s, &t, !trial->at_start);
    if (gr_session_bind(s, &trial->candidate, &t.item, NULL) != GRADUS_OK) {
        place(s, &t, false);
        status = gr_session_bind(s, &trial->candidate, &t.item, &refused);
    }
    if (status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH) {
        refuse(&refused, o);
        return GRADUS_OK;
    }
    if (status != GRADUS_OK) {
        gr_fail(error, status, "%s", refused.text);
        gradus_error_clear(&refused);
        return status;
    }
    t.original[0] = trial->pair->a;
    t.original[1] = trial->pair->b;
    t.original[2] = trial->pair->c0;
    if (trial->c_start != GR_C_FINITE) {
        t.original[2] = t.c_start = trial->c_start == GR_C_NAN
                                        ? nan_c(&t.problem, trial->pair->c0)
                                        : zero_c(&t.problem, trial->pair->c0);
        if (!t.c_start)
            return gr_fail_memory(error, "C", gr_operand_bytes(&t.problem, 'C'));
    }
    status = run_and_judge(s, trial, &t, candidate_id, o, error);
    free(t.c_start);
    return status;
}

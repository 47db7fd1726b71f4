/* overflows.c: tries several sizes, and reports the overflows. SPDX-License-Identifier: MIT */
#include "explain/overflows.h"

#include "plan/launch_plan.h"
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/temporary.h"
#include "explain/simulate.h"
#include "explain/source_term.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The time limit for the blocks at one size other than the requested one. */
static const int64_t one_ns = 1500000000;
/* With fewer elements no index approaches 2^31, even if it counts bytes. */
static const int64_t many_elements = 1LL << 27;

enum { MOST_PLACES = 32, MOST_SIZES = 24 };

/* The places where integers overflow at one size. */
struct places {
    struct gr_trace_fault *items;
    int count;
    bool ran, cut; /* cut: the time limit was reached before all blocks had ended */
};

struct search {
    const struct gr_explain *ask;
    const struct gr_device_values *device_values;
    struct gr_sim_built built;
    struct tried {
        struct gr_problem problem;
        struct places places;
    } tried[MOST_SIZES]; /* so that each size is run only once */
    int tried_count;
};

static enum gradus_status check(const struct search *s, const struct gr_explain *ask,
                                const struct gr_plan *plan, bool last_only, struct places *places,
                                struct gradus_error *error)
{
    *places = (struct places){0};
    enum gradus_status status =
        gr_simulate_checked(ask, s->device_values, plan, &s->built, last_only, &places->items,
                            &places->count, &places->cut, error);
    places->ran = status == GRADUS_OK || status == GRADUS_CRASHED;
    if (status == GRADUS_CRASHED || status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH ||
        status == GRADUS_TIMED_OUT) {
        gradus_error_clear(error);
        status = GRADUS_OK;
    }
    return status;
}

static enum gradus_status try_size(const struct search *s, const struct gr_problem *problem,
                                   struct places *places, struct gradus_error *error)
{
    struct gr_plan plan = {0};
    struct gr_explain ask = *s->ask;
    ask.problem = problem;
    ask.simulate_ns = one_ns;
    if (gr_problem_bytes(problem) > (double)ask.device->memory_mb * 1e6)
        return GRADUS_OK;
    enum gradus_status status = gr_variant_admits(ask.variant, problem, s->device_values, error);
    if (status == GRADUS_OK)
        status = gr_plan_launches(ask.variant, problem, s->device_values, &plan, error);
    if (status == GRADUS_OK && plan.launch_count > 0)
        return check(s, &ask, &plan, true, places, error);
    if (status == GRADUS_UNSUPPORTED || status == GRADUS_INVALID || status == GRADUS_LAUNCH) {
        gradus_error_clear(error);
        status = GRADUS_OK;
    }
    return status;
}

/* Runs the last block of another problem. *places belongs to the search. If the kernel or the
 * device refuses the problem, *places is marked as not run. */
static enum gradus_status check_size(struct search *s, const struct gr_problem *problem,
                                     const struct places **places, struct gradus_error *error)
{
    static const struct places none;
    for (int i = 0; i < s->tried_count; i++) {
        const struct gr_problem *p = &s->tried[i].problem;
        *places = &s->tried[i].places;
        if (p->m == problem->m && p->n == problem->n && p->k == problem->k)
            return GRADUS_OK;
    }
    *places = &none;
    if (s->tried_count == MOST_SIZES)
        return GRADUS_OK;
    struct tried *now = &s->tried[s->tried_count++];
    now->problem = *problem;
    *places = &now->places;
    return try_size(s, problem, &now->places, error);
}

static struct gr_problem sized(const struct search *s, int64_t m, int64_t n, int64_t k)
{
    const struct gr_problem *like = s->ask->problem;
    struct gr_problem p = gr_problem_dense(m, n, k, like->trans_a, like->trans_b, like->types);
    p.alpha = like->alpha;
    p.beta = like->beta;
    return p;
}

/* ---- Reporting. ---- */

static int64_t result_of(const struct gr_trace_fault *f)
{
    return f->operation == '*'   ? f->left * f->right
           : f->operation == '+' ? f->left + f->right
                                 : f->left - f->right;
}

static const char unnamed[] = "an index that is computed here";

/* The expression in the source that overflows. */
struct term {
    char text[GR_TERM_SIZE]; /* "i * K + k"; if it is not found, `unnamed` */
    int column;              /* where it begins */
};

static struct term term_of(const struct gr_explain *ask, const struct gr_trace_fault *f)
{
    struct term t = {.column = f->column};
    strcpy(t.text, unnamed);
    if (!*f->file)
        gr_source_term(ask->variant->kernel->source, f->line, f->column, f->operation, &t.column,
                       t.text);
    return t;
}

static void name_term(const struct gr_explain *ask, const struct gr_trace_fault *f,
                      struct gr_str *out)
{
    if (*f->file)
        gr_str_printf(out, "%s:%d: ", f->file, f->line);
    gr_str_printf(out, "%s passes what an int holds, 2^31 - 1,", term_of(ask, f).text);
}

/* Is there a finding about the line whose expression is known? Another one of it that is not known
 * is a part of that, such as `C += row * N`. */
static bool is_said(const struct gr_trace_fault *f, const char *text,
                    const struct gr_findings *findings)
{
    bool said = false;
    for (int i = 0; i < findings->count && gr_starts_with(text, unnamed) && !*f->file; i++)
        said |= findings->items[i].kind == GR_FIND_OVERFLOW && findings->items[i].line == f->line;
    return said;
}

static void add(const struct gr_explain *ask, const struct gr_trace_fault *f,
                enum gr_severity severity, struct gr_str *text, struct gr_findings *findings)
{
    char wide[2 * GR_TERM_SIZE + 8];
    bool named = gr_source_widened(term_of(ask, f).text, wide);
    if (is_said(f, gr_str_text(text), findings)) {
        gr_str_free(text);
        return;
    }
    gr_str_printf(text, "; compute it in 64 bits%s%s", named ? ": " : "", named ? wide : "");
    struct gr_finding *added = gr_findings_add(findings, GR_FIND_OVERFLOW, *f->file ? 0 : f->line,
                                               "%s", gr_str_text(text));
    if (added)
        added->severity = severity;
    gr_str_free(text);
}

/* Is there an out-of-bounds access? A pointer or a counter that merely passes the last element may
 * never be used again. */
static bool goes_astray(const struct gr_trace *traces, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < traces[i].fault_count; j++)
            if (traces[i].faults[j].kind == GR_FIND_BOUNDS)
                return true;
    return false;
}

static void tell_here(const struct gr_explain *ask, const struct gr_trace_fault *f, bool astray,
                      struct gr_findings *findings)
{
    struct gr_str text = {0};
    const int *b = f->block, *t = f->thread;
    name_term(ask, f, &text);
    gr_str_printf(&text,
                  " at this size: %" PRId64 " %c %" PRId64 " is %" PRId64 ", and becomes %" PRId32
                  ", in thread (%d,%d,%d) of block (%d,%d,%d) first",
                  f->left, f->operation, f->right, result_of(f), (int32_t)result_of(f), t[0], t[1],
                  t[2], b[0], b[1], b[2]);
    if (!astray)
        gr_str_add(
            &text,
            "; no access of the blocks that were traced is out of bounds because of it here");
    add(ask, f, astray ? GR_SEVERITY_FAULT : GR_SEVERITY_WARNING, &text, findings);
}

static bool is_reported(const struct gr_trace_fault *f)
{
    return f->kind == GR_FIND_OVERFLOW && f->bits == 32;
}

/* ---- The smallest size. ---- */

/* A product and the sum that contains it are the same place. */
static bool has(const struct gr_explain *ask, const struct places *places,
                const struct gr_trace_fault *f)
{
    const int column = term_of(ask, f).column;
    for (int i = 0; i < places->count; i++) {
        const struct gr_trace_fault *other = &places->items[i];
        if (is_reported(other) && other->line == f->line && strcmp(other->file, f->file) == 0 &&
            term_of(ask, other).column == column)
            return true;
    }
    return false;
}

/* The smallest multiple of `step`, for M, N and K alike, at which the place overflows, given
 * that it does at `high`. -1: not determined in time. */
static enum gradus_status narrow(struct search *s, const struct gr_trace_fault *f, int64_t high,
                                 int64_t step, int64_t *least, struct gradus_error *error)
{
    int64_t low = 0;
    enum gradus_status status = GRADUS_OK;
    *least = -1;
    while (high - low > step && status == GRADUS_OK) {
        /* An index that counts elements overflows at the last size or the one before, so that is
         * tried first. */
        int64_t middle =
            low == 0 && high * high > 1LL << 31 ? high - step : (low + high) / 2 / step * step;
        const struct gr_problem p = sized(s, middle, middle, middle);
        const struct places *places;
        status = check_size(s, &p, &places, error);
        bool there = has(s->ask, places, f), known = places->ran && (there || !places->cut);
        if (status == GRADUS_OK && !known)
            return status;
        *(there ? &high : &low) = middle;
    }
    *least = high;
    return status;
}

/* Starts from the number of elements of a square matrix whose index exceeds 2^31, in steps of a
 * tile size that kernels may require. */
static enum gradus_status find_least(struct search *s, const struct gr_trace_fault *f,
                                     int64_t *least, int64_t *step, struct gradus_error *error)
{
    static const int64_t steps[] = {1, 32, 128, 512};
    const int64_t root = 46341;
    enum gradus_status status = GRADUS_OK;
    *least = -1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == GRADUS_OK; i++) {
        int64_t high = (root + steps[i] - 1) / steps[i] * steps[i];
        const struct gr_problem p = sized(s, high, high, high);
        const struct places *places;
        status = check_size(s, &p, &places, error);
        *step = steps[i];
        if (status == GRADUS_OK && has(s->ask, places, f))
            return narrow(s, f, high, steps[i], least, error);
        if (places->ran)
            return status;
    }
    return status;
}

static void tell_from(const struct search *s, const struct gr_trace_fault *f,
                      const struct gr_problem *seen, int64_t least, int64_t step,
                      struct gr_findings *findings)
{
    struct gr_str text = {0};
    char size[64];
    gr_size_name(seen->m, seen->n, seen->k, size, sizeof size);
    name_term(s->ask, f, &text);
    if (least > 0 && step == 1)
        gr_str_printf(&text,
                      " from M = N = K = %" PRId64
                      " on: the grid's last block was run at that size, and at %" PRId64
                      ", where it does not",
                      least, least - 1);
    else if (least > 0)
        gr_str_printf(&text,
                      " from M = N = K = %" PRId64 " on, of multiples of %" PRId64
                      ": the grid's last block was run there",
                      least, step);
    else
        gr_str_printf(&text, " at %s: the grid's last block was run there", size);
    add(s->ask, f, GR_SEVERITY_NOTE, &text, findings);
}

/* Reports the places that overflow at a size, except those in `reported`, and adds them to it. */
static enum gradus_status look_at(struct search *s, const struct gr_problem *p,
                                  struct places *reported, bool *ran, struct gr_findings *findings,
                                  struct gradus_error *error)
{
    const struct places *places;
    enum gradus_status status = check_size(s, p, &places, error);
    *ran = places->ran;
    for (int i = 0; i < places->count && status == GRADUS_OK && reported->count < MOST_PLACES;
         i++) {
        const struct gr_trace_fault *f = &places->items[i];
        int64_t least, step = 1;
        if (!is_reported(f) || has(s->ask, reported, f))
            continue;
        status = find_least(s, f, &least, &step, error);
        tell_from(s, f, p, least, step, findings);
        reported->items[reported->count++] = *f;
    }
    return status;
}

/* Each operand in turn gets more than 2^31 elements, even without its last tile, but none gets
 * 2^32. If the grid would have too many blocks, K is made longer instead. */
static enum gradus_status look_beyond(struct search *s, struct gr_findings *findings,
                                      struct gradus_error *error)
{
    static const int64_t sizes[][2][3] = {{{540672, 256, 4096}, {270336, 256, 8192}},
                                          {{256, 540672, 4096}, {256, 270336, 8192}},
                                          {{47104, 47104, 64}, {47104, 47104, 512}}};
    struct gr_trace_fault items[MOST_PLACES];
    struct places reported = {.items = items};
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool ran = false;
        for (int j = 0; j < 2 && !ran && status == GRADUS_OK; j++) {
            const int64_t *d = sizes[i][j];
            const struct gr_problem p = sized(s, d[0], d[1], d[2]);
            status = look_at(s, &p, &reported, &ran, findings, error);
        }
    }
    return status;
}

/* Does the operand have more elements than an unsigned 32-bit number can count, while none
 * beyond that number is accessed? */
static bool begins_again(const struct gr_trace_array *a)
{
    const int64_t all = 1LL << 32;
    if (a->operand == 0 || a->element_bytes <= 0)
        return false;
    return a->bytes / a->element_bytes > all && a->reach <= all && (a->loaded || a->stored);
}

/* The first line in the kernel's own file that accesses the array; 0: none. */
static int line_of(const struct gr_trace *trace, int array)
{
    for (int i = 0; i < trace->site_count; i++)
        if (trace->sites[i].array == array && !*trace->sites[i].file)
            return trace->sites[i].line;
    return 0;
}

/* The blocks at the corners of the grid are always traced. In a correct kernel that goes through
 * its matrices in order, one of them accesses the last element. */
static void tell_unsigned(const struct gr_trace *trace, struct gr_findings *findings)
{
    for (int i = 0; i < trace->array_count; i++) {
        const struct gr_trace_array *a = &trace->arrays[i];
        struct gr_finding *added =
            begins_again(a)
                ? gr_findings_add(
                      findings, GR_FIND_OVERFLOW, line_of(trace, i),
                      "no access of the %" PRId64
                      " blocks that were traced, those at the grid's corners among "
                      "them, comes to an element of %s from 2^32 on, and it has %" PRId64
                      ": an unsigned index of 32 bits begins at 0 again there; compute "
                      "it in 64 bits",
                      trace->blocks_traced, a->name, a->bytes / a->element_bytes)
                : NULL;
        if (added) {
            added->severity = GR_SEVERITY_WARNING;
            snprintf(added->about, sizeof added->about, "%s", a->name);
        }
    }
}

static bool may_overflow(const struct gr_problem *p)
{
    for (int i = 0; i < 3; i++)
        if (gr_problem_span(p, "ABC"[i]) >= many_elements)
            return true;
    return false;
}

enum gradus_status gr_overflows_find(const struct gr_explain *ask,
                                     const struct gr_device_values *device_values,
                                     const struct gr_plan *plan, const struct gr_trace *traces,
                                     int trace_count, struct gr_findings *findings,
                                     struct gradus_error *error)
{
    struct search s = {.ask = ask, .device_values = device_values, .built = {.pending = -1}};
    struct places here = {0};
    bool large = may_overflow(ask->problem);
    for (int i = 0; i < trace_count; i++)
        tell_unsigned(&traces[i], findings);
    if (!large && !ask->reach)
        return GRADUS_OK;
    enum gradus_status status = gr_simulate_build(ask, GR_SIM_CHECKED, &s.built, error);
    if (status == GRADUS_COMPILE || status == GRADUS_UNSUPPORTED) {
        gradus_error_clear(error);
        return GRADUS_OK;
    }
    if (status == GRADUS_OK && large)
        status = check(&s, ask, plan, false, &here, error);
    for (int i = 0; i < here.count; i++) {
        const struct places before = {.items = here.items, .count = i};
        if (is_reported(&here.items[i]) && !has(ask, &before, &here.items[i]))
            tell_here(ask, &here.items[i], goes_astray(traces, trace_count), findings);
    }
    free(here.items);
    if (status == GRADUS_OK && ask->reach && findings->count == 0)
        status = look_beyond(&s, findings, error);
    for (int i = 0; i < s.tried_count; i++)
        free(s.tried[i].places.items);
    gr_temporary_remove(s.built.path, s.built.pending);
    return status;
}

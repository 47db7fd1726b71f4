/* format_faults.c: describes faults: what was wrong, where, in which threads, and how often.
 * SPDX-License-Identifier: MIT */
#include "explain/format_faults.h"

#include "base/str.h"
#include "explain/partial_tiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char text[160];
};

/* "(3,1)", with as many numbers as the extents have dimensions. */
static struct words at(const int x[3], const unsigned extent[3])
{
    struct words w;
    if (extent[2] > 1)
        snprintf(w.text, sizeof w.text, "(%d,%d,%d)", x[0], x[1], x[2]);
    else if (extent[1] > 1)
        snprintf(w.text, sizeof w.text, "(%d,%d)", x[0], x[1]);
    else
        snprintf(w.text, sizeof w.text, "%d", x[0]);
    return w;
}

static bool is_global(const struct gr_trace *t, const char *array)
{
    for (int i = 0; i < t->array_count; i++)
        if (t->arrays[i].space == GR_SPACE_GLOBAL && strcmp(t->arrays[i].name, array) == 0)
            return true;
    return false;
}

/* Completes a fault without a leading dimension with that of its array. */
static struct gr_trace_fault with_place(const struct gr_analysis_input *s,
                                        const struct gr_trace_fault *f)
{
    const struct gr_kernel *k = s->variant->kernel;
    struct gr_trace_fault g = *f;
    enum gr_role role = gr_role_of_array(s, f->array);
    const struct gr_workload_array *of = gr_workload_array_named(s->workload, f->array);
    if (g.ld <= 0 && of && of->ld > 0 && g.index >= 0 && is_global(s->trace, f->array)) {
        g.ld = of->ld;
        g.row = g.index / g.ld;
        g.col = g.index % g.ld;
        return g;
    }
    bool by_column = (role == GR_ROLE_A && k->col_major_a) ||
                     (role == GR_ROLE_B && k->col_major_b) || (role == GR_ROLE_C && k->col_major_c);
    if (g.ld > 0 || role == GR_ROLE_NONE || g.index < 0)
        return g;
    g.ld = role == GR_ROLE_A   ? s->problem->lda
           : role == GR_ROLE_B ? s->problem->ldb
                               : s->problem->ldc;
    if (g.ld <= 0)
        return g;
    by_column ^= k->mirrored; /* roles are those of the transposed problem */
    g.row = by_column ? g.index % g.ld : g.index / g.ld;
    g.col = by_column ? g.index / g.ld : g.index % g.ld;
    return g;
}

/* Does the fault have a register in place of an array's name: "register R24"? */
static bool is_register(const struct gr_trace_fault *f)
{
    return strncmp(f->array, "register ", strlen("register ")) == 0;
}

/* "A[8192] (row 64, column 0)". */
static struct words element(const struct gr_trace_fault *f)
{
    struct words w;
    const char *name = *f->array ? f->array : "?";
    if (is_register(f))
        snprintf(w.text, sizeof w.text, "%s", name);
    else if (f->ld > 0)
        snprintf(w.text, sizeof w.text, "%s[%" PRId64 "] (row %" PRId64 ", column %" PRId64 ")",
                 name, f->index, f->row, f->col);
    else
        snprintf(w.text, sizeof w.text, "%s[%" PRId64 "]", name, f->index);
    return w;
}

/* The place as text, if it is in another file than the kernel's; otherwise the finding's line
 * gives it. */
static struct words place(const char *file, int line)
{
    struct words w;
    if (*file)
        snprintf(w.text, sizeof w.text, "%s:%d", file, line);
    else
        snprintf(w.text, sizeof w.text, "line %d", line);
    return w;
}

static void tell_wild(const struct gr_trace_fault *f, struct gr_str *out)
{
    unsigned long long address = strtoull(f->array + strlen("address "), NULL, 16);
    if (address < 4096)
        gr_str_printf(out, "%s through a null pointer", f->writes ? "writes" : "reads");
    else
        gr_str_printf(out, "%s %s, which is in no array: a pointer that points nowhere",
                      f->writes ? "writes" : "reads", f->array);
}

/* Would the index be within the array if it had not overflowed a signed 32-bit integer? */
static bool is_wrapped(const struct gr_trace_fault *f)
{
    const int64_t half = 1LL << 31;
    return f->index < 0 && f->index >= -half && f->index + 2 * half < f->elements;
}

static void tell_bounds(const struct gr_trace_fault *f, struct gr_str *out)
{
    if (gr_fault_is_wild(f)) {
        tell_wild(f, out);
        return;
    }
    const char *where = f->index < 0 ? "before the start" : "past the end";
    gr_str_printf(out, "%s %s, %s of %s, which has %" PRId64 " elements",
                  f->writes ? "writes" : "reads", element(f).text, where,
                  *f->array ? f->array : "the array", f->elements);
    if (is_wrapped(f))
        gr_str_printf(out,
                      "; the index has passed what 32 bits hold: %" PRId64 " is %" PRId64
                      " less 2^32, so compute it in 64 bits",
                      f->index, f->index + ((int64_t)1 << 32));
    if (f->index >= 0 && f->index < f->elements)
        gr_str_add(out, "; the access begins inside and ends outside");
}

/* The name of the other operation, which is asynchronous, and the way to wait for it. */
static const struct {
    const char *what, *wait;
} asynchronous[] = {
    [GR_ASYNC_COPY] = {"copy", "wait for the copy before the barrier (cp.async.wait_group, or its "
                               "mbarrier)"},
    [GR_ASYNC_BULK] = {"copy", "wait for the mbarrier that the copy completes on"},
    [GR_ASYNC_STORE] = {"copy", "wait for the copy (cp.async.bulk.wait_group.read), then for a "
                                "barrier"},
    [GR_ASYNC_PRODUCT] = {"wgmma", "wait for it (wgmma.wait_group), then for a barrier"},
};

static void tell_in_flight(const struct gr_trace_fault *f, const struct gr_trace *t,
                           struct gr_str *out)
{
    const struct words other = at(f->other_thread, t->block);
    const struct words where = place(f->other_file, f->other_line);
    const struct words block = at(f->other_block, t->grid);
    const char *of = f->across ? " of block " : "", *which = f->across ? block.text : "";
    if (f->in_flight == GR_ASYNC_PROXY)
        gr_str_printf(out,
                      "thread %s has written in %s: a copy or wgmma reads through the async proxy, "
                      "which sees it only after fence.proxy.async and a barrier",
                      other.text, where.text);
    else if (is_register(f))
        gr_str_printf(out, "the wgmma in %s has not written yet: wait for it (wgmma.wait_group)",
                      where.text);
    else
        gr_str_printf(out, "the %s of thread %s%s%s in %s %s: %s", asynchronous[f->in_flight].what,
                      other.text, of, which, where.text,
                      f->other_writes ? "has not written yet" : "still reads",
                      asynchronous[f->in_flight].wait);
}

/* Barriers order the threads of one block. Blocks run in any order: only a release and an acquire,
 * or another launch, orders their accesses. */
static void tell_race(const struct gr_trace_fault *f, const struct gr_trace *t, struct gr_str *out)
{
    const struct words other = at(f->other_thread, t->block);
    gr_str_printf(out, "%s %s, which ", f->writes ? "writes" : "reads", element(f).text);
    if (f->in_flight) {
        tell_in_flight(f, t, out);
        return;
    }
    gr_str_printf(out, "thread %s ", other.text);
    if (f->across)
        gr_str_printf(out, "of block %s ", at(f->other_block, t->grid).text);
    gr_str_printf(out, "%s in %s, ", f->other_writes ? "writes" : "reads",
                  place(f->other_file, f->other_line).text);
    if (f->across)
        gr_str_add(out, "with nothing between them: blocks run in any order and at once");
    else if (is_global(t, f->array))
        gr_str_add(out, "with no barrier between: add with atomicAdd(), or let one thread do both");
    else
        gr_str_add(out, "with no barrier between: a __syncthreads() is missing");
    if (f->same_value)
        gr_str_add(out, "; both write the same bits, so that it does not matter who is the last");
}

/* The CUDA Programming Guide allows a barrier in a branch only if all threads of the block take the
 * same way. In hardware a diverged warp waits for its own lanes, whole warps are counted at
 * whichever barrier they arrive, and exited threads are not waited for. */
static void tell_barrier(const struct gr_trace_fault *f, const struct gr_trace *t,
                         struct gr_str *out)
{
    const struct words other = at(f->other_thread, t->block);
    if (f->unnamed) {
        gr_str_printf(
            out,
            "calls a function of its warp with the mask %#llx, which does not name its own "
            "lane: what that does is not defined%s",
            (unsigned long long)f->unnamed,
            t->warp == 64 && f->unnamed <= UINT32_MAX
                ? "; of 64 lanes a mask has 64 bits: ~0ull, or 0xffffffffffffffffull"
                : "");
        return;
    }
    if (f->absent) {
        gr_str_printf(out,
                      "reads the value of thread %s, which the mask %#llx names and which has "
                      "exited without this call: what it gets is not defined, and a GPU may hang; "
                      "let all threads of the mask make the call",
                      other.text, (unsigned long long)f->absent);
        return;
    }
    gr_str_add(out, "waits at this barrier");
    if (f->other_line > 0 && f->hangs)
        gr_str_printf(out,
                      " while thread %s waits in %s, and one cannot go on without the other: a GPU "
                      "hangs there, or goes on with wrong data",
                      other.text, place(f->other_file, f->other_line).text);
    else if (f->other_line > 0)
        gr_str_printf(out,
                      " while thread %s, of another warp, waits at another, in %s: CUDA's guide "
                      "forbids it; GPUs go on, since they count the warps that arrive, at "
                      "whichever barrier",
                      other.text, place(f->other_file, f->other_line).text);
    else if (f->hangs)
        gr_str_printf(out, " for thread %s, which does not come: a GPU hangs there", other.text);
    else
        gr_str_printf(out,
                      ", and thread %s has returned before it: CUDA requires all threads of a "
                      "block to reach it; GPUs go on without those that have returned, and their "
                      "part of the work is missing",
                      other.text);
}

static bool is_read_of_c(const struct gr_analysis_input *s, const struct gr_trace_fault *f)
{
    return f->kind == GR_FIND_UNINITIALISED && s->problem->beta == 0 &&
           gr_role_of_array(s, f->array) == GR_ROLE_C;
}

/* Is this a read of C by a kernel that has beta, in the form alpha*AB + beta*C, which reads C even
 * if beta is 0? */
static bool scales_c(const struct gr_analysis_input *s, const struct gr_trace_fault *f)
{
    return is_read_of_c(s, f) && s->stanza->signature.has_beta;
}

/* C was read, but its value does not affect the result, as in `beta != 0 ? beta * c : 0` where c
 * is loaded in any case. */
static bool is_harmless(const struct gr_analysis_input *s, const struct gr_trace_fault *f)
{
    for (int i = 0; i < s->trace->array_count && is_read_of_c(s, f); i++)
        if (strcmp(s->trace->arrays[i].name, f->array) == 0)
            return !s->trace->arrays[i].old_reached;
    return false;
}

/* If beta is 0, C may hold anything, including NaN. A kernel without beta must overwrite C too. */
static void tell_uninitialised(const struct gr_analysis_input *s, const struct gr_trace_fault *f,
                               struct gr_str *out)
{
    if (scales_c(s, f)) {
        gr_str_printf(
            out,
            "reads %s though beta is 0: a NaN in C reaches the result; guard the read by `beta != "
            "0 ? ... : ...`",
            element(f).text);
        return;
    }
    gr_str_printf(out, "reads %s, which no thread has written", element(f).text);
    if (is_read_of_c(s, f))
        gr_str_printf(out,
                      ": the kernel takes no beta, and what %s held before is no part of its "
                      "result: it may hold NaN, and 0 times NaN is NaN; do not read it",
                      f->array);
}

/* If only some blocks were traced, the total number of occurrences is unknown. */
static void tell_count(const struct gr_trace *t, const struct gr_trace_fault *f, struct gr_str *out)
{
    if (f->count <= 1)
        return;
    gr_str_printf(out, "; %" PRId64 " times in ", f->count);
    if (t->coverage == GR_COVERAGE_WHOLE)
        gr_str_add(out, "all");
    else
        gr_str_printf(out, "the %" PRId64 " blocks that were traced, of %" PRId64, t->blocks_traced,
                      t->blocks);
}

static void report(const struct gr_analysis_input *s, const struct gr_trace_fault *f,
                   struct gr_str *out)
{
    if (*f->file && f->line > 0)
        gr_str_printf(out, "%s: ", place(f->file, f->line).text);
    if (f->kind == GR_FIND_UNUSED) {
        gr_str_printf(out, "%s is written and never read", *f->array ? f->array : "an array");
        if (f->elements > 0)
            gr_str_printf(out, ": %" PRId64 " elements for nothing, or the reads go elsewhere",
                          f->elements);
        return;
    }
    gr_str_printf(out, "thread %s of block %s ", at(f->thread, s->trace->block).text,
                  at(f->block, s->trace->grid).text);
    if (f->kind == GR_FIND_BOUNDS)
        tell_bounds(f, out);
    else if (f->kind == GR_FIND_RACE)
        tell_race(f, s->trace, out);
    else if (f->kind == GR_FIND_BARRIER)
        tell_barrier(f, s->trace, out);
    else if (f->kind == GR_FIND_UNINITIALISED)
        tell_uninitialised(s, f, out);
    else if (f->kind != GR_FIND_ALIGNMENT)
        gr_str_printf(out, "%s %s: %s", f->writes ? "writes" : "reads", element(f).text,
                      gr_finding_meaning(f->kind));
    else
        gr_str_printf(out,
                      "%s a vector at %s, whose address is no multiple of the vector's size: a GPU "
                      "stops with a misaligned address",
                      f->writes ? "writes" : "reads", element(f).text);
    tell_count(s->trace, f, out);
}

/* Causes come before their effects: threads that do not meet at a barrier race, and read what
 * has not been written yet. */
static int rank_of(const struct gr_trace_fault *f)
{
    static const enum gr_finding_kind causes_first[] = {
        GR_FIND_BARRIER, GR_FIND_BOUNDS, GR_FIND_ALIGNMENT, GR_FIND_RACE, GR_FIND_UNINITIALISED};
    int rank = 0, ranks = sizeof causes_first / sizeof *causes_first;
    while (rank < ranks && causes_first[rank] != f->kind)
        rank++;
    return rank;
}

static bool same_group(const struct gr_trace_fault *a, const struct gr_trace_fault *b)
{
    return a->kind == b->kind && strcmp(a->array, b->array) == 0;
}

/* The next fault to report: the first one of the kind with the lowest rank, and then all others of
 * this kind on the same array. -1: none is left. */
static int next_fault(const struct gr_analysis_input *s, const bool *reported, int last)
{
    const struct gr_trace_fault *faults = s->trace->faults;
    int best = -1, best_rank = 0;
    for (int i = 0; i < s->trace->fault_count; i++) {
        if (reported[i])
            continue;
        if (last >= 0 && same_group(&faults[i], &faults[last]))
            return i;
        int rank = 2 * rank_of(&faults[i]) + is_read_of_c(s, &faults[i]);
        if (best < 0 || rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static enum gr_severity severity_of(const struct gr_analysis_input *s,
                                    const struct gr_trace_fault *f)
{
    if (scales_c(s, f))
        return s->strict || s->variant->kernel->built_in ? GR_SEVERITY_FAULT : GR_SEVERITY_ADVICE;
    if (f->kind == GR_FIND_RACE && f->same_value)
        return GR_SEVERITY_ADVICE;
    if (f->kind == GR_FIND_BARRIER && !f->hangs)
        return GR_SEVERITY_WARNING;
    return gr_finding_severity(f->kind);
}

/* *told: the sizes that the kernel supports have been named. */
static void add(const struct gr_analysis_input *s, const struct gr_cover *cover,
                const struct gr_trace_fault *fault, bool *told, struct gr_findings *findings)
{
    const struct gr_trace_fault f = with_place(s, fault);
    struct gr_str text = {0};
    if (is_harmless(s, &f))
        return;
    report(s, &f, &text);
    if (gr_cover_is_passed(s, cover, &f) && !*told) {
        gr_cover_tell(s, cover, &text);
        *told = true;
    }
    struct gr_finding *added =
        gr_findings_add(findings, scales_c(s, &f) ? GR_FIND_READS_C_AT_BETA_0 : f.kind,
                        *f.file ? 0 : f.line, "%s", gr_str_text(&text));
    gr_str_free(&text);
    if (!added)
        return;
    added->severity = severity_of(s, &f);
    if (!gr_fault_is_wild(&f))
        snprintf(added->about, sizeof added->about, "%s", f.array);
}

void gr_faults_format(const struct gr_analysis_input *s, struct gr_findings *findings)
{
    int count = s->trace ? s->trace->fault_count : 0, last = -1;
    bool *reported = calloc((size_t)count + 1, sizeof *reported), told = false;
    const struct gr_cover cover = gr_cover_of(s);
    for (int i = 0; reported && i < count; i++) {
        last = next_fault(s, reported, last);
        reported[last] = true;
        add(s, &cover, &s->trace->faults[last], &told, findings);
    }
    free(reported);
    if (s->trace && s->trace->faults_dropped)
        gr_findings_add(findings, GR_FIND_NOTE, 0, "there are more faults than are shown");
}

/* C among the operands, which are the first arrays of every trace. */
static const struct gr_trace_array *c_of(const struct gr_trace *trace)
{
    return trace->array_count > 2 ? &trace->arrays[2] : NULL;
}

/* A thread that accesses memory outside its array is stopped, so elements that it did not write are
 * a consequence of this fault. */
static bool was_abandoned(const struct gr_trace *traces, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < traces[i].fault_count; j++)
            if (traces[i].faults[j].kind == GR_FIND_BOUNDS ||
                traces[i].faults[j].kind == GR_FIND_ALIGNMENT)
                return true;
    return false;
}

void gr_unwritten_format(const struct gr_variant *variant, const struct gr_problem *p,
                         const struct gr_trace *traces, int count, struct gr_findings *findings)
{
    const struct gr_trace_array *c = count > 0 ? c_of(&traces[count - 1]) : NULL;
    struct gr_finding *added = NULL;
    bool stored = false, whole = true;
    for (int i = 0; i < count; i++) {
        const struct gr_trace_array *here = c_of(&traces[i]);
        stored |= here && here->stored;
        whole &= traces[i].coverage == GR_COVERAGE_WHOLE;
    }
    if (!c || p->m == 0 || p->n == 0)
        return;
    if (!stored && !was_abandoned(traces, count))
        added = gr_findings_add(findings, GR_FIND_UNWRITTEN, 0,
                                "%s is never written: no thread%s stores to it", c->name,
                                whole ? "" : " of the blocks that were traced");
    else if (stored && c->unwritten > 0) {
        bool by_column = variant->kernel->mirrored;
        int64_t across = c->first_unwritten % p->ldc, along = c->first_unwritten / p->ldc;
        added = gr_findings_add(findings, GR_FIND_UNWRITTEN, 0,
                                "%" PRId64 " of the %" PRId64
                                " elements of %s are never written, %s[%" PRId64 "] (row %" PRId64
                                ", column %" PRId64 ") the first of them",
                                c->unwritten, p->m * p->n, c->name, c->name, c->first_unwritten,
                                by_column ? across : along, by_column ? along : across);
    }
    if (added)
        snprintf(added->about, sizeof added->about, "%s", c->name);
}

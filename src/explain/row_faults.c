/* row_faults.c: adds the faults from a trace to the row of the same kernel.
 * SPDX-License-Identifier: MIT */
#include "explain/row_faults.h"

#include "base/str.h"
#include "explain/edge_faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If the trial found the same fault, the trace's finding is preferred, because it has the line. */
static bool is_reported(struct gr_findings *findings, const struct gr_finding *f)
{
    for (int i = 0; i < findings->count; i++) {
        struct gr_finding *item = &findings->items[i];
        if (f->kind == GR_FIND_READS_C_AT_BETA_0 && item->kind == f->kind && item->line == 0)
            item->line = f->line;
        bool once = f->kind == GR_FIND_READS_C_AT_BETA_0 || f->kind == GR_FIND_UNWRITTEN ||
                    f->kind == GR_FIND_DIED;
        if (item->kind == f->kind && (once || gr_edges_same(item, f)))
            return true;
    }
    return false;
}

/* Faults from the trace come before those from the result: causes before effects. Advice is left
 * to `explain`. */
static void take_faults(const struct gr_findings *seen, struct gr_row *row)
{
    struct gr_findings all = {0};
    for (int i = 0; i < seen->count; i++)
        if ((seen->items[i].severity <= GR_SEVERITY_WARNING ||
             seen->items[i].kind == GR_FIND_READS_C_AT_BETA_0) &&
            !is_reported(&row->findings, &seen->items[i]))
            gr_findings_copy(&all, &seen->items[i]);
    for (int i = 0; i < row->findings.count; i++)
        gr_findings_copy(&all, &row->findings.items[i]);
    gr_findings_free(&row->findings);
    row->findings = all;
}

/* The fault becomes the row's reason. The result may be correct although the kernel is wrong,
 * because the simulator runs threads one after another and a host allows what a GPU refuses. */
static void mark_wrong(const struct gr_findings *seen, struct gr_row *row)
{
    const struct gr_finding *fault = NULL;
    for (int i = 0; i < seen->count && !fault; i++)
        if (seen->items[i].severity == GR_SEVERITY_FAULT)
            fault = &seen->items[i];
    if (!fault || row->verdict == GR_WRONG)
        return;
    char line[32] = "";
    if (fault->line > 0)
        snprintf(line, sizeof line, ", line %d", fault->line);
    free(row->reason);
    row->reason =
        gr_printf("%s%s%s: %s",
                  row->verdict == GR_RIGHT ? "the result is right, but the kernel is not: " : "",
                  gr_finding_name(fault->kind), line, fault->text);
    row->verdict = row->verdict == GR_RIGHT ? GR_WRONG : row->verdict;
}

/* Notes that the result is wrong although the trace found no fault. This does not apply to a kernel
 * that is wrong at other shapes only, because the trace is of the row's size, or to elements that
 * are not written, which are reported as a fault already. */
static void note_no_fault(const struct gr_explained *e, struct gr_row *row)
{
    if (gr_findings_has(&row->findings, GR_FIND_SHAPE) ||
        gr_findings_has(&row->findings, GR_FIND_UNWRITTEN))
        return;
    if (row->verdict == GR_WRONG && e->trace_count > 0 && !e->untraced &&
        !gr_findings_matter(&e->explanation.findings, GR_SEVERITY_WARNING))
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0,
                        "the simulator saw no fault at this size: every access is inside its array "
                        "and in order, so look at the arithmetic, at variables that are read "
                        "before they are set, and at indices within an array");
}

void gr_row_note_untraced(const char *why, struct gr_row *row)
{
    if (row->verdict == GR_RIGHT)
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "not searched for faults: %s", why);
}

/* Notes that a trace was incomplete, so that the row does not seem to be free of faults. */
static void note_gaps(const struct gr_explained *e, struct gr_row *row)
{
    int64_t traced = 0, all = 0;
    for (int i = 0; i < e->trace_count; i++)
        if (e->traces[i].coverage == GR_COVERAGE_SAMPLED) {
            traced += e->traces[i].blocks_traced;
            all += e->traces[i].blocks;
        }
    if (e->endless)
        gr_row_note_untraced("tracing the kernel takes longer than the time limit", row);
    else if (e->untraced || e->refused)
        gr_row_note_untraced(e->untraced ? e->untraced : e->refused, row);
    else if (traced < all && row->verdict == GR_RIGHT)
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0,
                        "searched for faults in %" PRId64 " of %" PRId64
                        " blocks: they differ, and there was no time for all; `gradus explain` "
                        "takes --time-limit",
                        traced, all);
}

/* The row's GEMM has ended, so the kernel terminates: the trace took too long, not the kernel. */
static bool is_of_search(const struct gr_explained *e, const struct gr_finding *f,
                         const struct gr_row *row)
{
    return e->endless && row->verdict == GR_RIGHT && f->kind == GR_FIND_DIED &&
           f->severity == GR_SEVERITY_FAULT && e->untraced && strcmp(f->text, e->untraced) == 0;
}

/* A launch that a GPU refuses is neither right nor wrong. */
static void refuse(const struct gr_explained *e, struct gr_row *row)
{
    free(row->reason);
    row->reason = gr_strdup(e->refused);
    row->verdict = GR_REFUSED;
    row->counts = (struct gr_row_counts){0};
}

void gr_row_take_faults(const struct gr_explained *e, struct gr_row *row)
{
    if (e->impossible) {
        refuse(e, row);
        take_faults(&e->explanation.findings, row);
        return;
    }
    const struct gr_findings *all = &e->explanation.findings;
    struct gr_findings seen = {0};
    for (int i = 0; i < all->count; i++)
        if (!is_of_search(e, &all->items[i], row))
            gr_findings_copy(&seen, &all->items[i]);
    note_no_fault(e, row);
    mark_wrong(&seen, row);
    take_faults(&seen, row);
    note_gaps(e, row);
    gr_findings_free(&seen);
}

/* group.c: groups the comparable rows of a run. SPDX-License-Identifier: MIT */
#include "report/group.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/fold.h"
#include "records/steady.h"
#include "report/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *x, const char *y)
{
    return strcmp(x ? x : "", y ? y : "") == 0;
}

bool gr_rows_alike(const struct gr_row *x, const struct gr_row *y)
{
    return gr_types_equal(x->problem.types, y->problem.types) &&
           x->problem.trans_a == y->problem.trans_a && x->problem.trans_b == y->problem.trans_b &&
           x->threads == y->threads && gr_row_callers(x) == gr_row_callers(y) &&
           same_text(x->device, y->device);
}

static bool belongs(const struct gr_group *group, const struct gr_row *row)
{
    int64_t m, n, k;
    gr_row_requested(row, &m, &n, &k);
    return m == group->m && n == group->n && k == group->k && gr_rows_alike(group->rows[0], row);
}

static bool same_peer(const struct gr_peer_result *x, const struct gr_peer_result *y)
{
    return strcmp(x->name, y->name) == 0 && strcmp(x->version, y->version) == 0 &&
           strcmp(x->core, y->core) == 0;
}

/* Ranks rows by how well they represent the group: rows timed at the requested size before capped
 * ones, kernels before peers. */
static int lead_rank(const struct gr_row *row)
{
    return 2 * !gr_row_is_capped(row) + !row->is_peer;
}

static void describe(struct gr_group *group)
{
    group->lead = group->rows[0];
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (lead_rank(row) > lead_rank(group->lead))
            group->lead = row;
        if (!row->peer.name[0])
            continue;
        if (!group->peer)
            group->peer = &row->peer;
        group->peers_differ |= !same_peer(group->peer, &row->peer);
    }
}

static bool append(struct gr_groups *groups, const struct gr_row *row, int capacity)
{
    struct gr_group *group = NULL;
    for (int i = 0; i < groups->count && !group; i++)
        if (belongs(&groups->items[i], row))
            group = &groups->items[i];
    if (!group) {
        struct gr_group *items =
            realloc(groups->items, (size_t)(groups->count + 1) * sizeof *items);
        if (!items)
            return false;
        groups->items = items;
        group = &items[groups->count];
        *group = (struct gr_group){.rows = calloc((size_t)capacity, sizeof *group->rows)};
        if (!group->rows)
            return false;
        groups->count++;
        gr_row_requested(row, &group->m, &group->n, &group->k);
    }
    group->rows[group->count++] = row;
    return true;
}

enum gradus_status gr_groups_make(const struct gr_run *run, struct gr_groups *groups,
                                  struct gradus_error *error)
{
    *groups = (struct gr_groups){0};
    for (int i = 0; i < run->row_count; i++) {
        if (append(groups, &run->rows[i], run->row_count - i))
            continue;
        gr_groups_free(groups);
        return gr_fail_memory(error, "the report's groups",
                              (uint64_t)run->row_count * sizeof(void *));
    }
    for (int i = 0; i < groups->count; i++)
        describe(&groups->items[i]);
    return GRADUS_OK;
}

void gr_groups_free(struct gr_groups *groups)
{
    for (int i = 0; i < groups->count; i++)
        free(groups->items[i].rows);
    free(groups->items);
    *groups = (struct gr_groups){0};
}

/* The peak that the row's own share refers to; 0: unknown. */
static double peak_of(const struct gr_row *row)
{
    const bool known = gr_row_has_speed(row) && row->peak_fraction > 0 && !gr_row_is_unsteady(row);
    return known ? row->gflops / row->peak_fraction : 0;
}

/* The median, without a sorted copy: the value that has as many values below it as above it. */
static double median_peak(const struct gr_group *group)
{
    for (int i = 0; i < group->count; i++) {
        double peak = peak_of(group->rows[i]);
        int below = 0, equal = 0, known = 0;
        for (int j = 0; j < group->count; j++) {
            double other = peak_of(group->rows[j]);
            known += other > 0;
            below += other > 0 && other < peak;
            equal += other > 0 && other == peak;
        }
        if (peak > 0 && below <= known / 2 && below + equal > known / 2)
            return peak;
    }
    return 0;
}

/* The clock frequency varies, so each row has a peak that was measured in the same run. These peaks
 * have precedence over the machine's ceiling, which may have been measured on another day. */
double gr_group_peak(const struct gr_run *run, const struct gr_group *group)
{
    const struct gr_row *lead = group->lead;
    char name[sizeof((struct gr_ceiling *)0)->name];
    double peak = median_peak(group);
    snprintf(name, sizeof name, "fma.%s.%d", gr_dtype_name(lead->problem.types.acc),
             gr_row_all_threads(lead));
    return peak > 0 ? peak : gr_ceiling_find(&run->environment, name);
}

/* A share was measured interleaved with the peer, so it varies less than a rate, and has
 * precedence. */
bool gr_row_is_better(const struct gr_row *row, const struct gr_row *best)
{
    if (!best || (row->speedup.n > 0) != (best->speedup.n > 0))
        return !best || row->speedup.n > 0;
    return row->speedup.n > 0 ? row->speedup.median > best->speedup.median
                              : row->gflops > best->gflops;
}

const struct gr_row *gr_group_best(const struct gr_group *group)
{
    const struct gr_row *best = NULL;
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (!row->is_peer && gr_row_has_speed(row) && !gr_row_is_capped(row) &&
            !gr_row_is_unsteady(row) && gr_row_is_better(row, best))
            best = row;
    }
    return best;
}

void gr_group_format(const struct gr_run *run, const struct gr_group *group, struct gr_str *out)
{
    const struct gr_row *lead = group->lead;
    char types[64], rate[GR_WORD];
    gr_types_name(lead->problem.types, types, sizeof types);
    gr_str_add(out, types);
    if (lead->problem.trans_a || lead->problem.trans_b)
        gr_str_printf(out, " %s", gr_problem_trans(&lead->problem));
    if (lead->simulated) {
        gr_str_add(out, ", ");
        gr_str_add_line(out, lead->device ? lead->device : "sim");
        gr_str_add(out, ": simulated, no times");
        return;
    }
    if (lead->threads > 0) { /* otherwise the row is of a device */
        gr_word_threads(lead->threads, lead->callers, rate);
        gr_str_printf(out, ", %s", rate);
    }
    gr_str_add(out, lead->cold ? ", cold" : ", warm");
    if (!gr_row_is_of_host(lead)) {
        gr_str_add(out, ", ");
        gr_str_add_line(out, lead->device);
    }
    if (group->peer) {
        gr_str_add(out, "; beside ");
        struct gr_peer_result peer = *group->peer;
        if (peer.threads == lead->threads)
            peer.threads = 0; /* given before */
        gr_peer_format(&peer, out);
        if (group->peers_differ)
            gr_str_add(out, " and others");
    }
    gr_word_rate(gr_group_peak(run, group), rate);
    if (rate[0])
        gr_str_printf(out, "; peak %s GFLOP/s", rate);
}

static void say_capped(const struct gr_row *row, gr_note_fn *say, void *context)
{
    char requested[64], timed[64], line[192];
    int64_t m, n, k;
    gr_row_requested(row, &m, &n, &k);
    gr_size_name(m, n, k, requested, sizeof requested);
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, timed, sizeof timed);
    if (row->simulated)
        snprintf(line, sizeof line, "%s: counted at %s, not at %s", gr_finding_name(GR_FIND_CAPPED),
                 timed, requested);
    else
        snprintf(line, sizeof line, "%s: timed at %s (%s), not at %s",
                 gr_finding_name(GR_FIND_CAPPED), timed, row->cold ? "cold" : "warm", requested);
    say(context, gr_finding_name(GR_FIND_CAPPED), line);
}

static void say_finding(const struct gr_row *row, const struct gr_finding *finding, gr_note_fn *say,
                        void *context)
{
    struct gr_str line = {0};
    if (finding->text && row->reason && gr_ends_with(row->reason, finding->text))
        return; /* the line with the verdict contains it */
    gr_finding_format(finding, &line);
    say(context, gr_finding_name(finding->kind), gr_str_text(&line));
    gr_str_free(&line);
}

void gr_row_format_notes(const struct gr_group *group, const struct gr_row *row, gr_note_fn *say,
                         void *context)
{
    struct gr_str line = {0};
    bool has_reason = row->reason && *row->reason;
    if (row->verdict != GR_RIGHT && (has_reason || row->findings.count == 0)) {
        gr_row_format_verdict(row, &line);
        say(context, NULL, gr_str_text(&line));
        gr_str_free(&line);
    }
    bool tells_cap = gr_row_is_capped(row) && !gr_findings_has(&row->findings, GR_FIND_CAPPED);
    if (tells_cap)
        say_capped(row, say, context);
    if (gr_row_is_unsteady(row)) {
        gr_str_add(&line, "unsteady: ");
        gr_row_format_unsteady(row, &line);
        say(context, "unsteady", gr_str_text(&line));
        gr_str_free(&line);
    }
    if (!tells_cap && row->cold != group->lead->cold && gr_row_has_speed(row))
        say(context, "cache", row->cold ? "cache: cold" : "cache: warm");
    struct gr_fold fold;
    for (int i = 0; i < row->findings.count; i += fold.count) {
        fold = gr_fold_at(&row->findings, i);
        for (int j = i; j < i + fold.shown; j++)
            say_finding(row, &row->findings.items[j], say, context);
        if (fold.shown == fold.count)
            continue;
        gr_fold_format(&row->findings, &fold, &line);
        say(context, gr_finding_name(row->findings.items[i].kind), gr_str_text(&line));
        gr_str_free(&line);
    }
}

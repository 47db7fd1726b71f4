/* row.c: the names of verdicts, and lists of rows. SPDX-License-Identifier: MIT */
#include "records/row.h"

#include <stdlib.h>
#include <string.h>

const char *gr_verdict_name(enum gr_verdict verdict)
{
    static const char *const names[] = {
#define NAME(enumerator, name, text) name,
        GR_VERDICT_LIST(NAME)
#undef NAME
    };
    return names[verdict];
}

const char *gr_verdict_text(enum gr_verdict verdict)
{
    static const char *const texts[] = {
#define TEXT(enumerator, name, text) text,
        GR_VERDICT_LIST(TEXT)
#undef TEXT
    };
    return texts[verdict];
}

static bool verdict_is_bad(enum gr_verdict verdict)
{
    return verdict != GR_RIGHT && verdict != GR_SKIP && verdict != GR_REFUSED;
}

struct gr_row *gr_run_add(struct gr_run *run)
{
    struct gr_row *rows = realloc(run->rows, (size_t)(run->row_count + 1) * sizeof *rows);
    if (!rows)
        return NULL;
    run->rows = rows;
    struct gr_row *row = &rows[run->row_count++];
    *row = (struct gr_row){0};
    return row;
}

void gr_run_drop(struct gr_run *run)
{
    if (run->row_count > 0)
        gr_row_free(&run->rows[--run->row_count]);
}

bool gr_run_append(struct gr_run *to, struct gr_run *from)
{
    for (int i = 0; i < from->row_count; i++) {
        struct gr_row *row = gr_run_add(to);
        if (!row)
            return false;
        *row = from->rows[i];
        from->rows[i] = (struct gr_row){0};
    }
    from->row_count = 0;
    return true;
}

bool gr_row_is_bad(const struct gr_row *row)
{
    bool ran = row->verdict == GR_RIGHT || row->verdict == GR_REFUSED;
    return verdict_is_bad(row->verdict) ||
           (ran && gr_findings_matter(&row->findings, GR_SEVERITY_FAULT));
}

void gr_row_free(struct gr_row *row)
{
    char *strings[] = {row->kernel,  row->title,   row->path,    row->device,
                       row->variant, row->flags,   row->reason,  row->checked_by,
                       row->log,     row->command, row->diagnose};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    gr_findings_free(&row->findings);
    free(row->competitors);
    *row = (struct gr_row){0};
}

void gr_run_free(struct gr_run *run)
{
    for (int i = 0; i < run->row_count; i++)
        gr_row_free(&run->rows[i]);
    struct gr_environment *e = &run->environment;
    char *strings[] = {e->version, e->date,     e->system, e->cpu,  e->isa,
                       e->caches,  e->compiler, e->gpu,    e->fill, e->command};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    free(e->ceilings);
    free(run->rows);
    free(run->title);
    free(run->stopped);
    *run = (struct gr_run){0};
}

double gr_ceiling_find(const struct gr_environment *environment, const char *name)
{
    for (int i = 0; i < environment->ceiling_count; i++) {
        const struct gr_ceiling *ceiling = &environment->ceilings[i];
        if (strcmp(ceiling->name, name) == 0)
            return ceiling->unsteady ? 0 : ceiling->value;
    }
    return 0;
}

const char *gr_ratio_word(const struct gr_ratio *ratio)
{
    if (ratio->n == 0)
        return "";
    if (ratio->lo > 1)
        return "faster";
    return ratio->hi < 1 ? "slower" : "even";
}

int gr_row_callers(const struct gr_row *row)
{
    return row->callers > 1 ? row->callers : 1;
}

int gr_row_all_threads(const struct gr_row *row)
{
    return row->threads * gr_row_callers(row);
}

bool gr_row_is_of_host(const struct gr_row *row)
{
    return !row->device || strcmp(row->device, "cpu") == 0;
}

bool gr_row_has_speed(const struct gr_row *row)
{
    return row->verdict == GR_RIGHT && row->time_ns.n > 0;
}

bool gr_row_has_counts(const struct gr_row *row)
{
    return row->verdict == GR_RIGHT && row->counts.known;
}

void gr_row_requested(const struct gr_row *row, int64_t *m, int64_t *n, int64_t *k)
{
    bool requested = row->requested_m || row->requested_n || row->requested_k;
    *m = requested ? row->requested_m : row->problem.m;
    *n = requested ? row->requested_n : row->problem.n;
    *k = requested ? row->requested_k : row->problem.k;
}

bool gr_row_is_capped(const struct gr_row *row)
{
    int64_t m, n, k;
    gr_row_requested(row, &m, &n, &k);
    return m != row->problem.m || n != row->problem.n || k != row->problem.k;
}

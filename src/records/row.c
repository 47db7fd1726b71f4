/* row.c: verdicts, findings and rows. SPDX-License-Identifier: MIT */
#include "records/row.h"

#include "base/str.h"

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

bool gr_verdict_is_bad(enum gr_verdict verdict)
{
    return verdict != GR_RIGHT && verdict != GR_SKIP && verdict != GR_REFUSED;
}

const char *gr_severity_name(enum gr_severity severity)
{
    static const char *const names[] = {
#define NAME(enumerator, name, text) name,
        GR_SEVERITY_LIST(NAME)
#undef NAME
    };
    return names[severity];
}

const char *gr_finding_name(enum gr_finding_kind kind)
{
    static const char *const names[] = {
#define NAME(enumerator, name, severity) name,
        GR_FINDING_LIST(NAME)
#undef NAME
    };
    return names[kind];
}

static enum gr_severity severity_of(enum gr_finding_kind kind)
{
    static const enum gr_severity severities[] = {
#define SEVERITY(enumerator, name, severity) GR_SEVERITY_##severity,
        GR_FINDING_LIST(SEVERITY)
#undef SEVERITY
    };
    return severities[kind];
}

struct gr_finding *gr_findings_add(struct gr_findings *list, enum gr_finding_kind kind, int line,
                                   const char *format, ...)
{
    struct gr_str text = {0};
    va_list args;
    va_start(args, format);
    gr_str_vprintf(&text, format, args);
    va_end(args);
    struct gr_finding *items =
        text.text ? realloc(list->items, (size_t)(list->count + 1) * sizeof *items) : NULL;
    if (!items) {
        gr_str_free(&text);
        return NULL;
    }
    list->items = items;
    items[list->count] = (struct gr_finding){
        .kind = kind, .severity = severity_of(kind), .line = line, .text = text.text};
    return &items[list->count++];
}

void gr_findings_copy(struct gr_findings *list, const struct gr_finding *from)
{
    struct gr_finding *to = gr_findings_add(list, from->kind, from->line, "%s", from->text);
    if (!to)
        return;
    char *text = to->text;
    *to = *from;
    to->text = text;
}

bool gr_findings_matter(const struct gr_findings *list, enum gr_severity severity)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].severity <= severity)
            return true;
    return false;
}

bool gr_findings_has(const struct gr_findings *list, enum gr_finding_kind kind)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].kind == kind)
            return true;
    return false;
}

void gr_findings_free(struct gr_findings *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
    *list = (struct gr_findings){0};
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
    return gr_verdict_is_bad(row->verdict) ||
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
    free(row->rivals);
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

bool gr_row_is_of_host(const struct gr_row *row)
{
    return !row->device || strcmp(row->device, "cpu") == 0;
}

/* finding.c: the names of findings, and lists of findings. SPDX-License-Identifier: MIT */
#include "records/finding.h"

#include "base/str.h"

#include <stdlib.h>

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
#define NAME(enumerator, name, severity, meaning) name,
        GR_FINDING_LIST(NAME)
#undef NAME
    };
    return names[kind];
}

const char *gr_finding_meaning(enum gr_finding_kind kind)
{
    static const char *const meanings[] = {
#define MEANING(enumerator, name, severity, meaning) meaning,
        GR_FINDING_LIST(MEANING)
#undef MEANING
    };
    return meanings[kind];
}

enum gr_severity gr_finding_severity(enum gr_finding_kind kind)
{
    static const enum gr_severity severities[] = {
#define SEVERITY(enumerator, name, severity, meaning) GR_SEVERITY_##severity,
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
        .kind = kind, .severity = gr_finding_severity(kind), .line = line, .text = text.text};
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

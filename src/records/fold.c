/* fold.c: groups findings that say the same, and summarizes those that are not shown.
 * SPDX-License-Identifier: MIT */
#include "records/fold.h"

#include <string.h>

enum { SHOWN = 3, MOST_LINES = 8 };

/* Faults and warnings of one kind are often reported at many lines. Advice is grouped only if it
 * is about one array. */
static bool may_repeat(const struct gr_finding *f)
{
    return f->severity <= GR_SEVERITY_WARNING || *f->about;
}

static bool same_group(const struct gr_finding *a, const struct gr_finding *b)
{
    return a->kind == b->kind && a->severity == b->severity && strcmp(a->about, b->about) == 0;
}

struct gr_fold gr_fold_at(const struct gr_findings *list, int first)
{
    const struct gr_finding *head = &list->items[first];
    struct gr_fold fold = {.first = first, .count = 1};
    while (may_repeat(head) && first + fold.count < list->count &&
           same_group(head, &list->items[first + fold.count]))
        fold.count++;
    /* A single finding is not replaced by a line. */
    fold.shown = fold.count > SHOWN + 1 ? SHOWN : fold.count;
    return fold;
}

/* The smallest line number above `line` among the findings that are not shown; 0: none. A fault
 * in another file has no line. */
static int next_line(const struct gr_findings *list, const struct gr_fold *fold, int line)
{
    int next = 0;
    for (int i = fold->first + fold->shown; i < fold->first + fold->count; i++)
        if (list->items[i].line > line && (next == 0 || list->items[i].line < next))
            next = list->items[i].line;
    return next;
}

static void say_lines(const struct gr_findings *list, const struct gr_fold *fold,
                      struct gr_str *out)
{
    int line = next_line(list, fold, 0), count = 0;
    bool several = line > 0 && next_line(list, fold, line) > 0;
    for (; line > 0 && count < MOST_LINES; line = next_line(list, fold, line), count++)
        gr_str_printf(out, "%s%d", count ? ", " : several ? ": lines " : ": line ", line);
    if (line > 0)
        gr_str_add(out, ", ...");
}

void gr_fold_format(const struct gr_findings *list, const struct gr_fold *fold, struct gr_str *out)
{
    const char *about = list->items[fold->first].about;
    if (fold->shown == fold->count)
        return;
    gr_str_printf(out, "and %d more of this kind%s%s", fold->count - fold->shown,
                  *about ? " on " : "", about);
    say_lines(list, fold, out);
}

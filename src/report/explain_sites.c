/* explain_sites.c: chooses the memory accesses of a kernel that are drawn.
 * SPDX-License-Identifier: MIT */
#include "report/explain_page.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

/* Compares first the costs beyond the ideal, then the whole costs. */
static bool costs_more(const struct gr_trace_site *a, const struct gr_trace_site *b)
{
    const struct gr_site_cost x = gr_site_cost_of(a), y = gr_site_cost_of(b);
    double lost_x = (x.each - x.best) * (double)a->requests;
    double lost_y = (y.each - y.best) * (double)b->requests;
    if (lost_x != lost_y)
        return lost_x > lost_y;
    return x.each * (double)a->requests > y.each * (double)b->requests;
}

static bool is_at(const struct gr_trace_site *s, int line, int column)
{
    return line == 0 || (s->line == line && (column == 0 || s->column == column) && !*s->file);
}

bool gr_page_worst_site(const struct gr_explain_page *page, enum gr_space space, int line,
                        int column, struct gr_figure_site *where)
{
    bool found = false;
    for (int i = 0; i < page->launch_count; i++) {
        const struct gr_trace *t = page->launches[i].trace;
        for (int j = 0; t && j < t->site_count; j++) {
            const struct gr_trace_site *s = &t->sites[j];
            if (s->space != space || s->requests == 0 || !is_at(s, line, column) ||
                (found && !costs_more(s, where->site)))
                continue;
            *where = (struct gr_figure_site){
                t, s, page->launch_count > 1 ? page->launches[i].kernel : ""};
            found = true;
        }
    }
    return found;
}

enum gradus_status gr_page_no_such_site(const struct gr_explain_page *page,
                                        struct gradus_error *error)
{
    struct gr_str lines = {0};
    char column[32] = "";
    int last = 0;
    for (int i = 0; i < page->launch_count; i++) {
        const struct gr_trace *t = page->launches[i].trace;
        for (int j = 0; t && j < t->site_count; j++) {
            const struct gr_trace_site *s = &t->sites[j];
            if (s->line != last && s->line > 0 && !*s->file && s->space != GR_SPACE_OTHER)
                gr_str_printf(&lines, "%s%d", lines.length ? ", " : "", s->line);
            last = s->line > 0 ? s->line : last;
        }
    }
    if (page->site_column)
        snprintf(column, sizeof column, ", column %d", page->site_column);
    enum gradus_status status =
        lines.length
            ? gr_fail(
                  error, GRADUS_INVALID,
                  "%s: nothing at line %d%s accesses global or shared memory; these lines do: %s",
                  page->name, page->site_line, column, lines.text)
            : gr_fail(error, GRADUS_UNSUPPORTED,
                      "%s: there is no picture of line %d: the kernel was not simulated%s%s",
                      page->name, page->site_line, page->untraced ? ": " : "",
                      page->untraced ? page->untraced : "");
    gr_str_free(&lines);
    return status;
}

/* explain_listing.c: the source with the costs of its lines, and a picture of every memory access.
 * SPDX-License-Identifier: MIT */
#include "report/explain_page.h"

#include "report/amd_figure.h"
#include "report/markup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICTURES = 48, AROUND = 2 };

static bool is_shown(const struct gr_trace_site *s)
{
    return s->requests > 0 && (s->space == GR_SPACE_GLOBAL || s->space == GR_SPACE_SHARED);
}

/* Appends a badge such as "load A 32 sectors". It is red from twice the ideal cost on, and yellow
 * above the ideal. */
static void add_badge(const struct gr_explain_page *page, const struct gr_trace *trace,
                      const struct gr_trace_site *s, struct gr_str *out)
{
    const struct gr_site_cost cost = gr_site_cost_of(s);
    const struct gr_trace_array *array = gr_trace_array_of(trace, s);
    const char *style = cost.each >= 2 * cost.best      ? "bad"
                        : cost.each > cost.best * 1.001 ? "warn"
                                                        : "good";
    char *count = gr_printf(": %.3g %s%s", cost.each, cost.unit, cost.each == 1 ? "" : "s");
    char *words = count && page->amd_kept ? gr_figure_amd_words(count, page->amd_kept) : NULL;
    gr_str_printf(out, "<span class=\"badge %s\">%s ", style, gr_access_name(s->access));
    gr_markup_add(out, array ? array->name : "");
    gr_markup_add(out, words ? words : count);
    out->failed |= !count;
    free(words);
    free(count);
    gr_str_printf(out, "</span> ");
}

/* Has an earlier access of the same line the same badge? Then it is shown once. */
static bool is_repeated(const struct gr_trace *t, int site)
{
    const struct gr_site_cost cost = gr_site_cost_of(&t->sites[site]);
    for (int i = 0; i < site; i++) {
        const struct gr_trace_site *a = &t->sites[i], *b = &t->sites[site];
        const struct gr_site_cost other = gr_site_cost_of(a);
        if (a->line == b->line && !*a->file && is_shown(a) && a->space == b->space &&
            a->access == b->access && a->array == b->array && other.each == cost.each &&
            other.best == cost.best)
            return true;
    }
    return false;
}

static void add_badges(const struct gr_explain_page *page, int line, struct gr_str *out)
{
    for (int i = 0; i < page->launch_count; i++) {
        const struct gr_trace *t = page->launches[i].trace;
        for (int j = 0; t && j < t->site_count; j++)
            if (t->sites[j].line == line && !*t->sites[j].file && is_shown(&t->sites[j]) &&
                !is_repeated(t, j))
                add_badge(page, t, &t->sites[j], out);
    }
}

static bool touches(const struct gr_explain_page *page, int line)
{
    for (int i = 0; i < page->launch_count; i++) {
        const struct gr_trace *t = page->launches[i].trace;
        for (int j = 0; t && j < t->site_count; j++)
            if (t->sites[j].line == line && !*t->sites[j].file && is_shown(&t->sites[j]))
                return true;
    }
    return false;
}

bool gr_page_lists(const struct gr_explain_page *page, int line)
{
    for (int l = line - AROUND; page->source && l <= line + AROUND; l++)
        if (touches(page, l))
            return true;
    return false;
}

static void add_line(const void *own, int number, const char *text, size_t length,
                     struct gr_str *out)
{
    const struct gr_explain_page *page = own;
    char *line = gr_strndup(text, length);
    gr_str_printf(out, "<tr id=\"%sline-%d\"><td class=\"num muted\">%d</td><td class=\"cost\">",
                  page->id ? page->id : "", number, number);
    add_badges(page, number, out);
    gr_str_add(out, "</td><td class=\"code\"><code>");
    gr_markup_add(out, line);
    gr_str_add(out, "</code></td></tr>\n");
    free(line);
}

static bool lists(const void *page, int number)
{
    return gr_page_lists(page, number);
}

void gr_page_rows(const char *source, bool (*wanted)(const void *own, int number),
                  void (*add)(const void *own, int number, const char *text, size_t length,
                              struct gr_str *out),
                  const void *own, struct gr_str *out)
{
    bool skipped = false;
    int number = 1;
    for (const char *text = source; *text; number++) {
        size_t length = strcspn(text, "\n");
        const bool shown = wanted(own, number);
        if (shown && skipped)
            gr_str_add(out, "<tr class=\"skipped\"><td class=\"num muted\">&#8942;</td>"
                            "<td></td><td></td></tr>\n");
        if (shown)
            add(own, number, text, length, out);
        skipped = !shown;
        text += length + (text[length] == '\n');
    }
}

void gr_page_source(const struct gr_explain_page *page, struct gr_str *out)
{
    gr_str_add(out, "<div class=\"scroll\" role=\"region\" aria-label=\"source\" tabindex=\"0\">\n"
                    "<table class=\"listing\"><thead><tr><th class=\"num\">line</th>"
                    "<th>per request</th><th>source</th></tr></thead><tbody>\n");
    gr_page_rows(page->source, lists, add_line, page, out);
    gr_str_add(out, "</tbody></table></div>\n");
}

/* ---- every site ---- */

static void add_site(const struct gr_explain_page *page, const struct gr_figure_site *where,
                     struct gr_str *out)
{
    struct gr_figure figure;
    struct gr_str name = {0};
    const struct gr_site_cost cost = gr_site_cost_of(where->site);
    gr_site_format(where, &name);
    gr_str_add(&name, ": ");
    gr_site_format_cost(&cost, &name);
    if (where->site->space == GR_SPACE_GLOBAL)
        gr_picture_lanes(where, "site", &figure);
    else
        gr_picture_banks(where, "site", &figure);
    char *words = page->amd_kept ? gr_figure_amd_words(gr_str_text(&name), page->amd_kept) : NULL;
    if (page->amd_kept)
        gr_figure_in_amd_words(&figure, page->amd_kept);
    gr_str_add(out, "<details><summary>");
    gr_markup_add(out, words ? words : gr_str_text(&name));
    gr_str_add(out, "</summary>\n");
    if (figure.wide.length)
        gr_page_figure(&figure, false, out);
    gr_str_add(out, "</details>\n");
    out->failed |= figure.failed;
    gr_figure_free(&figure);
    gr_str_free(&name);
    free(words);
}

static void add_sites(const struct gr_explain_page *page, struct gr_str *out)
{
    int drawn = 0, left = 0;
    for (int i = 0; i < page->launch_count; i++) {
        const struct gr_trace *t = page->launches[i].trace;
        for (int j = 0; t && j < t->site_count; j++) {
            if (!is_shown(&t->sites[j]) || is_repeated(t, j))
                continue;
            const struct gr_figure_site where = {
                t, &t->sites[j], page->launch_count > 1 ? page->launches[i].kernel : ""};
            if (drawn < MOST_PICTURES)
                add_site(page, &where, out);
            else
                left++;
            drawn++;
        }
    }
    if (left)
        gr_str_printf(out,
                      "<p class=\"muted\">%d more places are not drawn; --site LINE draws "
                      "one.</p>\n",
                      left);
}

static void say_coverage(const struct gr_trace *t, struct gr_str *out)
{
    gr_str_add(out, "<p class=\"muted\">");
    if (t->coverage == GR_COVERAGE_WHOLE)
        gr_str_printf(out, "Exact: all %" PRId64 " blocks were traced", t->blocks);
    else if (t->coverage == GR_COVERAGE_CLASSES)
        gr_str_printf(out,
                      "Exact: one block of each of %" PRId64
                      " classes was traced, others at random agreed: %" PRId64 " of %" PRId64
                      " blocks",
                      t->classes, t->blocks_traced, t->blocks);
    else
        gr_str_printf(out, "Sampled, not exact: %" PRId64 " of %" PRId64 " blocks were traced",
                      t->blocks_traced, t->blocks);
    gr_str_printf(out, ". Access widths: %s.</p>\n",
                  t->widths == GR_WIDTHS_CUBIN  ? "as the machine code has them"
                  : t->widths == GR_WIDTHS_CODE ? "as the machine code has them, which was executed"
                  : t->widths == GR_WIDTHS_MERGED ? "neighbours merged by a rule of thumb"
                                                  : "as the source writes them");
}

bool gr_page_is_traced(const struct gr_explain_page *page)
{
    for (int i = 0; i < page->launch_count; i++)
        if (page->launches[i].trace && page->launches[i].trace->site_count > 0)
            return true;
    return false;
}

void gr_page_listing(const struct gr_explain_page *page, struct gr_str *out)
{
    bool traced = gr_page_is_traced(page);
    gr_str_add(out, "<section>\n<h2>What each line costs</h2>\n");
    if (!traced) {
        gr_str_add(out, "<p>No accesses are shown: the kernel was not simulated");
        gr_str_add(out, page->untraced ? ": " : "");
        gr_markup_add(out, page->untraced);
        gr_str_add(out, ".</p>\n");
    }
    for (int i = 0; i < page->launch_count; i++)
        if (page->launches[i].trace)
            say_coverage(page->launches[i].trace, out);
    if (traced && page->source) {
        gr_str_add(out, "<div class=\"lines\">\n");
        gr_page_source(page, out);
        gr_str_add(out, "<div id=\"walk\" class=\"walk\" hidden></div>\n</div>\n");
    }
    gr_str_add(out, "</section>\n");
}

void gr_page_sites(const struct gr_explain_page *page, struct gr_str *out)
{
    if (!gr_page_is_traced(page))
        return;
    gr_str_add(out, "<section>\n<h2>Each place that accesses memory</h2>\n");
    add_sites(page, out);
    gr_str_add(out, "</section>\n");
}

/* explain_pair.c: the page that compares two kernels: a table of their costs, the findings that
 * only one of them has, and their pictures and sources in two columns, which are stacked on narrow
 * screens. SPDX-License-Identifier: MIT */
#include "report/explain_pair.h"

#include "core/error.h"
#include "base/file.h"
#include "report/amd_figure.h"
#include "report/html.h"
#include "report/markup.h"

#include <stdlib.h>
#include <string.h>

const char *const gr_pair_folders[2] = {"first", "second"};

/* ---- the head and the table ---- */

static void add_lines(const char *text, struct gr_str *out)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char *line = gr_strndup(text, length);
        if (length) {
            gr_str_add(out, "<p class=\"muted\">");
            gr_markup_add(out, line);
            gr_str_add(out, "</p>\n");
        }
        free(line);
        text += length + (text[length] == '\n');
    }
}

static void add_header(const struct gr_explain_pair *pair, struct gr_str *out)
{
    gr_str_add(out, "<header>\n<p class=\"over\">Gradus: two kernels side by side</p>\n<h1>");
    gr_markup_printf(out, "%s against %s", pair->pages[0]->name, pair->pages[1]->name);
    gr_str_add(out, "</h1>\n");
    add_lines(pair->circumstances, out);
    gr_str_add(out, "<p>Each by itself, with every picture and section: ");
    for (int i = 0; i < 2; i++) {
        gr_str_printf(out, "%s<a href=\"%s/index.html\">", i ? ", " : "", gr_pair_folders[i]);
        gr_markup_add(out, pair->pages[i]->name);
        gr_str_add(out, "</a>");
        if (pair->pages[i]->title) {
            gr_str_add(out, " (");
            gr_markup_add(out, pair->pages[i]->title);
            gr_str_add(out, ")");
        }
    }
    gr_str_add(out, ".</p>\n</header>\n");
}

static void add_cell(const char *text, struct gr_str *out)
{
    gr_str_add(out, "<td class=\"num\">");
    gr_markup_add(out, text);
    gr_str_add(out, "</td>");
}

/* A label that begins with blanks is a detail of the label above it. */
static void add_table(const struct gr_explain_pair *pair, struct gr_str *out)
{
    gr_str_add(out, "<section>\n<h2 id=\"counts\">What each requests</h2>\n<div class=\"scroll\" "
                    "role=\"region\" aria-labelledby=\"counts\" tabindex=\"0\">\n<table "
                    "class=\"compare dense\">\n<thead>"
                    "<tr><th></th>");
    for (int i = 0; i < 2; i++) {
        gr_str_add(out, "<th scope=\"col\" class=\"num\">");
        gr_markup_add(out, pair->pages[i]->name);
        gr_str_add(out, "</th>");
    }
    gr_str_add(out, "<th scope=\"col\" class=\"num\">ratio</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < pair->row_count; i++) {
        const struct gr_pair_row *row = &pair->rows[i];
        bool below = *row->label == ' ';
        gr_str_printf(out, "<tr><th scope=\"row\"%s>", below ? " class=\"below\"" : "");
        gr_markup_add(out, row->label + strspn(row->label, " "));
        gr_str_add(out, "</th>");
        add_cell(row->values[0], out);
        add_cell(row->values[1], out);
        add_cell(row->ratio, out);
        gr_str_add(out, "</tr>\n");
    }
    gr_str_add(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

/* ---- findings ---- */

static bool has_like(const struct gr_explain_page *page, const struct gr_finding *finding)
{
    return gr_findings_has(&page->explanation->findings, finding->kind);
}

/* A finding counts as the same in both kernels whatever its line is. */
static void add_only(const struct gr_explain_pair *pair, int which, struct gr_str *out)
{
    const struct gr_explain_page *page = pair->pages[which], *other = pair->pages[1 - which];
    const struct gr_findings *findings = &page->explanation->findings;
    bool any = false;
    gr_str_add(out, "<div>\n<h3>Only ");
    gr_markup_add(out, page->name);
    gr_str_add(out, " has</h3>\n<ul class=\"findings\">\n");
    for (int i = 0; i < findings->count; i++) {
        if (has_like(other, &findings->items[i]))
            continue;
        gr_page_finding(page, &findings->items[i], out);
        any = true;
    }
    gr_str_add(out, any ? "" : "<li class=\"muted\">none</li>\n");
    gr_str_add(out, "</ul>\n</div>\n");
}

static void add_common(const struct gr_explain_pair *pair, struct gr_str *out)
{
    const struct gr_findings *findings = &pair->pages[0]->explanation->findings;
    bool any = false;
    for (int i = 0; i < findings->count; i++) {
        bool met = !has_like(pair->pages[1], &findings->items[i]);
        for (int j = 0; j < i && !met; j++)
            met = findings->items[j].kind == findings->items[i].kind;
        if (met)
            continue;
        gr_str_printf(out, "%s%s",
                      any ? ", " : "<p>Both have: ", gr_finding_name(findings->items[i].kind));
        any = true;
    }
    gr_str_add(out, any ? ".</p>\n" : "");
}

static void add_findings(const struct gr_explain_pair *pair, struct gr_str *out)
{
    const struct gr_findings *a = &pair->pages[0]->explanation->findings,
                             *b = &pair->pages[1]->explanation->findings;
    if (a->count == 0 && b->count == 0)
        return;
    gr_str_add(out, "<section>\n<h2>Findings</h2>\n<div class=\"pair\">\n");
    add_only(pair, 0, out);
    add_only(pair, 1, out);
    gr_str_add(out, "</div>\n");
    add_common(pair, out);
    gr_str_add(out, "</section>\n");
}

/* ---- pictures ---- */

static const struct gr_figure *figure_of(const struct gr_page_figures *figures, const char *name)
{
    for (int i = 0; i < figures->count; i++)
        if (figures->items[i].name && strcmp(figures->items[i].name, name) == 0)
            return &figures->items[i];
    return NULL;
}

static void add_figure(const struct gr_explain_page *page, const struct gr_figure *figure,
                       const char *none, struct gr_str *out)
{
    gr_str_add(out, "<div>\n<h3>");
    gr_markup_add(out, page->name);
    gr_str_add(out, "</h3>\n");
    if (!figure) {
        gr_str_printf(out, "<p class=\"muted\">%s</p>\n</div>\n", none);
        return;
    }
    gr_str_add(out, "<figure>\n");
    gr_str_add(out, gr_str_text(&figure->narrow));
    gr_str_add(out, "<figcaption>");
    gr_markup_printf(out, "%s. %s", figure->title, figure->caption);
    gr_str_add(out, "</figcaption>\n</figure>\n</div>\n");
}

static char *words_for(const struct gr_explain_page *page, const char *text)
{
    return page->amd_kept ? gr_figure_amd_words(text, page->amd_kept) : gr_strdup(text);
}

static void add_pictures(const struct gr_explain_pair *pair,
                         const struct gr_page_figures figures[2], struct gr_str *out)
{
    static const struct {
        const char *name, *heading, *none;
    } kinds[] = {{"sectors", "The costliest request of global memory",
                  "No request of global memory was simulated."},
                 {"banks", "The costliest request of shared memory",
                  "No request of shared memory was simulated."},
                 {"tiles", "Tiles", "The launch is not known."}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct gr_figure *a = figure_of(&figures[0], kinds[i].name),
                               *b = figure_of(&figures[1], kinds[i].name);
        if (!a && !b)
            continue;
        char *heading = words_for(pair->pages[0], kinds[i].heading),
             *none = words_for(pair->pages[0], kinds[i].none);
        gr_str_printf(out, "<section>\n<h2>%s</h2>\n<div class=\"pair\">\n",
                      heading ? heading : "");
        add_figure(pair->pages[0], a, none, out);
        add_figure(pair->pages[1], b, none, out);
        out->failed |= !heading || !none;
        free(heading);
        free(none);
        gr_str_add(out, "</div>\n</section>\n");
    }
}

/* ---- sources ---- */

static void add_sources(const struct gr_explain_pair *pair, struct gr_str *out)
{
    gr_str_add(out, "<section>\n<h2>What each line costs</h2>\n<div class=\"pair\">\n");
    for (int i = 0; i < 2; i++) {
        gr_str_add(out, "<div>\n<h3>");
        gr_markup_add(out, pair->pages[i]->name);
        gr_str_add(out, "</h3>\n");
        if (gr_page_is_traced(pair->pages[i]) && pair->pages[i]->source)
            gr_page_source(pair->pages[i], out);
        else
            gr_str_add(out, "<p class=\"muted\">It was not simulated.</p>\n");
        gr_str_add(out, "</div>\n");
    }
    gr_str_add(out, "</div>\n</section>\n");
}

/* ---- the page ---- */

/* Both kernels under the same roofs. */
static struct gr_reach reach_of(const struct gr_explain_pair *pair)
{
    struct gr_reach reach = pair->pages[0]->reach;
    reach.kernels[1] = pair->pages[1]->reach.kernels[0];
    reach.kernel_count = 2;
    for (int i = 0; i < 2; i++)
        reach.kernels[i].name = pair->pages[i]->name;
    return reach;
}

static void make_page(const struct gr_explain_pair *pair, const struct gr_page_figures figures[2],
                      const struct gr_figure *roofline, struct gr_str *out)
{
    char *title = gr_printf("%s against %s", pair->pages[0]->name, pair->pages[1]->name);
    gr_html_open(title ? title : "", out);
    free(title);
    add_header(pair, out);
    add_table(pair, out);
    add_findings(pair, out);
    if (roofline->wide.length) {
        gr_str_add(out, "<section>\n<h2>");
        gr_markup_add(out, roofline->title);
        gr_str_add(out, "</h2>\n");
        gr_page_figure(roofline, true, out);
        gr_str_add(out, "</section>\n");
    }
    add_pictures(pair, figures, out);
    if (gr_page_is_traced(pair->pages[0]) || gr_page_is_traced(pair->pages[1]))
        add_sources(pair, out);
    if (pair->command) {
        gr_str_add(out, "<section>\n<h2>To make this page again</h2>\n<pre tabindex=\"0\">");
        gr_markup_add(out, pair->command);
        gr_str_add(out, "</pre>\n</section>\n");
    }
    gr_str_add(out, "<footer>The same as data: <a href=\"explain.json\">explain.json</a>, "
                    "<a href=\"explain.md\">explain.md</a>. Costs are counts of a simulation, and "
                    "no time was measured, unless a time is shown as measured.</footer>\n");
    gr_html_close(out);
}

enum gradus_status gr_explain_pair_write(const struct gr_explain_pair *pair, const char *directory,
                                         struct gradus_error *error)
{
    struct gr_page_figures figures[2] = {{.count = 0}, {.count = 0}};
    struct gr_figure roofline = {0};
    struct gr_str html = {0};
    const struct gr_reach reach = reach_of(pair);
    bool failed = false;
    for (int i = 0; i < 2; i++) {
        gr_page_figures_make(pair->pages[i], &figures[i]);
        for (int j = 0; j < figures[i].count; j++)
            failed |= figures[i].items[j].failed;
    }
    gr_picture_reach(&reach, &roofline);
    if (pair->pages[0]->amd_kept)
        gr_figure_in_amd_words(&roofline, pair->pages[0]->amd_kept);
    enum gradus_status status = failed || roofline.failed
                                    ? gr_fail_memory(error, "the report's pictures", 0)
                                    : gr_dir_make(directory, error);
    if (!status && roofline.wide.length)
        status = gr_page_figure_write(&roofline, directory, error);
    if (!status) {
        make_page(pair, figures, &roofline, &html);
        status = gr_page_text_write(directory, "index", "html", &html, error);
    }
    gr_str_free(&html);
    gr_figure_free(&roofline);
    for (int i = 0; i < 2; i++)
        gr_page_figures_free(&figures[i]);
    return status;
}

/* explain_page.c: the page of a kernel with its head, pictures, listing and sections, and the files
 * next to it. SPDX-License-Identifier: MIT */
#include "report/explain_page.h"

#include "core/error.h"
#include "base/file.h"
#include "report/html.h"
#include "report/markup.h"

#include <stdlib.h>
#include <string.h>

/* ---- the page ---- */

void gr_page_figure(const struct gr_figure *f, bool files, struct gr_str *out)
{
    gr_str_add(out, "<figure>\n<div class=\"wide\">\n");
    gr_str_add(out, gr_str_text(&f->wide));
    gr_str_add(out, "</div>\n<div class=\"narrow\">\n");
    gr_str_add(out, gr_str_text(&f->narrow));
    gr_str_add(out, "</div>\n<figcaption>");
    gr_markup_add(out, f->caption);
    if (files)
        gr_str_printf(out,
                      " For a paper: <a href=\"%s.svg\">%s.svg</a>, or <a href=\"%s.gp\">%s.gp</a> "
                      "with <a href=\"%s.dat\">%s.dat</a>.",
                      f->name, f->name, f->name, f->name, f->name, f->name);
    gr_str_add(out, "</figcaption>\n</figure>\n");
}

static void add_lines(const char *text, const char *style, struct gr_str *out)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char *line = gr_strndup(text, length);
        if (length) {
            gr_str_printf(out, "<p%s>", style);
            gr_markup_add(out, line);
            gr_str_add(out, "</p>\n");
        }
        free(line);
        text += length + (text[length] == '\n');
    }
}

static void add_header(const struct gr_explain_page *page, struct gr_str *out)
{
    gr_str_add(out, "<header>\n<p class=\"over\">Gradus: a kernel explained</p>\n<h1>");
    gr_markup_add(out, page->name);
    gr_str_add(out, "</h1>\n");
    if (page->title) {
        gr_str_add(out, "<p class=\"lead\">");
        gr_markup_add(out, page->title);
        gr_str_add(out, "</p>\n");
    }
    add_lines(page->circumstances, " class=\"muted\"", out);
    gr_str_add(out, "</header>\n");
}

static void make_page(const struct gr_explain_page *page, const struct gr_page_figures *f,
                      struct gr_str *out)
{
    gr_page_open(page, out);
    add_header(page, out);
    gr_page_findings(page, out);
    gr_page_listing(page, out);
    gr_page_code(page, out);
    for (int i = 0; i < f->count; i++) {
        gr_str_add(out, "<section>\n<h2>");
        gr_markup_add(out, f->items[i].title);
        gr_str_add(out, "</h2>\n");
        gr_page_figure(&f->items[i], true, out);
        gr_str_add(out, "</section>\n");
    }
    gr_page_sites(page, out);
    gr_page_sections(page->explanation, out);
    if (page->command) {
        gr_str_add(out, "<section>\n<h2>To make this page again</h2>\n<pre tabindex=\"0\">");
        gr_markup_add(out, page->command);
        gr_str_add(out, "</pre>\n</section>\n");
    }
    gr_str_add(out, "<footer>");
    if (page->data)
        gr_str_add(out, "The same as data: <a href=\"explain.json\">explain.json</a>, "
                        "<a href=\"explain.md\">explain.md</a>. ");
    gr_str_add(out, "Costs are counts of a simulation, and no time was measured, unless a time is "
                    "shown as measured.</footer>\n");
    gr_page_walk(page, out);
    gr_html_close(out);
}

/* ---- the files ---- */

enum gradus_status gr_page_text_write(const char *directory, const char *name,
                                      const char *extension, const struct gr_str *text,
                                      struct gradus_error *error)
{
    char *path = gr_printf("%s/%s.%s", directory, name, extension);
    enum gradus_status status = path && !text->failed
                                    ? gr_file_write(path, gr_str_text(text), text->length, error)
                                    : gr_fail_memory(error, "the report", text->length);
    free(path);
    return status;
}

/* Writes the picture as a file of its own, which includes the style sheet of the page. */
static void make_svg(const struct gr_figure *f, struct gr_str *out)
{
    const char *drawn = gr_str_text(&f->wide), *inside = strstr(drawn, ">");
    gr_str_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    gr_str_add_bytes(out, drawn + strlen("<svg"), (size_t)(inside - drawn) + 1 - strlen("<svg"));
    gr_str_add(out, "\n<style>\n");
    gr_html_rules(out);
    gr_str_add(out,
               "svg{background:var(--bg);max-width:1400px;font-family:sans-serif}\n</style>\n");
    gr_str_add(out, inside + 1);
}

enum gradus_status gr_page_figure_write(const struct gr_figure *f, const char *directory,
                                        struct gradus_error *error)
{
    struct gr_str svg = {0};
    make_svg(f, &svg);
    enum gradus_status status = gr_page_text_write(directory, f->name, "svg", &svg, error);
    if (!status)
        status = gr_page_text_write(directory, f->name, "gp", &f->script, error);
    if (!status)
        status = gr_page_text_write(directory, f->name, "dat", &f->data, error);
    gr_str_free(&svg);
    return status;
}

static enum gradus_status write_all(const struct gr_explain_page *page,
                                    const struct gr_page_figures *f, const char *directory,
                                    struct gradus_error *error)
{
    struct gr_str html = {0};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < f->count && !status; i++)
        if (f->items[i].failed)
            status = gr_fail_memory(error, "the report's pictures", 0);
    if (!status)
        status = gr_dir_make(directory, error);
    for (int i = 0; i < f->count && !status; i++)
        status = gr_page_figure_write(&f->items[i], directory, error);
    if (!status) {
        make_page(page, f, &html);
        status = gr_page_text_write(directory, "index", "html", &html, error);
    }
    gr_str_free(&html);
    return status;
}

enum gradus_status gr_explain_page_write(const struct gr_explain_page *page, const char *directory,
                                         struct gradus_error *error)
{
    struct gr_page_figures figures = {0};
    struct gr_figure_site where;
    int line = page->site_line, column = page->site_column;
    if (line && !gr_page_worst_site(page, GR_SPACE_GLOBAL, line, column, &where) &&
        !gr_page_worst_site(page, GR_SPACE_SHARED, line, column, &where))
        return gr_page_no_such_site(page, error);
    gr_page_figures_make(page, &figures);
    enum gradus_status status = write_all(page, &figures, directory, error);
    gr_page_figures_free(&figures);
    return status;
}

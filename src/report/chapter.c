/* chapter.c: the section about the kernels, one after another, on the page of a run.
 * SPDX-License-Identifier: MIT */
#include "report/chapter.h"

#include "report/explain_page.h"
#include "report/markup.h"

#include <stdlib.h>
#include <string.h>

void gr_chapter_forget(struct gr_chapter *c)
{
    for (int i = 0; i < c->figure_count; i++)
        gr_figure_free(&c->figures[i]);
    free(c->size);
    free(c->page);
    c->size = c->page = NULL;
    c->figure_count = 0;
}

void gr_chapters_free(struct gr_chapters *chapters)
{
    for (int i = 0; i < chapters->count; i++) {
        struct gr_chapter *c = &chapters->items[i];
        gr_chapter_forget(c);
        free(c->name);
        free(c->title);
        free(c->ideas);
        free(c->before);
        free(c->diff);
    }
    free(chapters->items);
    *chapters = (struct gr_chapters){0};
}

static bool says_something(const struct gr_chapter *c)
{
    return c->ideas || c->diff || c->figure_count > 0;
}

/* Marks removed and added lines as such. The lines with the file names are left out, because the
 * text above gives the names. */
static void add_diff(const struct gr_chapter *c, struct gr_str *out)
{
    gr_str_add(out, "<details><summary>What it changes in ");
    gr_markup_add(out, c->before);
    gr_str_add(out, "</summary>\n<pre class=\"diff\" tabindex=\"0\">");
    for (const char *text = c->diff; *text;) {
        size_t length = strcspn(text, "\n");
        char *line = gr_strndup(text, length);
        const char *tag = *text == '+' ? "ins" : *text == '-' ? "del" : NULL;
        bool names = gr_starts_with(text, "+++ ") || gr_starts_with(text, "--- ");
        if (tag && !names)
            gr_str_printf(out, "<%s>", tag);
        gr_markup_add(out, line);
        if (tag && !names)
            gr_str_printf(out, "</%s>", tag);
        gr_str_add(out, "\n");
        free(line);
        text += length + (text[length] == '\n');
    }
    gr_str_add(out, "</pre>\n</details>\n");
}

static void add_ideas(const char *text, struct gr_str *out)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char *line = gr_strndup(text, length);
        gr_str_add(out, "<p>");
        gr_markup_add(out, line);
        gr_str_add(out, "</p>\n");
        free(line);
        text += length + (text[length] == '\n');
    }
}

static void add_chapter(const struct gr_chapter *c, struct gr_str *out)
{
    gr_str_add(out, "<article class=\"chapter\">\n<h3>");
    gr_markup_add(out, c->name);
    if (c->title && strcmp(c->title, c->name) != 0) {
        gr_str_add(out, ": ");
        gr_markup_add(out, c->title);
    }
    gr_str_add(out, "</h3>\n");
    add_ideas(c->ideas, out);
    if (c->page) {
        gr_str_add(out, "<p><a href=\"");
        gr_markup_add(out, c->page);
        gr_str_add(out, "\">Its source, line by line, to walk through</a>");
        gr_markup_printf(out, ", at %s.", c->size ? c->size : "");
        gr_str_add(out, "</p>\n");
    }
    for (int i = 0; i < c->figure_count; i++) {
        gr_str_add(out, "<h4>");
        gr_markup_add(out, c->figures[i].title);
        gr_str_add(out, "</h4>\n");
        gr_page_figure(&c->figures[i], false, out);
    }
    if (c->diff)
        add_diff(c, out);
    gr_str_add(out, "</article>\n");
}

void gr_html_chapters(const struct gr_chapters *chapters, struct gr_str *out)
{
    int said = 0;
    for (int i = 0; i < chapters->count; i++)
        said += says_something(&chapters->items[i]);
    if (said == 0)
        return;
    gr_str_add(out, "<section>\n<h2>Kernel by kernel</h2>\n");
    for (int i = 0; i < chapters->count; i++)
        if (says_something(&chapters->items[i]))
            add_chapter(&chapters->items[i], out);
    gr_str_add(out, "</section>\n");
}

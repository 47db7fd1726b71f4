/* history_page.c: the history as one page: for each series, a chart of its rate over time, and its
 * rows below it. SPDX-License-Identifier: MIT */
#include "report/history_view.h"

#include "core/error.h"
#include "records/steady.h"
#include "report/html.h"
#include "report/markup.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 4 /* a page with more series begins with a list of them */ };

/* ---- The chart ---- */

/* The label of a tick: the day, such as "11-25", or the time, such as "18:02", if all rows are from
 * one day. */
static char *tick_of(const struct gr_history_series *series, int index)
{
    char date[GR_HISTORY_DATE], first[GR_HISTORY_DATE], last[GR_HISTORY_DATE];
    gr_history_word_date(series->entries[index], date);
    gr_history_word_date(series->entries[0], first);
    gr_history_word_date(series->entries[series->count - 1], last);
    if (strlen(date) != strlen("2026-11-25 18:02"))
        return gr_strdup("");
    return strncmp(first, last, 10) == 0 ? gr_strdup(date + 11) : gr_strndup(date + 5, 5);
}

/* The tooltip of a point. */
static char *hint_of(const struct gr_history_view *view, const struct gr_history_series *series,
                     int index)
{
    const struct gr_history_entry *entry = series->entries[index];
    struct gr_str hint = {0};
    char date[GR_HISTORY_DATE], hash[GR_HISTORY_HASH];
    gr_history_word_date(entry, date);
    gr_str_printf(&hint, "%s UTC", date);
    gr_history_word_hash(entry, hash);
    if (*hash)
        gr_str_printf(&hint, ", file %s", hash);
    struct gr_str change = {0};
    gr_history_format_change(view, series, index, &change);
    if (change.length)
        gr_str_printf(&hint, "; %s", gr_str_text(&change));
    gr_str_free(&change);
    return hint.text;
}

static bool add_points(const struct gr_history_view *view, const struct gr_history_series *series,
                       struct gr_picture *picture)
{
    bool done = true;
    for (int i = 0; i < series->count && done; i++) {
        const struct gr_row *row = &series->entries[i]->row;
        if (!gr_picture_takes(picture, row) || !(row->gflops > 0))
            continue;
        struct gr_series *kernel =
            gr_picture_series(picture, row->kernel, row->is_peer ? GR_DRAWN_PEER : GR_DRAWN_KERNEL);
        done =
            gr_series_add(kernel, i + 1, row->gflops, tick_of(series, i), hint_of(view, series, i));
        gr_series_interval(kernel, row);
    }
    for (int i = 0; i < series->count && done; i++) {
        const struct gr_row *row = &series->entries[i]->row;
        if (row->is_peer || !row->peer.name[0] || !(row->peer.gflops > 0) ||
            gr_row_is_unsteady(row))
            continue;
        done = gr_series_add(gr_picture_series(picture, row->peer.name, GR_DRAWN_PEER), i + 1,
                             row->peer.gflops, NULL, hint_of(view, series, i));
    }
    return done;
}

static bool add_words(const struct gr_history_series *series, struct gr_picture *picture)
{
    struct gr_str title = {0};
    char first[GR_HISTORY_DATE], last[GR_HISTORY_DATE];
    gr_history_format_case(series, &title);
    gr_history_word_date(series->entries[0], first);
    gr_history_word_date(series->entries[series->count - 1], last);
    picture->title = title.text;
    picture->alt = gr_printf("Line chart of GFLOP/s over %d measurement%s from %s to %s.",
                             series->count, series->count == 1 ? "" : "s", first, last);
    picture->caption =
        gr_printf("One mark a measurement, in the order of time.%s%s%s%s",
                  picture->series_count > 1 ? " The broken line is the library beside it in the "
                                              "same runs."
                                            : "",
                  gr_picture_has_intervals(picture) ? " " : "",
                  gr_picture_has_intervals(picture) ? gr_interval_meaning : "",
                  picture->left_out ? " Unsteady measurements are not drawn." : "");
    picture->x_label = gr_strdup("measurements");
    picture->y_label = gr_strdup("GFLOP/s");
    return picture->title && picture->alt && picture->caption && picture->x_label &&
           picture->y_label;
}

static bool add_chart(const struct gr_history_view *view, const struct gr_history_series *series,
                      struct gr_str *out)
{
    struct gr_pictures pictures = {0};
    struct gr_picture *picture = gr_picture_add(&pictures, GR_PICTURE_LINES, gr_strdup("history"));
    const bool done = picture && add_points(view, series, picture) && add_words(series, picture);
    if (done && picture->series_count) {
        gr_html_begin_figure(picture, out);
        gr_str_add(out, "</figcaption>\n</figure>\n");
    }
    gr_pictures_free(&pictures);
    return done;
}

/* ---- The rows ---- */

static void add_cell(struct gr_str *out, const char *style, const char *text)
{
    gr_str_printf(out, "<td class=\"%s\">", style);
    gr_markup_add(out, text);
    gr_str_add(out, "</td>");
}

static void add_row(const struct gr_history_view *view, const struct gr_history_series *series,
                    int index, struct gr_str *out)
{
    const struct gr_history_entry *entry = series->entries[index];
    const struct gr_row *row = &entry->row;
    char date[GR_HISTORY_DATE], rate[GR_WORD], spread[GR_WORD], share[GR_WORD];
    char hash[GR_HISTORY_HASH];
    struct gr_str change = {0};
    gr_history_word_date(entry, date);
    gr_word_rate(row->gflops, rate);
    gr_history_word_spread(entry, spread);
    gr_word_ratio(&row->speedup, true, share);
    gr_history_word_hash(entry, hash);
    gr_history_format_change(view, series, index, &change);
    gr_str_add(out, "<tr><th scope=\"row\" class=\"nowrap\">");
    gr_markup_add(out, date);
    gr_str_add(out, "</th>");
    add_cell(out, "num", rate);
    add_cell(out, "num", spread);
    gr_str_add(out, "<td class=\"num\">");
    gr_markup_add(out, share);
    if (gr_row_is_unsteady(row))
        gr_str_add(out, " <span class=\"badge warn\">unsteady</span>");
    gr_str_add(out, "</td>");
    gr_str_printf(out, "<td class=\"nowrap\"><code>%s</code></td></tr>\n", hash);
    if (change.length) {
        gr_str_add(out, "<tr class=\"notes\"><td colspan=\"5\">");
        gr_markup_add(out, gr_str_text(&change));
        gr_str_add(out, "</td></tr>\n");
    }
    gr_str_free(&change);
}

static void add_rows(const struct gr_history_view *view, const struct gr_history_series *series,
                     struct gr_str *out)
{
    const char *peer = gr_history_peer(series);
    gr_str_printf(out, "<details%s>\n<summary>%d row%s</summary>\n",
                  series->count == 1 ? " open" : "", series->count, series->count == 1 ? "" : "s");
    gr_str_add(out, "<div class=\"scroll\" tabindex=\"0\"><table class=\"dense\"><thead><tr>"
                    "<th scope=\"col\">Date (UTC)</th><th scope=\"col\" class=\"num\">GFLOP/s</th>"
                    "<th scope=\"col\" class=\"num\">&plusmn;</th>"
                    "<th scope=\"col\" class=\"num\">Share of ");
    gr_markup_add(out, peer ? peer : "a peer");
    gr_str_add(out, "</th><th scope=\"col\">File</th></tr></thead>\n"
                    "<tbody>\n");
    for (int i = 0; i < series->count; i++)
        add_row(view, series, i, out);
    gr_str_add(out, "</tbody></table></div>\n");
    if (series->entries[series->count - 1]->row.command) {
        gr_str_add(out, "<p>To measure it again:</p>\n<pre tabindex=\"0\">");
        gr_markup_add(out, series->entries[series->count - 1]->row.command);
        gr_str_add(out, "</pre>\n");
    }
    gr_str_add(out, "</details>\n");
}

/* ---- The page ---- */

static void add_case(const struct gr_history_series *series, struct gr_str *out)
{
    struct gr_str text = {0};
    gr_history_format_case(series, &text);
    gr_markup_add(out, gr_str_text(&text));
    gr_str_free(&text);
}

static void add_header(const struct gr_history_view *view, struct gr_str *out)
{
    int rows = 0;
    bool several = false; /* there are several machines */
    for (int i = 0; i < view->count; i++) {
        rows += view->series[i].count;
        several |= strcmp(view->series[i].machine, view->series[0].machine) != 0;
    }
    gr_str_add(out,
               "<header>\n<p class=\"over\">Gradus</p>\n<h1>History</h1>\n<p class=\"muted\">");
    gr_markup_printf(out, "%d row%s of %s", rows, rows == 1 ? "" : "s", view->path);
    gr_str_add(out, "</p>\n</header>\n");
    if (view->count <= LISTED)
        return;
    gr_str_add(out, "<nav aria-label=\"Cases\"><ul>\n");
    for (int i = 0; i < view->count; i++) {
        gr_str_printf(out, "<li><a href=\"#case%d\">", i + 1);
        add_case(&view->series[i], out);
        if (several)
            gr_markup_printf(out, "; %s", view->series[i].machine);
        gr_str_add(out, "</a></li>\n");
    }
    gr_str_add(out, "</ul></nav>\n");
}

enum gradus_status gr_history_page(const struct gr_history_view *view, struct gr_str *out,
                                   struct gradus_error *error)
{
    bool done = true;
    gr_html_open("history", out);
    add_header(view, out);
    for (int i = 0; i < view->count && done; i++) {
        gr_str_printf(out, "<section id=\"case%d\">\n<h2>", i + 1);
        add_case(&view->series[i], out);
        gr_str_add(out, "</h2>\n<p class=\"muted\">");
        gr_markup_add(out, view->series[i].machine);
        gr_str_add(out, "</p>\n");
        if (view->series[i].count > 1) /* a single row has no change over time to draw */
            done = add_chart(view, &view->series[i], out);
        add_rows(view, &view->series[i], out);
        gr_str_add(out, "</section>\n");
    }
    gr_str_add(out, "<footer>Each row was verified before it was timed; brackets hold the "
                    "95&nbsp;% interval of the share, which was measured in the same run as the "
                    "library's.</footer>\n");
    gr_html_close(out);
    return done && !out->failed ? GRADUS_OK : gr_fail_memory(error, "the page", out->length);
}

/* history_table.c: the history for a terminal: each measurement of a series is a line with a bar,
 * so that the bars show the rate over time. SPDX-License-Identifier: MIT */
#include "report/history_view.h"

#include "base/utf8.h"
#include "records/steady.h"

#include <stdio.h>
#include <string.h>

enum {
    DATE = 16,
    RATE = 7,
    SPREAD = 6,
    SHARE = 18,
    SHARE_SHORT = 6, /* the share without its interval */
    FILE_HASH = 7,
    GAP = 2,
    BAR_LEAST = 10,
    BAR_MOST = 40,
    PIPED = 80 /* the width if the output is not a terminal */
};

/* The widths of a series' columns; 0: not shown. */
struct columns {
    int spread, share, file, bar;
    double most; /* the rate of the longest bar */
};

static bool any_file(const struct gr_history_series *series)
{
    for (int i = 0; i < series->count; i++)
        if (series->entries[i]->file_hash)
            return true;
    return false;
}

static int taken(const struct columns *c)
{
    return DATE + GAP + RATE + (c->spread ? GAP + c->spread : 0) + (c->share ? GAP + c->share : 0) +
           (c->file ? GAP + c->file : 0) + GAP;
}

/* On a narrow terminal, these are left out, in this order: the file's hash, the interval of the
 * share, the spread, the share. */
static void fit(const struct gr_history_series *series, int width, struct columns *c)
{
    *c = (struct columns){.spread = SPREAD,
                          .share = gr_history_peer(series) ? SHARE : 0,
                          .file = any_file(series) ? FILE_HASH : 0};
    if (width - taken(c) < BAR_LEAST)
        c->file = 0;
    if (width - taken(c) < BAR_LEAST && c->share)
        c->share = SHARE_SHORT;
    if (width - taken(c) < BAR_LEAST)
        c->spread = 0;
    if (width - taken(c) < BAR_LEAST)
        c->share = 0;
    c->bar = width - taken(c);
    c->bar = c->bar < 0 ? 0 : c->bar > BAR_MOST ? BAR_MOST : c->bar;
    for (int i = 0; i < series->count; i++)
        if (series->entries[i]->row.gflops > c->most)
            c->most = series->entries[i]->row.gflops;
}

static void add_head(const struct gr_history_series *series, const struct columns *c,
                     struct gr_str *out)
{
    gr_str_printf(out, "%-*s%*s%*s", DATE, "date (UTC)", GAP, "", RATE, "GFLOP/s");
    if (c->spread)
        gr_str_printf(out, "%*s%*s", GAP, "", c->spread, "+-");
    if (c->share) {
        char head[GR_WORD];
        snprintf(head, sizeof head, "vs %.*s", c->share - 3, gr_history_peer(series));
        gr_str_printf(out, "%*s%-*s", GAP, "", c->share, head);
    }
    if (c->file)
        gr_str_printf(out, "%*s%-*s", GAP, "", c->file, "file");
    if (c->bar)
        gr_str_printf(out, "%*s0%*.4g", GAP, "", c->bar - 1, c->most);
    gr_str_add(out, "\n");
}

/* The bar of an unsteady row is dotted. */
static void add_bar(const struct gr_row *row, const struct columns *c, struct gr_str *out)
{
    const int length = c->most > 0 ? (int)(row->gflops / c->most * c->bar + 0.5) : 0;
    const char *mark = gr_row_is_unsteady(row) ? "." : "#";
    if (length > 0)
        gr_str_printf(out, "%*s", GAP, "");
    for (int i = 0; i < length; i++)
        gr_str_add(out, mark);
}

static void add_entry(const struct gr_history_entry *entry, const struct columns *c,
                      struct gr_str *out)
{
    const struct gr_row *row = &entry->row;
    char date[GR_HISTORY_DATE], rate[GR_WORD], spread[GR_WORD], share[GR_WORD];
    char hash[GR_HISTORY_HASH];
    gr_history_word_date(entry, date);
    gr_history_word_hash(entry, hash);
    gr_word_rate(row->gflops, rate);
    gr_history_word_spread(entry, spread);
    gr_word_ratio(&row->speedup, c->share == SHARE, share);
    gr_str_printf(out, "%-*s%*s%*s", DATE, date, GAP, "", RATE, rate);
    if (c->spread)
        gr_str_printf(out, "%*s%*s", GAP, "", c->spread, spread);
    if (c->share)
        gr_str_printf(out, "%*s%-*s", GAP, "", c->share, share);
    if (c->file)
        gr_str_printf(out, "%*s%-*s", GAP, "", c->file, hash);
    add_bar(row, c, out);
    while (out->length && out->text[out->length - 1] == ' ')
        out->text[--out->length] = 0;
    gr_str_add(out, "\n");
}

static void add_series(const struct gr_history_view *view, const struct gr_history_series *series,
                       const struct gr_style *style, struct gr_str *out)
{
    struct columns columns;
    struct gr_str head = {0};
    fit(series, style->columns ? style->columns : PIPED, &columns);
    gr_history_format_case(series, &head);
    gr_str_add(&head, "; ");
    gr_str_add_line(&head, series->machine);
    gr_wrap(out, gr_str_text(&head), style->columns, 0, 2);
    gr_str_add(out, "\n\n");
    gr_str_free(&head);
    add_head(series, &columns, out);
    if (series->left_out)
        gr_str_printf(out, "(%d earlier)\n", series->left_out);
    for (int i = 0; i < series->count; i++) {
        struct gr_str change = {0};
        add_entry(series->entries[i], &columns, out);
        gr_history_format_change(view, series, i, &change);
        if (change.length) {
            gr_str_add(out, "    ");
            gr_wrap(out, gr_str_text(&change), style->columns, 4, 6);
            gr_str_add(out, "\n");
        }
        gr_str_free(&change);
    }
    gr_str_add(out, "\n");
}

void gr_history_table(const struct gr_history_view *view, const struct gr_style *style,
                      struct gr_str *out)
{
    struct gr_str foot = {0};
    int rows = 0, unsteady = 0;
    for (int i = 0; i < view->count; i++) {
        const struct gr_history_series *series = &view->series[i];
        add_series(view, series, style, out);
        rows += series->count;
        for (int j = 0; j < series->count; j++)
            unsteady += gr_row_is_unsteady(&series->entries[j]->row);
    }
    if (unsteady)
        gr_str_printf(&foot,
                      "%d of the rows, with a dotted bar, %s unsteady: other work disturbed "
                      "the measurement. ",
                      unsteady, unsteady == 1 ? "is" : "are");
    gr_str_printf(&foot, "%d row%s of ", rows, rows == 1 ? "" : "s");
    gr_str_add_line(&foot, view->path);
    gr_wrap(out, gr_str_text(&foot), style->columns, 0, 2);
    gr_str_add(out, "\n");
    gr_str_free(&foot);
}

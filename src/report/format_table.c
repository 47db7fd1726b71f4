/* format_table.c: a run as a table for a terminal. It uses the available width; in 80 columns, the
 * least important columns are left out. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/steady.h"
#include "report/explained.h"
#include "report/group.h"
#include "report/shown.h"
#include "report/sweep_page.h"
#include "report/table_foot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    RUNG,
    TITLE,
    FIGURES, /* the figures of report/shown.h, in their order */
    TIME = FIGURES + GR_SHOWN_TIME,
    PEAK = FIGURES + GR_SHOWN_PEAK,
    SHARE = FIGURES + GR_SHOWN_SHARE,
    STANDING = FIGURES + GR_SHOWN, /* compared with the peer: faster, slower, even or unsteady */
    VERDICT,
    COLUMNS
};

enum {
    GAP = 2,        /* blanks between columns */
    TITLE_MIN = 8,  /* a shorter title would be useless */
    RUNG_LONG = 20, /* a longer name is cut before any column is left out */
    RUNG_MIN = 6,
    NOTE_INDENT = 4,
    SPAN_MIN = 32,  /* the least width in which a reason is readable next to its row */
    LOG_LINES = 40, /* of a compiler's log; the whole log is in the JSON */
};

struct table {
    const struct gr_run *run;
    struct gr_str *out;
    int columns; /* the width of the terminal; 0: no limit */
    bool colour;
    int width[COLUMNS]; /* 0: the column is not shown */
    bool interval;
};

static bool is_figure(enum column column)
{
    return column >= FIGURES && column < STANDING;
}

static enum gr_shown_id figure_of(enum column column)
{
    return (enum gr_shown_id)(column - FIGURES);
}

static bool is_right_aligned(enum column column)
{
    return is_figure(column) && column != SHARE;
}

/* ---- cells ---- */

static void add_head(const struct table *t, const struct gr_group *group, enum column column,
                     struct gr_str *cell)
{
    static const char *const heads[COLUMNS] = {
        [RUNG] = "rung", [TITLE] = "title", [STANDING] = "", [VERDICT] = "verdict"};
    const bool names_peer = group->peer && !group->peers_differ && t->interval;
    gr_str_add(cell, is_figure(column) ? gr_shown[figure_of(column)].head : heads[column]);
    if (column == SHARE)
        gr_str_printf(cell, " %s", names_peer ? group->peer->name : "peer");
}

static void add_figure(const struct table *t, const struct gr_row *row, enum column column,
                       struct gr_str *cell)
{
    char word[GR_WORD];
    gr_shown_word(row, figure_of(column), word);
    if (column == SHARE && !t->interval)
        word[strcspn(word, " ")] = 0;
    gr_str_add(cell, word);
}

static void add_cell(const struct table *t, const struct gr_row *row, enum column column,
                     struct gr_str *cell)
{
    if (is_figure(column)) {
        add_figure(t, row, column, cell);
    } else if (column == RUNG) {
        gr_str_add_line(cell, gr_row_name(row));
        gr_str_add(cell, row->is_peer ? " *" : "");
    } else if (column == TITLE) {
        gr_str_add_line(cell, row->title ? row->title : "");
    } else if (column == VERDICT) {
        gr_str_add(cell, gr_verdict_name(row->verdict));
    } else if (gr_row_has_speed(row)) {
        gr_str_add(cell, gr_row_word(row));
    }
}

/* ---- widths ---- */

static void measure_column(struct table *t, const struct gr_groups *groups, enum column column)
{
    int widest = 0;
    for (int i = 0; i < groups->count; i++) {
        const struct gr_group *group = &groups->items[i];
        for (int j = -1; j < group->count; j++) {
            struct gr_str cell = {0};
            if (j < 0)
                add_head(t, group, column, &cell);
            else if (column != VERDICT || group->rows[j]->verdict == GR_RIGHT)
                add_cell(t, group->rows[j], column, &cell);
            int width = gr_utf8_width(gr_str_text(&cell));
            widest = width > widest ? width : widest;
            gr_str_free(&cell);
        }
    }
    t->width[column] = widest;
}

static int total_width(const struct table *t)
{
    int total = -GAP;
    for (int i = 0; i < COLUMNS; i++)
        total += t->width[i] ? t->width[i] + GAP : 0;
    return total;
}

static bool column_is_empty(const struct gr_groups *groups, const struct table *t,
                            enum column column)
{
    struct gr_str cell = {0};
    for (int i = 0; i < groups->count && !cell.length; i++)
        for (int j = 0; j < groups->items[i].count && !cell.length; j++)
            add_cell(t, groups->items[i].rows[j], column, &cell);
    bool empty = cell.length == 0;
    gr_str_free(&cell);
    return empty;
}

/* Narrows a column by up to `excess` characters, but not below `least`. Returns true if the whole
 * excess could be removed. */
static bool shrink(struct table *t, enum column column, int excess, int least)
{
    int width = t->width[column] - excess;
    if (t->width[column] > least)
        t->width[column] = width > least ? width : least;
    return width >= least;
}

/* On a narrow terminal, these are left out, in this order: the word "faster" (the interval shows
 * it), the end of a long name, the end of the title, the title, the time (the rate shows it), the
 * interval, the share of the peak, the share of the peer. */
static void fit(struct table *t, const struct gr_groups *groups)
{
    static const enum column victims[] = {STANDING, RUNG, TITLE, TIME, SHARE, PEAK, SHARE};
    for (int i = 0; i < COLUMNS; i++) {
        measure_column(t, groups, (enum column)i);
        if (column_is_empty(groups, t, (enum column)i))
            t->width[i] = 0;
    }
    for (size_t i = 0; i < sizeof victims / sizeof *victims; i++) {
        int excess = total_width(t) - t->columns;
        if (!t->columns || excess <= 0)
            return;
        if (victims[i] == RUNG) {
            shrink(t, RUNG, excess, RUNG_LONG);
        } else if (victims[i] == SHARE && t->interval && t->width[SHARE]) {
            t->interval = false;
            measure_column(t, groups, SHARE);
        } else if (victims[i] != TITLE || !shrink(t, TITLE, excess, TITLE_MIN)) {
            t->width[victims[i]] = 0;
        }
    }
    int excess = total_width(t) - t->columns;
    if (excess > 0)
        shrink(t, RUNG, excess, RUNG_MIN);
}

/* ---- drawing ---- */

static const char *verdict_colour(const struct gr_row *row)
{
    return gr_row_is_bad(row) ? "\033[31m" : row->verdict == GR_RIGHT ? "\033[32m" : "\033[33m";
}

static void add_coloured(struct table *t, const struct gr_row *row, const char *text)
{
    gr_str_add(t->out, t->colour ? verdict_colour(row) : "");
    gr_str_add(t->out, text);
    gr_str_add(t->out, t->colour ? "\033[0m" : "");
}

/* Draws text in its column, padded, or cut with "..". The last column is not padded. */
static void draw_cell(struct table *t, const char *text, enum column column, bool last)
{
    int width = gr_utf8_width(text), room = t->width[column];
    int padding = room > width ? room - width : 0;
    if (is_right_aligned(column))
        gr_str_printf(t->out, "%*s", padding, "");
    bool cut = width > room && (column == RUNG || column == TITLE); /* figures are never cut */
    if (!cut) {
        gr_str_add(t->out, text);
    } else {
        const char *end = text;
        for (int i = 0; i < room - 2; i++)
            end += gr_utf8_length(end);
        gr_str_add_bytes(t->out, text, (size_t)(end - text));
        gr_str_add(t->out, "..");
    }
    if (!is_right_aligned(column) && !last)
        gr_str_printf(t->out, "%*s", padding, "");
}

static void draw_head(struct table *t, const struct gr_group *group)
{
    bool first = true;
    for (int i = 0; i < COLUMNS; i++) {
        struct gr_str cell = {0};
        if (!t->width[i])
            continue;
        gr_str_printf(t->out, "%*s", first ? 0 : GAP, "");
        first = false;
        add_head(t, group, (enum column)i, &cell);
        draw_cell(t, gr_str_text(&cell), (enum column)i, i == VERDICT);
        gr_str_free(&cell);
    }
    gr_str_add(t->out, "\n");
}

/* Draws columns `from` to `to` - 1, with a gap after each except the last of the table. */
static void draw_cells(struct table *t, const struct gr_row *row, enum column from, enum column to)
{
    for (int i = (int)from; i < (int)to; i++) {
        struct gr_str cell = {0};
        if (!t->width[i])
            continue;
        add_cell(t, row, (enum column)i, &cell);
        if (i == VERDICT)
            add_coloured(t, row, gr_str_text(&cell));
        else
            draw_cell(t, gr_str_text(&cell), (enum column)i, false);
        gr_str_printf(t->out, "%*s", i == VERDICT ? 0 : GAP, "");
        gr_str_free(&cell);
    }
}

/* Draws a row that is not right, and thus has no figures: the verdict and its reason replace them,
 * or follow in the next line if there is too little room. */
static void draw_refusal(struct table *t, const struct gr_row *row)
{
    int at = t->width[RUNG] + GAP + (t->width[TITLE] ? t->width[TITLE] + GAP : 0);
    draw_cells(t, row, RUNG, FIGURES);
    if (t->columns && t->columns - at < SPAN_MIN) {
        gr_str_printf(t->out, "\n%*s", NOTE_INDENT, "");
        at = NOTE_INDENT;
    }
    struct gr_str reason = {0}, lines = {0};
    gr_row_format_verdict(row, &reason);
    gr_wrap(&lines, gr_str_text(&reason), t->columns, at, at);
    add_coloured(t, row, gr_str_text(&lines));
    gr_str_add(t->out, "\n");
    gr_str_free(&reason);
    gr_str_free(&lines);
}

static void draw_note(void *context, const char *kind, const char *line)
{
    struct table *t = context;
    if (!kind)
        return; /* the verdict is already in the row */
    gr_str_printf(t->out, "%*s", NOTE_INDENT, "");
    gr_wrap(t->out, line, t->columns, NOTE_INDENT, NOTE_INDENT + 2);
    gr_str_add(t->out, "\n");
}

/* Draws a compiler's messages with their line ends, because the carets below a line point at
 * columns. */
static void draw_log(struct table *t, const char *log)
{
    int lines = 0;
    while (*log && lines < LOG_LINES) {
        size_t length = strcspn(log, "\n");
        char *line = gr_strndup(log, length);
        gr_str_printf(t->out, "%*s", NOTE_INDENT + 2, "");
        gr_str_add_line(t->out, line ? line : "");
        gr_str_add(t->out, "\n");
        free(line);
        log += length + (log[length] == '\n');
        lines++;
    }
    int left = 0;
    for (; *log; log += strcspn(log, "\n"), log += *log == '\n')
        left++;
    if (left)
        gr_str_printf(t->out, "%*s(%d more lines: --format json)\n", NOTE_INDENT + 2, "", left);
}

static void draw_row(struct table *t, const struct gr_group *group, const struct gr_row *row)
{
    if (row->verdict == GR_RIGHT) {
        draw_cells(t, row, RUNG, COLUMNS);
        gr_str_add(t->out, "\n");
    } else {
        draw_refusal(t, row);
    }
    gr_row_format_notes(group, row, draw_note, t);
    if (row->log)
        draw_log(t, row->log);
    if (gr_row_is_bad(row) && row->command) {
        gr_str_printf(t->out, "%*sagain: ", NOTE_INDENT, "");
        gr_str_add_line(t->out, row->command);
        gr_str_add(t->out, "\n");
    }
    if (row->diagnose) {
        gr_str_printf(t->out, "%*sto find the fault: ", NOTE_INDENT, "");
        gr_str_add_line(t->out, row->diagnose);
        gr_str_add(t->out, "\n");
    }
}

static void open_group(struct table *t, const struct gr_group *group)
{
    struct gr_str head = {0};
    char size[64];
    gr_size_name(group->m, group->n, group->k, size, sizeof size);
    gr_str_printf(&head, "%s: ", size);
    gr_group_format(t->run, group, &head);
    gr_wrap(t->out, gr_str_text(&head), t->columns, 0, 2);
    gr_str_add(t->out, "\n\n");
    gr_str_free(&head);
    draw_head(t, group);
}

static void draw_group(struct table *t, const struct gr_group *group)
{
    open_group(t, group);
    for (int i = 0; i < group->count; i++)
        draw_row(t, group, group->rows[i]);
    gr_str_add(t->out, "\n");
}

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    struct table table = {.run = run,
                          .out = out,
                          .columns = style->columns,
                          .colour = style->colour,
                          .interval = true};
    if (run->sweep) {
        gr_sweep_page(run, style, false, out);
        gr_table_foot(run, style->columns, out);
        return out->failed ? gr_fail_memory(error, "the table", out->length) : GRADUS_OK;
    }
    struct gr_groups groups;
    enum gradus_status status = gr_groups_make(run, &groups, error);
    if (status)
        return status;
    fit(&table, &groups);
    for (int i = 0; i < groups.count; i++)
        draw_group(&table, &groups.items[i]);
    gr_table_foot(run, style->columns, out);
    gr_groups_free(&groups);
    return out->failed ? gr_fail_memory(error, "the table", out->length) : GRADUS_OK;
}

/* ---- row by row ---- */

/* Makes a row as wide as the rows of the plan may become, when only the first row is known, to
 * determine the widths of the columns. The numbers of registers are known for all rows or, without
 * a compiler, for none. */
static void imagine(struct gr_row *row, const struct gr_row *first)
{
    bool compiled = !gr_row_has_counts(first) || first->counts.registers > 0;
    row->verdict = GR_RIGHT;
    row->time_ns.median = 12.3e6;
    row->gflops = 123.4;
    row->peak_fraction = row->threads && row->time_ns.n ? 0.999 : 0;
    if (row->peer.name[0])
        row->speedup = (struct gr_ratio){0.012, 0.012, 0.013, row->time_ns.n};
    if (row->counts.known)
        row->counts = (struct gr_row_counts){.known = true,
                                             .load_sectors = 16.5,
                                             .store_sectors = 2.5,
                                             .load_ideal = 16.5,
                                             .store_ideal = 2.5,
                                             .conflicts = 134200000};
    if (row->counts.known && compiled) {
        row->counts.registers = 128;
        row->counts.occupancy = 0.255;
    }
}

/* Determines the widths for all rows that will follow. */
static void fit_plan(struct table *t, const struct gr_run *plan, const struct gr_row *first)
{
    struct gr_run guess = {.rows = calloc((size_t)plan->row_count + 1, sizeof *guess.rows)};
    struct gr_groups groups = {0};
    for (; guess.rows && guess.row_count < plan->row_count; guess.row_count++) {
        guess.rows[guess.row_count] = plan->rows[guess.row_count];
        imagine(&guess.rows[guess.row_count], first);
    }
    if (guess.rows && gr_groups_make(&guess, &groups, NULL) == GRADUS_OK)
        fit(t, &groups);
    const int longest = (int)strlen("unsteady");
    const int spare = t->columns - total_width(t) + t->width[STANDING];
    if (t->width[STANDING] && (!t->columns || spare >= longest))
        t->width[STANDING] = longest; /* it is not known in advance which rows will be unsteady */
    gr_groups_free(&groups);
    free(guess.rows);
}

static void print_begin(struct gr_sheet *sheet)
{
    struct table *t = sheet->own = calloc(1, sizeof *t);
    if (!t) {
        sheet->out->failed = true;
        return;
    }
    *t = (struct table){.run = sheet->run,
                        .columns = sheet->style.columns,
                        .colour = sheet->style.colour,
                        .interval = true};
}

static void print_head(struct gr_sheet *sheet, const struct gr_group *group)
{
    struct table *t = sheet->own;
    t->out = sheet->out;
    if (!t->width[RUNG])
        fit_plan(t, sheet->plan, group->rows[0]);
    open_group(t, group);
}

static void print_row(struct gr_sheet *sheet, const struct gr_group *group,
                      const struct gr_row *row)
{
    struct table *t = sheet->own;
    t->out = sheet->out;
    draw_row(t, group, row);
}

static void print_foot(struct gr_sheet *sheet)
{
    gr_str_add(sheet->out, "\n");
}

static void print_end(struct gr_sheet *sheet)
{
    struct table *t = sheet->own;
    t->out = sheet->out;
    gr_table_foot(sheet->run, sheet->style.columns, sheet->out);
}

static const struct gr_format_parts parts = {print_begin, print_head, print_row, print_foot,
                                             print_end};

const struct gr_format gr_format_table = {
    .name = "table", .render = render, .parts = &parts, .explain = gr_explained_table};

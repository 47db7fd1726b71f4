/* format_csv.c: a run as comma-separated values (RFC 4180), one line a row, for spreadsheets and
 * data frames. What is not known is an empty field. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/columns.h"
#include "report/explained.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A field, quoted when it holds what would end it; its line ends become blanks, so that a row is a
 * line. */
static void add_text(struct gr_str *out, const char *text)
{
    struct gr_str line = {0};
    gr_str_add_line(&line, text ? text : "");
    const char *p = gr_str_text(&line);
    bool quoted = strpbrk(p, ",\"") || *p == ' ';
    gr_str_add(out, quoted ? "\"" : "");
    for (; *p; p++)
        gr_str_add(out, *p == '"' ? "\"\"" : (char[]){*p, 0});
    gr_str_add(out, quoted ? "\"," : ",");
    gr_str_free(&line);
}

static void add_findings(struct gr_str *out, const struct gr_row *row)
{
    struct gr_str all = {0};
    for (int i = 0; i < row->findings.count; i++) {
        gr_str_add(&all, i ? "; " : "");
        gr_finding_format(&row->findings.items[i], &all);
    }
    add_text(out, gr_str_text(&all));
    gr_str_free(&all);
}

/* Whether the operands are in the cache says nothing of a row without times. */
static bool is_blank(const struct gr_column *column, const struct gr_row *row)
{
    return row->simulated && strcmp(column->csv, "cache") == 0;
}

static void add_value(struct gr_str *out, const struct gr_column *column, const struct gr_row *row)
{
    struct gr_cell cell;
    if (column->kind == GR_COLUMN_LIST) {
        add_findings(out, row);
        return;
    }
    gr_column_cell(column, row, &cell);
    if (is_blank(column, row))
        cell.kind = GR_CELL_UNKNOWN;
    if (cell.kind == GR_CELL_TEXT)
        add_text(out, cell.text);
    else if (cell.kind == GR_CELL_BOOL)
        gr_str_add(out, cell.truth ? "true," : "false,");
    else if (cell.kind == GR_CELL_WHOLE)
        gr_str_printf(out, "%" PRId64 ",", cell.whole);
    else if (cell.kind == GR_CELL_REAL && isfinite(cell.real))
        gr_str_printf(out, "%.9g,", cell.real);
    else
        gr_str_add(out, ",");
}

/* The last field's comma becomes the line's end. */
static void end_line(struct gr_str *out)
{
    if (!out->failed)
        out->text[out->length - 1] = '\n';
}

static void add_header(struct gr_str *out)
{
    for (const struct gr_column *c = gr_columns; c->json; c++)
        if (c->csv)
            gr_str_printf(out, "%s,", c->csv);
    end_line(out);
}

static void add_row(struct gr_str *out, const struct gr_row *row)
{
    for (const struct gr_column *c = gr_columns; c->json; c++)
        if (c->csv)
            add_value(out, c, row);
    end_line(out);
}

/* A record of its own with as many fields as the others: no kernel, the verdict `partial`, and the
 * reason. */
static void add_partial(struct gr_str *out, const struct gr_run *run)
{
    struct gr_str why = {0};
    gr_run_format_partial(run, true, &why);
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        if (!c->csv)
            continue;
        if (strcmp(c->csv, "reason") == 0)
            add_text(out, gr_str_text(&why));
        else
            gr_str_add(out, strcmp(c->csv, "verdict") == 0 ? "partial," : ",");
    }
    end_line(out);
    gr_str_free(&why);
}

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    (void)style;
    add_header(out);
    for (int i = 0; i < run->row_count; i++)
        add_row(out, &run->rows[i]);
    if (run->stopped)
        add_partial(out, run);
    return out->failed ? gr_fail_memory(error, "the CSV", out->length) : GRADUS_OK;
}

static void print_header(struct gr_sheet *sheet)
{
    add_header(sheet->out);
}

static void print_row(struct gr_sheet *sheet, const struct gr_group *group,
                      const struct gr_row *row)
{
    (void)group;
    add_row(sheet->out, row);
}

static void print_end(struct gr_sheet *sheet)
{
    if (sheet->run->stopped)
        add_partial(sheet->out, sheet->run);
}

static const struct gr_format_parts parts = {
    .begin = print_header, .row = print_row, .end = print_end};

const struct gr_format gr_format_csv = {"csv", render, &parts, gr_explained_csv};

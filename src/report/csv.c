/* csv.c: fields and rows of comma-separated values. SPDX-License-Identifier: MIT */
#include "report/csv.h"

#include "base/utf8.h"
#include "records/columns.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Appends a field. It is quoted if it contains a separator or a quote; line ends become blanks, so
 * that a row is always one line. */
void gr_csv_add_text(struct gr_str *out, const char *text)
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
    gr_csv_add_text(out, gr_str_text(&all));
    gr_str_free(&all);
}

/* Whether the operands were in the cache is meaningless for a row without times. */
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
        gr_csv_add_text(out, cell.text);
    else if (cell.kind == GR_CELL_BOOL)
        gr_str_add(out, cell.truth ? "true," : "false,");
    else if (cell.kind == GR_CELL_WHOLE)
        gr_str_printf(out, "%" PRId64 ",", cell.whole);
    else if (cell.kind == GR_CELL_REAL && isfinite(cell.real))
        gr_str_printf(out, "%.9g,", cell.real);
    else
        gr_str_add(out, ",");
}

/* Replaces the comma after the last field by the end of the line. */
void gr_csv_end_line(struct gr_str *out)
{
    if (!out->failed)
        out->text[out->length - 1] = '\n';
}

void gr_csv_add_names(struct gr_str *out)
{
    for (const struct gr_column *c = gr_columns; c->json; c++)
        if (c->csv)
            gr_str_printf(out, "%s,", c->csv);
}

void gr_csv_add_row(struct gr_str *out, const struct gr_row *row)
{
    for (const struct gr_column *c = gr_columns; c->json; c++)
        if (c->csv)
            add_value(out, c, row);
}

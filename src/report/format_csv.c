/* format_csv.c: a run as comma-separated values (RFC 4180), with one line for each row, for
 * spreadsheets and data frames. Unknown values are empty fields. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "records/columns.h"
#include "report/csv.h"
#include "report/explained.h"
#include "report/words.h"

#include <string.h>

static void add_header(struct gr_str *out)
{
    gr_csv_add_names(out);
    gr_csv_end_line(out);
}

static void add_row(struct gr_str *out, const struct gr_row *row)
{
    gr_csv_add_row(out, row);
    gr_csv_end_line(out);
}

/* Appends a record with the usual number of fields: no kernel, the verdict `partial`, and the
 * reason. */
static void add_partial(struct gr_str *out, const struct gr_run *run)
{
    struct gr_str why = {0};
    gr_run_format_partial(run, true, &why);
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        if (!c->csv)
            continue;
        if (strcmp(c->csv, "reason") == 0)
            gr_csv_add_text(out, gr_str_text(&why));
        else
            gr_str_add(out, strcmp(c->csv, "verdict") == 0 ? "partial," : ",");
    }
    gr_csv_end_line(out);
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

const struct gr_format gr_format_csv = {
    .name = "csv", .render = render, .parts = &parts, .explain = gr_explained_csv, .joins = true};

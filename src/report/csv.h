/* csv.h: fields and rows of comma-separated values (RFC 4180). Each field that is appended ends in
 * a comma, and gr_csv_end_line makes the last one the end of the line. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/str.h"
#include "records/row.h"

/* A field of text, quoted where it needs to be; null: an empty field. */
void gr_csv_add_text(struct gr_str *out, const char *text);
/* The names of a row's columns, and their values. */
void gr_csv_add_names(struct gr_str *out);
void gr_csv_add_row(struct gr_str *out, const struct gr_row *row);
void gr_csv_end_line(struct gr_str *out);

#endif

/* csv.h: fields and rows of comma-separated values (RFC 4180). Each field is followed by a comma.
 * gr_csv_end_line replaces the last comma by the end of the line. SPDX-License-Identifier: MIT */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/str.h"
#include "records/row.h"

/* Appends a text field, quoted if necessary; null becomes an empty field. */
void gr_csv_add_text(struct gr_str *out, const char *text);
/* Append the names of the columns of a row, and their values. */
void gr_csv_add_names(struct gr_str *out);
void gr_csv_add_row(struct gr_str *out, const struct gr_row *row);
void gr_csv_end_line(struct gr_str *out);

#endif

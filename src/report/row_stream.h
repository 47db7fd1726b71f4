/* row_stream.h: a format's text, row by row, as a run goes on. SPDX-License-Identifier: MIT */
#ifndef REPORT_ROW_STREAM_H
#define REPORT_ROW_STREAM_H

#include "report/report.h"

/* What is printed, and which rows came last. */
struct gr_stream {
    struct gr_sheet sheet;
    const struct gr_format_parts *parts;
    bool in_group;
    struct gr_group group; /* without rows */
    struct gr_row lead;    /* owns nothing */
    struct gr_peer_result peer;
    char device[64];
};

/* True for a run and a format that can be printed row by row; a sweep is summed up when it is
 * whole. */
bool gr_stream_can(const struct gr_format *format, const struct gr_run *run);
/* Appends what comes before all rows. `run` and `plan` outlive the stream. */
void gr_stream_begin(struct gr_stream *stream, const struct gr_format *format,
                     const struct gr_run *run, const struct gr_run *plan,
                     const struct gr_style *style, struct gr_str *out);
/* Appends the next row. `aside` has rows of the same problem that are known and come later. */
void gr_stream_row(struct gr_stream *stream, const struct gr_row *row, const struct gr_run *aside,
                   struct gr_str *out);
/* Appends what comes after all rows. */
void gr_stream_end(struct gr_stream *stream, struct gr_str *out);

#endif

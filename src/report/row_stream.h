/* row_stream.h: prints a run row by row, while it is being measured.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_ROW_STREAM_H
#define REPORT_ROW_STREAM_H

#include "report/report.h"

/* The state of printing: the sheet, and the last rows. */
struct gr_stream {
    struct gr_sheet sheet;
    const struct gr_format_parts *parts;
    bool in_group;
    struct gr_group group; /* the current group, without its rows */
    struct gr_row lead;    /* a copy that owns nothing */
    struct gr_peer_result peer;
    char device[64];
};

/* Can the format print this run row by row? A sweep cannot: it is summarised when it is
 * complete. */
bool gr_stream_can(const struct gr_format *format, const struct gr_run *run);
/* Appends what precedes all rows. `run` and `plan` must outlive the stream. */
void gr_stream_begin(struct gr_stream *stream, const struct gr_format *format,
                     const struct gr_run *run, const struct gr_run *plan,
                     const struct gr_style *style, struct gr_str *out);
/* Appends the next row. `aside` has rows for the same problem that are known already but come
 * later. */
void gr_stream_row(struct gr_stream *stream, const struct gr_row *row, const struct gr_run *aside,
                   struct gr_str *out);
/* Appends what follows all rows. */
void gr_stream_end(struct gr_stream *stream, struct gr_str *out);

#endif

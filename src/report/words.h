/* words.h: how numbers and rows are put into words, the same in every format. Units are written
 * out; what is not known is the empty string. SPDX-License-Identifier: MIT */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/str.h"
#include "records/row.h"

enum { GR_WORD = 64 }; /* the room that each function below needs */

/* "312 ns", "4.05 us", "12.3 ms", "7.91 s": three digits. */
void gr_word_time(double time_ns, char word[GR_WORD]);
/* "0.27", "36.9", "1234". */
void gr_word_rate(double rate, char word[GR_WORD]);
/* "77824", "134.2M", "1.1G": at most six characters. */
void gr_word_amount(int64_t n, char word[GR_WORD]);
/* "86.1%" of a fraction. */
void gr_word_percent(double fraction, char word[GR_WORD]);
/* "0.93x", with the interval "0.93x [0.92,0.95]". */
void gr_word_ratio(const struct gr_ratio *ratio, bool interval, char word[GR_WORD]);

/* "16 threads"; of several callers "4 callers, 4 threads each"; with 0 "all threads". */
void gr_word_threads(int threads, int callers, char word[GR_WORD]);

/* The row's share of the peak: nothing for an unsteady row, whose rate is not its kernel's. */
void gr_word_peak(const struct gr_row *row, char word[GR_WORD]);

/* "kernel", never null. */
const char *gr_row_name(const struct gr_row *row);

/* Appends "verdict: reason" for a row that is not right. */
void gr_row_format_verdict(const struct gr_row *row, struct gr_str *out);
/* Appends "fault bounds (line 12): text", or of what is only worth knowing "capped: text". */
void gr_finding_format(const struct gr_finding *finding, struct gr_str *out);
/* Appends "partial: 7 of 39 rows; SIGINT came before the others were measured", without its first
 * word where a label says it; nothing for a run that is whole. */
void gr_run_format_partial(const struct gr_run *run, bool labelled, struct gr_str *out);
/* Appends "openblas 0.3.21 (SkylakeX), 2 threads". */
void gr_peer_format(const struct gr_peer_result *peer, struct gr_str *out);
/* Appends "FMA f32 118.4 GFLOP/s on 1 thread" or "read L1 350 GB/s", and where it is so ",
 * unsteady". */
void gr_ceiling_format(const struct gr_ceiling *ceiling, struct gr_str *out);

/* Appends `text` in lines of at most `columns` characters (0: no limit), the first of which begins
 * at column `at` and the others with `indent` blanks; no line end after the last. `text` is one
 * clean line. */
void gr_wrap(struct gr_str *out, const char *text, int columns, int at, int indent);

#endif

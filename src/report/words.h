/* words.h: numbers and rows as text, the same in every format. Units are included; an unknown value
 * is the empty string. SPDX-License-Identifier: MIT */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/str.h"
#include "records/row.h"

enum { GR_WORD = 64 }; /* the size of the buffer that each function below requires */

/* Writes a time with three digits: "312 ns", "4.05 us", "12.3 ms", "7.91 s". */
void gr_word_time(double time_ns, char word[GR_WORD]);
/* Writes a rate: "0.27", "36.9", "1234". */
void gr_word_rate(double rate, char word[GR_WORD]);
/* Writes a count in at most six characters: "77824", "134.2M", "1.1G". */
void gr_word_amount(int64_t n, char word[GR_WORD]);
/* Writes a fraction as a percentage: "86.1%". */
void gr_word_percent(double fraction, char word[GR_WORD]);
/* Writes a ratio: "0.93x", or with the interval "0.93x [0.92,0.95]". */
void gr_word_ratio(const struct gr_ratio *ratio, bool interval, char word[GR_WORD]);

/* Writes a number of threads: "16 threads"; for several callers "4 callers, 4 threads each"; for 0
 * "all threads". */
void gr_word_threads(int threads, int callers, char word[GR_WORD]);

/* Writes the row's share of the peak, or nothing if the row is unsteady, because its rate is then
 * disturbed by other work. */
void gr_word_peak(const struct gr_row *row, char word[GR_WORD]);

/* The name of the row's kernel, or "kernel" if it has none. */
const char *gr_row_name(const struct gr_row *row);

/* Appends "verdict: reason" for a row that is not right. */
void gr_row_format_verdict(const struct gr_row *row, struct gr_str *out);
/* Appends a finding such as "fault bounds (line 12): text", or "capped: text" for one that is only
 * information. */
void gr_finding_format(const struct gr_finding *finding, struct gr_str *out);
/* Appends for example "partial: 7 of 39 rows; SIGINT came before the others were measured", without
 * the first word if `labelled`; nothing for a complete run. */
void gr_run_format_partial(const struct gr_run *run, bool labelled, struct gr_str *out);
/* Appends the name of a peer, such as "openblas 0.3.21 (SkylakeX), 2 threads". */
void gr_peer_format(const struct gr_peer_result *peer, struct gr_str *out);
/* Appends a ceiling, such as "FMA f32 118.4 GFLOP/s on 1 thread" or "read L1 350 GB/s", with ",
 * unsteady" at the end if it is. */
void gr_ceiling_format(const struct gr_ceiling *ceiling, struct gr_str *out);

/* Appends `text` in lines of at most `columns` characters (0: no limit), without a line end after
 * the last. The first line begins at column `at`, the others with `indent` blanks. `text` must be a
 * single line without control characters. */
void gr_wrap(struct gr_str *out, const char *text, int columns, int at, int indent);

#endif

/* shown.h: the figures of a row that tables show: on a terminal, in Markdown and in HTML.
 * SPDX-License-Identifier: MIT
 *
 * A timed row has a time, a rate and shares of the peak and of the peer; a simulated row has counts
 * instead. The headings and the text of each figure are defined here, for all tables. */
#ifndef REPORT_SHOWN_H
#define REPORT_SHOWN_H

#include "report/words.h"

enum gr_shown_id {
    GR_SHOWN_TIME,
    GR_SHOWN_RATE,
    GR_SHOWN_PEAK,
    GR_SHOWN_SHARE,
    GR_SHOWN_LOADS,
    GR_SHOWN_STORES,
    GR_SHOWN_CONFLICTS,
    GR_SHOWN_REGISTERS,
    GR_SHOWN_OCCUPANCY,
    GR_SHOWN
};

struct gr_shown {
    const char *head;      /* on a terminal; "vs" is followed by the peer's name */
    const char *page_head; /* on a page, in lower case; "share of" is followed by the peer's name */
    bool counted;          /* the figure of a simulated row; otherwise of a timed one */
    /* Writes the figure as text, or "" if the row has none. */
    void (*word)(const struct gr_row *row, char word[GR_WORD]);
};

/* Indexed by enum gr_shown_id. */
extern const struct gr_shown gr_shown[GR_SHOWN];

/* Can the figure be shown? The row must be right, and must have been timed or counted, as the
 * figure requires. */
bool gr_shown_has(const struct gr_row *row, enum gr_shown_id id);
/* Writes the figure as text, or "" if gr_shown_has returns false. */
void gr_shown_word(const struct gr_row *row, enum gr_shown_id id, char word[GR_WORD]);
/* Was the run on a GPU of AMD's, simulated or not? Then its page has the words of AMD's documents.
 */
bool gr_run_is_amd(const struct gr_run *run);
/* Explains each count in a sentence. */
const char *gr_counts_meaning(const struct gr_run *run);

#endif

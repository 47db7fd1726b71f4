/* shown.h: the figures that tables show of a row: in a terminal, in Markdown and in HTML.
 *
 * A row that was timed has a time, a rate and what they are shares of; a row that was simulated has
 * counts in their place. Each figure has its heads and its words here, and every table goes through
 * the list. SPDX-License-Identifier: MIT */
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
    const char *head;      /* in a terminal; "vs" is followed by the peer's name */
    const char *page_head; /* on a page, in lower case; "share of" likewise */
    bool counted;          /* of a row that was simulated; else of one that was timed */
    /* The figure in words, "" where the row has none. */
    void (*word)(const struct gr_row *row, char word[GR_WORD]);
};

/* By enum gr_shown_id. */
extern const struct gr_shown gr_shown[GR_SHOWN];

/* Has the row this figure to show: is it right, and was it timed or counted, as the figure needs?
 */
bool gr_shown_has(const struct gr_row *row, enum gr_shown_id id);
/* The figure in words; "" where gr_shown_has says no. */
void gr_shown_word(const struct gr_row *row, enum gr_shown_id id, char word[GR_WORD]);
/* What the counts mean, a sentence each. */
extern const char gr_counts_meaning[];

#endif

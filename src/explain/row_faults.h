/* row_faults.h: adds the faults of an explanation to a row, and decides whether they make it
 * wrong. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ROW_FAULTS_H
#define EXPLAIN_ROW_FAULTS_H

#include "explain/explain.h"

/* Inserts the faults and warnings found at the row's problem before its own findings. The same
 * rule applies whichever part found them. A correct row with a fault becomes wrong: its result
 * is correct only because of the order in which the simulator runs threads, or because the host
 * allows what a GPU does not. A row whose launch a GPU refuses becomes refused. A note says so
 * if a wrong row has no fault, or if a correct row was not traced, or only in part. */
void gr_row_take_faults(const struct gr_explained *explained, struct gr_row *row);
/* Notes in a correct row that it was not searched for faults, and why. */
void gr_row_note_untraced(const char *why, struct gr_row *row);

#endif

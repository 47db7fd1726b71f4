/* row_faults.h: the faults that a row is wrong by. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ROW_FAULTS_H
#define EXPLAIN_ROW_FAULTS_H

#include "explain/explain.h"

/* Puts the faults and warnings that were seen at the row's problem before its own findings; whoever
 * saw them, what is a fault decides. A row that is right and has a fault becomes wrong: it is right
 * by the order in which the simulator runs threads, or by what a host takes and a GPU refuses. One
 * whose launch a GPU refuses becomes refused. Of a wrong row without a fault that is said, and of a
 * right one that was not looked at, or not whole. */
void gr_row_take_faults(const struct gr_explained *explained, struct gr_row *row);
/* Says of a right row that nobody has looked for its faults, and why. */
void gr_row_unsearched(const char *why, struct gr_row *row);

#endif

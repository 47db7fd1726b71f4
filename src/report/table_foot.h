/* table_foot.h: the lines below a table: missing rows, the peers, the machine, the command.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_TABLE_FOOT_H
#define REPORT_TABLE_FOOT_H

#include "base/str.h"
#include "records/row.h"

/* Appends the lines, each with at most `columns` characters (0: no limit) except the command. */
void gr_table_foot(const struct gr_run *run, int columns, struct gr_str *out);

#endif

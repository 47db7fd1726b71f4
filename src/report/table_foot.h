/* table_foot.h: the lines below a table: what is missing, the peers, the machine, the command.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_TABLE_FOOT_H
#define REPORT_TABLE_FOOT_H

#include "base/str.h"
#include "records/row.h"

/* Appends the lines, in at most `columns` characters each (0: no limit) but for the command. */
void gr_table_foot(const struct gr_run *run, int columns, struct gr_str *out);

#endif

/* ceilings.h: the file that stores a machine's ceilings. SPDX-License-Identifier: MIT
 *
 * Its first line is the key. Then each ceiling has a line "NAME VALUE UNIT", in their order, with
 * " unsteady" at the end if it is, and the last line is "end". */
#ifndef PROBE_CEILINGS_H
#define PROBE_CEILINGS_H

#include "records/row.h"

/* Reads the values of the ceilings, whose names and units are given. False, with undefined values,
 * if the file does not exist, has another key, other names or units, a value that is not a
 * positive number, or other lines. */
bool gr_ceilings_read(const char *path, const char *key, struct gr_ceiling *ceilings, int count);
/* Writes the whole file or nothing; a cache that cannot be written is no error. */
void gr_ceilings_write(const char *path, const char *key, const struct gr_ceiling *ceilings,
                       int count);

#endif

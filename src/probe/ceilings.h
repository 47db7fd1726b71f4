/* ceilings.h: the file that keeps a machine's ceilings. It is the line of its key, a line "NAME
 * VALUE UNIT" for each ceiling in their order, with " unsteady" behind where it is, and "end".
 * SPDX-License-Identifier: MIT */
#ifndef PROBE_CEILINGS_H
#define PROBE_CEILINGS_H

#include "records/row.h"

/* Reads the values of the ceilings, whose names and units are given. False, with values undefined,
 * when the file is not there, has another key, other names or units, a value that is no positive
 * number, or anything more or less. */
bool gr_ceilings_read(const char *path, const char *key, struct gr_ceiling *ceilings, int count);
/* Writes it, whole or not at all; a cache that cannot be written is no error. */
void gr_ceilings_write(const char *path, const char *key, const struct gr_ceiling *ceilings,
                       int count);

#endif

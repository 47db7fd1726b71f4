/* output_temporary.h: the file in which ranks write a result until it is complete.
 * SPDX-License-Identifier: MIT
 *
 * It is PATH.tmp.PID, and locked (flock) by the process that made it. A process that is killed
 * leaves it, without a lock, and the next one that writes the same output removes it. */
#ifndef FILES_OUTPUT_TEMPORARY_H
#define FILES_OUTPUT_TEMPORARY_H

#include <stdio.h>

/* Removes such files of `path` of which no process has a lock. What cannot be locked stays: on file
 * systems without locks, all of them. */
void gr_output_temporary_sweep(const char *path);

/* Makes and locks the file of that name, for writing; closing the stream unlocks it. Null, and
 * errno: it cannot be made. */
FILE *gr_output_temporary_create(const char *temporary);

#endif

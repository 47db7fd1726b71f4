/* size_macros.h: the numbers of sizes that a kernel's file leaves to its build, or has too large
 * for a simulation. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_SIZE_MACROS_H
#define LAUNCHES_SIZE_MACROS_H

#include "base/str.h"

#include <stdbool.h>

struct gr_size_macros {
    struct gr_str lines; /* `define` lines for the kernel's `extra` */
    struct gr_str note;  /* what they are, for the reader; empty: nothing that was not asked for */
    bool is_reduced;     /* a constant of the file became smaller */
};

/* Finds the `define` lines for a GPU kernel without front matter. Numbers of `defines`, which may
 * be null and are those of --define, are taken as they are. A name that the kernel's body needs,
 * that reads as a size or as the side of a tile and that nothing defines gets the number that a
 * build line of the project gives it, or a usual one. With `is_simulated`, constants that are the
 * sizes of products too large for that become smaller. Empty if the file cannot be read. */
void gr_size_macros_find(const char *path, const char *extra, const char *const *defines,
                         bool is_simulated, struct gr_size_macros *found);
void gr_size_macros_free(struct gr_size_macros *found);

#endif

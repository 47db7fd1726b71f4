/* unmodelled.h: what a kernel asks of a GPU that no host has. SPDX-License-Identifier: MIT */
#ifndef EMIT_UNMODELLED_H
#define EMIT_UNMODELLED_H

#include "records/kernel.h"

#include <stdbool.h>

enum { GR_UNMODELLED_SIZE = 64 };

/* The first place in `source` that the simulator has no meaning for: inline PTX (an `asm` whose
 * text is not empty), an intrinsic of tensor cores, clusters or TMA. Comments, strings and what
 * `#if 0` or a condition on GRADUS_SIM leaves out do not count. False when there is none, or when
 * the source cannot be scanned, which a compiler then says better. `what` has room for
 * GR_UNMODELLED_SIZE characters: "inline PTX (wgmma)", "wmma". */
bool gr_unmodelled_find(const char *path, const char *source, enum gr_language language, char *what,
                        int *line);

#endif

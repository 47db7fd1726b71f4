/* unmodelled.h: finds what the simulator cannot run because it needs a real GPU. Such a kernel
 * is rejected with its line, since a simulation without these instructions would be wrong.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_UNMODELLED_H
#define EMIT_UNMODELLED_H

#include "records/kernel.h"

#include <stdbool.h>

enum { GR_UNMODELLED_SIZE = 64 };

/* Finds the first place in `source` that the simulator does not support: inline PTX (an `asm`
 * with text), or an intrinsic of tensor cores, clusters or TMA, or a matrix instruction
 * that the architecture ("sm_90a", "gfx90a") does not have. Comments, strings and code
 * excluded by `#if 0` or by a condition on GRADUS_SIM are ignored. False if there is none, or if
 * the source cannot be scanned, which a compiler reports better. `what` has room for
 * GR_UNMODELLED_SIZE characters: "inline PTX (wgmma)", "wmma". */
bool gr_unmodelled_find(const char *path, const char *source, enum gr_language language,
                        const char *arch, char *what, int *line);

#endif

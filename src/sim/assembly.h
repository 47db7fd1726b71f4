/* assembly.h: changes a kernel's assembly before it is assembled and linked.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIM_ASSEMBLY_H
#define SIM_ASSEMBLY_H

#include "base/str.h"

#include <stdbool.h>

/* Appends the compiler's assembly `text` to `out`. All `extern __shared__` arrays get one storage,
 * as in CUDA, of `dynamic_bytes` (its symbol is "gr_sim_dynamic"). If `traced`, there are gaps
 * between shared variables, so that an access past the end of one does not land in the next, and
 * accesses to a thread's own stack are not recorded. */
void gr_assembly_patch(const char *text, bool traced, int dynamic_bytes, struct gr_str *out);

#endif

/* assembly.h: what is done to a kernel's assembly before it is linked. SPDX-License-Identifier: MIT
 */
#ifndef SIM_ASSEMBLY_H
#define SIM_ASSEMBLY_H

#include "base/str.h"

#include <stdbool.h>

/* Appends g++'s assembly `text` to `out`. Storage is given to `extern __shared__` arrays, all at
 * one place as CUDA has it, `dynamic_bytes` long (that symbol is "gr_sim_dynamic"). `traced`:
 * shared variables are kept apart, so that what runs over the end of one does not land in the next,
 * and accesses of a thread's own stack are not told of. */
void gr_assembly_patch(const char *text, bool traced, int dynamic_bytes, struct gr_str *out);

#endif

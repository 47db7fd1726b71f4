/* islands.h: memory of a simulated GPU, each block of it far from every other.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_ISLANDS_H
#define BACKEND_ISLANDS_H

#include <stdint.h>

/* Room for `bytes` on a page of its own, with nothing beside it as far as an index of 32 bits
 * reaches, at 16 bytes an element: a kernel that leaves it faults, and does not land in another
 * block. Where so much address space is not to be had (ulimit -v), as much of it as there is. Null:
 * no memory. Not for several threads at once. */
void *gr_islands_reserve(uint64_t bytes);
/* Null is allowed. */
void gr_islands_release(void *address);

#endif

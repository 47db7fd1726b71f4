/* guarded_memory.h: the memory of a simulated GPU. Allocations are far apart, so that an index
 * beyond the end of one faults instead of reaching another. SPDX-License-Identifier: MIT */
#ifndef BACKEND_GUARDED_MEMORY_H
#define BACKEND_GUARDED_MEMORY_H

#include <stdint.h>

/* Allocates `bytes` on pages of their own. The address space around them is empty as far as a
 * 32-bit index of 16-byte elements reaches; if that much address space is not available (ulimit
 * -v), it is as large as possible. Null: memory is out. Not thread-safe. */
void *gr_guarded_reserve(uint64_t bytes);
/* `address` may be null. */
void gr_guarded_release(void *address);

#endif

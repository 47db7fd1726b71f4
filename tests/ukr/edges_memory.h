/* edges_memory.h: blocks whose neighbours fault, for the operands of a micro-kernel.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_EDGES_MEMORY_H
#define TESTS_EDGES_MEMORY_H

#include <stdint.h>

/* Zeros, `bytes` of them (0 is allowed), aligned to `align` and no better. In turns, a page that
 * faults is right behind the block, or right before it. Under an address sanitizer, which sees both
 * ends, it comes from the heap; with GRADUS_TEST_UNGUARDED in the environment, no page faults: for
 * emulators that read more than an instruction asks for. Exits when there is no memory. */
void *edges_block(int64_t bytes, int64_t align);
void edges_free(void *block);

#endif

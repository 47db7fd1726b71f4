/* soak_bits.h: whether a product has the same bits in whatever way it is called.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_SOAK_BITS_H
#define TESTS_SOAK_BITS_H

#include "soak/soak_problem.h"

/* Multiplies a problem whose result is in C again, by all the calls that docs/library.md promises
 * the same bits of ("The same bits"), or by some if it is large: by other numbers of threads, with
 * a context and with a workspace, alone and in a batch, and with operands that were packed
 * beforehand. False: `text` says which call gives other bits. */
bool soak_bits_same(struct soak_problem *p, uint64_t number, char text[SOAK_TEXT]);

#endif

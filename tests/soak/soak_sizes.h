/* soak_sizes.h: the sizes of random problems. SPDX-License-Identifier: MIT */
#ifndef TESTS_SOAK_SIZES_H
#define TESTS_SOAK_SIZES_H

#include "soak/soak_problem.h"

enum { SOAK_MOST_SIZE = 4300 };

/* Chooses m, n and k. Half of the problems are products as `bench --preset random` draws them
 * (p->drawn), and have the transposes that it draws; the others are fond of edges. */
void soak_choose_sizes(struct soak_problem *p, struct gr_rng *rng);

#endif

/* soak_ways.h: the ways that a product may go through the library: problems that go each of them,
 * and how often each was gone. SPDX-License-Identifier: MIT */
#ifndef TESTS_SOAK_WAYS_H
#define TESTS_SOAK_WAYS_H

#include "soak/soak_problem.h"

struct ukr; /* kernels/cpu/ukr.h */

/* What a problem must be to go a certain way: the rest of it is random. */
struct soak_recipe {
    const char *way; /* as the library's functions are counted */
    int64_t m, n, k;
    bool trans_a, trans_b; /* row-major */
    bool small;            /* by one thread always */
    bool wide_c;           /* C has the type of the sums */
    bool packs_a, packs_b; /* at the level in use only */
    int64_t batch;
    const char *at;                      /* the only level that goes this way; null: all */
    bool (*with)(const struct ukr *ukr); /* only with such micro-kernels; null: with all */
};

/* The recipe of problem `number`, and what it has beside: null from soak_ways_problems() on. */
struct soak_variant {
    const struct soak_recipe *recipe;
    const char *isa; /* null: the level in use */
    enum gradus_type type;
    bool finishes;
    int threads;
};
bool soak_variant_of(int64_t number, struct soak_variant *variant);
int64_t soak_ways_problems(void);

/* Counts in memory that children of fork share. */
void soak_ways_open(void);
/* Whether products are counted from now on: they are at first. */
void soak_ways_counted(bool counted);
/* Prints each way that a recipe is meant for and no product has gone; returns how many. With `all`,
 * prints all counts. */
int soak_ways_unused(bool all);

#endif

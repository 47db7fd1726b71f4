/* levels.h: ISA levels, for which rungs are built, and the features that an `isa` line may name.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_LEVELS_H
#define CATALOG_LEVELS_H

#include "records/kernel.h"

/* Ends with nulls; both are generated from src/cpu/isa_*.c (cmake/isa.cmake), of all processors:
 * each feature that an `isa` line may name with the level that it needs; each level with the next
 * lower one, or "". */
struct gr_isa_pair {
    const char *name, *level;
};
extern const struct gr_isa_pair gr_isa_words[], gr_isa_levels[];

/* The level ("portable", "avx2", "avx512", "neon") that a feature such as "avx512f" needs at least;
 * a level's own name is a feature, too. Null for an unknown feature. */
const char *gr_isa_level_of(const char *feature);
/* The known feature nearest to `word`, or null. */
const char *gr_isa_nearest(const char *word);
/* May this kernel be built for this level: does the level have, or reach up to, all of its `isa`
 * line? */
bool gr_isa_allows(const struct gr_kernel *kernel, const char *level);

#endif

/* levels.h: the ISA levels for which rungs are compiled, and the features that an `isa` line may
 * name. SPDX-License-Identifier: MIT */
#ifndef CATALOG_LEVELS_H
#define CATALOG_LEVELS_H

#include "records/kernel.h"

/* Tables that end with null pointers, generated from src/cpu/isa_*.c (cmake/isa.cmake) for all
 * processor families: each feature that an `isa` line may name with the level that it needs, and
 * each level with the next lower one or "". */
struct gr_isa_pair {
    const char *name, *level;
};
extern const struct gr_isa_pair gr_isa_words[], gr_isa_levels[];

/* The lowest level ("portable", "avx2", "avx512", "neon") that has a feature such as "avx512f";
 * a level's own name is also a feature. Null for an unknown feature. */
const char *gr_isa_level_of(const char *feature);
/* The known feature whose name is closest to `word`, or null. */
const char *gr_isa_nearest(const char *word);
/* May this kernel be compiled for this level, because the level includes all features of its
 * `isa` line? */
bool gr_isa_allows(const struct gr_kernel *kernel, const char *level);

#endif

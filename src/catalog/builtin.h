/* builtin.h: what the build put into the binary: the rungs' entries and the embedded files. Both
 * tables are generated (see src/embed/ and cmake/kernels.cmake). SPDX-License-Identifier: MIT */
#ifndef CATALOG_BUILTIN_H
#define CATALOG_BUILTIN_H

#include "catalog/catalog.h"
#include "records/launch.h"

/* One rung, built for one set of types, transposes and ISA level, at its parameters' defaults. */
struct gr_builtin {
    const char *kernel; /* "06_packing" */
    struct gr_types types;
    bool trans_a, trans_b;
    const char *isa;    /* "portable", "avx2", "avx512", "neon" */
    const char *symbol; /* "gr_entry__06_packing__f32__nt__avx512" */
    const char *flags;  /* what the compiler was told: "-O3 -mavx2 -mfma" */
    gr_entry_fn *function;
};

/* Null when the binary has no such build: the level is not of this machine's family, or the rung's
 * `isa` line leaves it out. */
const struct gr_builtin *gr_builtin_find(const char *kernel, struct gr_types types, bool trans_a,
                                         bool trans_b, const char *isa);
const struct gr_builtin *gr_builtin_find_symbol(const char *symbol);
/* The i-th, or null past the end. */
const struct gr_builtin *gr_builtin_at(int i);

/* The generated tables. */
extern const struct gr_builtin gr_builtin_table[];
extern const int gr_builtin_count;
extern const struct gr_embedded gr_embedded_table[];
extern const int gr_embedded_count;

#endif

/* builtin.h: the CPU rungs and the files that the build has put into the binary. Both tables are
 * generated (see src/embed/ and cmake/kernels.cmake). SPDX-License-Identifier: MIT */
#ifndef CATALOG_BUILTIN_H
#define CATALOG_BUILTIN_H

#include "catalog/catalog.h"
#include "records/launch.h"

/* One rung, compiled for one set of types, transposes and ISA level, with the default values of
 * its parameters. */
struct gr_builtin {
    const char *kernel; /* "06_packing" */
    struct gr_types types;
    bool trans_a, trans_b;
    const char *isa;    /* "portable", "avx2", "avx512", "neon" */
    const char *symbol; /* "gr_entry__06_packing__f32__nt__avx512" */
    const char *flags;  /* the compiler's options: "-O3 -mavx2 -mfma" */
    gr_entry_fn *function;
};

/* Null if the binary has no such build, because the level belongs to another processor family or
 * the rung's `isa` line excludes it. */
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

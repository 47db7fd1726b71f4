/* embed.h: what the build's own generator writes: stubs, the table of rungs, and embedded texts.
 * SPDX-License-Identifier: MIT */
#ifndef EMBED_EMBED_H
#define EMBED_EMBED_H

#include "base/str.h"
#include "core/dtype.h"
#include "records/kernel.h"

#include <gradus/gradus.h>

/* One build of a rung. */
struct gr_build_key {
    const struct gr_kernel *kernel;
    struct gr_types types;
    int trans; /* index into nn, nt, tn, tt */
    const char *level;
};

/* Calls visit(context, key) for each build of the kernel at each of `levels`, including those
 * that its `isa` line excludes (see gr_isa_allows). */
enum gradus_status
gr_builds_walk(const struct gr_kernel *kernel, char *const *levels, int level_count,
               enum gradus_status (*visit)(void *context, const struct gr_build_key *key),
               void *context);
/* "f32.nt.avx512"; with the separator "__", for symbols, "f32__nt__avx512". */
void gr_build_name(const struct gr_build_key *key, const char *separator, struct gr_str *out);

/* Each of these writes whole files. On failure *error has the message. */
enum gradus_status gr_embed_stubs(const char *directory, const struct gr_kernel *kernel,
                                  char *const *levels, int level_count, struct gradus_error *error);
/* Here `levels` are NAME=FLAGS. */
enum gradus_status gr_embed_table(const char *output, struct gr_kernel *const *kernels,
                                  int kernel_count, char *const *levels, int level_count,
                                  struct gradus_error *error);
enum gradus_status gr_embed_texts(const char *output, char *const *paths, int path_count,
                                  struct gradus_error *error);

#endif

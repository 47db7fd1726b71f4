/* pack_kernels.h: the parts of gradus-pack, which writes the GPU kernels of the library as C tables
 * during the build. SPDX-License-Identifier: MIT */
#ifndef PACK_PACK_KERNELS_H
#define PACK_PACK_KERNELS_H

#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/variant.h"

#include <gradus/gradus.h>

/* A line of kernels.list. */
struct gr_pack_entry {
    const struct gr_kernel *kernel;
    struct gr_types types;
    char *assignments[GR_MAX_PARAMS];
    int assignment_count;
    bool later; /* no machine code is generated during the build */
};

struct gr_pack_list {
    struct gr_catalog catalog;    /* the rungs that are embedded in the program */
    struct gr_kernel *others[16]; /* the files of kernels/library/ */
    int other_count;
    struct gr_pack_entry entries[64];
    int count;
};

/* Reads the list. Errors are INVALID, with a message that begins with "path:line: ". */
enum gradus_status gr_pack_list_read(const char *path, struct gr_pack_list *list,
                                     struct gradus_error *error);
void gr_pack_list_free(struct gr_pack_list *list);

/* Makes the variant of an entry for transposes 0 to 3 (nn, nt, tn, tt). */
enum gradus_status gr_pack_variant(const struct gr_pack_entry *entry, int trans,
                                   struct gr_variant *variant, struct gradus_error *error);

/* Appends a C function with an entry's `let`, `arg`, `require`, `work` and launch lines, and the
 * tables of its stanzas and maps. Returns UNSUPPORTED if the file uses a feature for which the
 * library has no code. */
enum gradus_status gr_pack_plan(const struct gr_pack_entry *entry, int number, struct gr_str *out,
                                struct gradus_error *error);
/* Does the file have an `arg` or `size` of this name, which the library gives? */
bool gr_pack_takes(const struct gr_kernel *kernel, const char *name);
/* Appends the entry's name, such as "12_best f32 BM=64". */
void gr_pack_name(const struct gr_pack_entry *entry, struct gr_str *out);
/* Appends text as lines of string literals. */
void gr_pack_literal(const char *text, size_t length, struct gr_str *out);

/* Each of these writes a whole C file of the tables that device/kernel_table.h declares. The second
 * compiles each entry for `arch`, unless the file's `arch` line excludes it, and reorders its FFMAs
 * if requested (sass/reschedule.h). If there is no compiler, or it does not support the
 * architecture, the table is empty, and a line on stderr reports it. */
enum gradus_status gr_pack_tables(const char *output, const struct gr_pack_list *list,
                                  struct gradus_error *error);
enum gradus_status gr_pack_cubins(const char *output, const struct gr_pack_list *list,
                                  const char *arch, bool reorders, struct gradus_error *error);
/* Writes the tables that device/device_points.h declares, from files that gradus tune library has
 * written. Files without a `time` line contribute nothing. Errors are INVALID, with a message that
 * begins with "path:line: ". */
enum gradus_status gr_pack_points(const char *output, const struct gr_pack_list *list,
                                  char *const *paths, int path_count, struct gradus_error *error);

#endif

/* alternatives.h: the kernels of a file of which each may be a GEMM by itself, as in a worklog with
 * a naive, a tiled and a vectorised one. SPDX-License-Identifier: MIT */
#ifndef CATALOG_ALTERNATIVES_H
#define CATALOG_ALTERNATIVES_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_alternative {
    char *name;      /* as for a `kernel` line: "tiled", "space::tiled", "tiled<16>" */
    bool named_gemm; /* its parameters or its name say that it is a GEMM */
};

struct gr_alternatives {
    struct gr_alternative *items;
    int count;
    bool included; /* they are in files that the given one includes */
    char *others;  /* "fill, transpose": those of the file that cannot be a GEMM; null: none */
};

/* The alternatives in the order of the file or, if it has no kernel, of the files that it includes.
 * None if `extra` or the file says which kernel is meant, or if it cannot be read: gr_kernel_read
 * reports why. Free with gr_alternatives_free, also after a failure. */
enum gradus_status gr_alternatives_read(const char *path, const char *extra,
                                        struct gr_alternatives *list, struct gradus_error *error);
/* Those that a list names, as "naive, tiled<16,8>". INVALID: a name is empty. */
enum gradus_status gr_alternatives_named(const char *names, struct gr_alternatives *list,
                                         struct gradus_error *error);
/* Are there several names in a list? */
bool gr_names_several(const char *names);
/* The name without what a file name cannot have, and unique in the list: "tiled_16_8"; malloc'ed.
 */
char *gr_alternative_word(const struct gr_alternatives *list, int i);
void gr_alternatives_free(struct gr_alternatives *list);

#endif

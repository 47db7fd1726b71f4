/* plain_kernel.h: a kernel with plain parameters that calls one whose parameters are structures.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_KERNEL_H
#define CATALOG_PLAIN_KERNEL_H

#include "base/str.h"
#include "catalog/rewriting.h"

enum { GR_MOST_PLAIN_PARAMETERS = 48 };

struct gr_plain_kernel {
    char *names[GR_MOST_PLAIN_PARAMETERS]; /* of its parameters */
    /* What a launch passes for each, where $0 is its first argument: "$0.M". */
    char *passed[GR_MOST_PLAIN_PARAMETERS];
    int count;
    int own_count;            /* of the parameters that the file's kernel has */
    struct gr_str parameters; /* "int M, const float *A" */
    struct gr_str values;     /* statements that make the structures that are passed by address */
    struct gr_str arguments;  /* of the call */
    bool changed;             /* it differs from the kernel in the file */
};
void gr_plain_kernel_free(struct gr_plain_kernel *kernel);

/* Adds the parameters of the file's kernel `f`. */
void gr_plain_kernel_add_own(struct gr_rewriting *r, const struct gr_function *f,
                             struct gr_plain_kernel *kernel);
/* Adds the members of a structure of this type, called `owner`, and passes it on. `access` is how
 * the file's launch reads it. */
void gr_plain_kernel_add_structure(struct gr_rewriting *r, struct gr_plain_kernel *kernel,
                                   struct gr_range type, bool by_address, const char *owner,
                                   const char *access);
/* Adds a parameter for a pointer or number, and appends it to `out`, converted to its type. Takes
 * ownership of `passed`. */
void gr_plain_kernel_add_value(struct gr_rewriting *r, struct gr_plain_kernel *kernel,
                               const struct gr_member *member, const struct gr_bound_structure *in,
                               const char *owner, char letter, char *passed, struct gr_str *out);

#endif

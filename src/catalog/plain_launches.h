/* plain_launches.h: rewrites launches of a kernel whose parameters were structures to pass the
 * members instead. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_LAUNCHES_H
#define CATALOG_PLAIN_LAUNCHES_H

#include "catalog/rewriting.h"

/* Rewrites the launches of the kernel in this text, with `own_count` arguments, to pass the
 * arguments of the added kernel: `passed`, where $0 is the launch's first argument. */
void gr_plain_launches_pass(struct gr_rewriting *r, const char *name, const char *passed,
                            int own_count);

/* The text of another file, whose launches of such a kernel pass the members, malloc'ed; null: it
 * has none, or out of memory. Lines keep their numbers up to the launch. */
char *gr_plain_launches(const char *path, const char *text, const struct gr_kernel *kernel,
                        const char *name);

#endif

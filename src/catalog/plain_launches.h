/* plain_launches.h: launches of a kernel that was given structures, with their members in place of
 * them. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_LAUNCHES_H
#define CATALOG_PLAIN_LAUNCHES_H

#include "catalog/rewriting.h"

/* The launches of the kernel in this text, with `own_count` arguments, pass what the kernel that is
 * added takes: `passed`, where $0 is the launch's first argument. */
void gr_plain_launches_pass(struct gr_rewriting *r, const char *name, const char *passed,
                            int own_count);

/* The text of another file, whose launches of such a kernel pass the members, malloc'ed; null: it
 * has none, or memory is out. Lines up to a launch stay lines. */
char *gr_plain_launches(const char *path, const char *text, const struct gr_kernel *kernel,
                        const char *name);

#endif

/* coded_names.h: finds a kernel of a cubin by a name that a user would write.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_CODED_NAMES_H
#define LAUNCHES_CODED_NAMES_H

#include "code/code.h"

/* `wanted`: a symbol, or a name in C++ or the end of it after a `::`, with or without template
 * arguments and parameters; null: the only kernel. `path` is for messages. NOT_FOUND: no kernel has
 * that name. INVALID: there are none, or it fits several; the message lists them. */
enum gradus_status gr_coded_choose(const struct gr_code *code, const char *path, const char *wanted,
                                   const struct gr_code_kernel **kernel,
                                   struct gradus_error *error);

#endif

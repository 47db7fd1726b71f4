/* macros.h: the macros that a variant defines for its kernel's file, so that one file serves all
 * types and parameter values. SPDX-License-Identifier: MIT */
#ifndef EMIT_MACROS_H
#define EMIT_MACROS_H

#include "base/str.h"
#include "catalog/variant.h"

/* Which params and lets are defined. A rung's code is compiled once for all values of a param that
 * only its front matter uses; code that evaluates the front matter in C needs all of them. */
enum gr_macros { GR_MACROS_OF_CODE, GR_MACROS_ALL };

/* Appends `#define` lines: T, TA and TB if the file uses them, the params and the lets. */
enum gradus_status gr_macros_write(const struct gr_variant *variant, enum gr_macros which,
                                   struct gr_str *out, struct gradus_error *error);

#endif

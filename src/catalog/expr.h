/* expr.h: the expressions of the front matter. SPDX-License-Identifier: MIT
 *
 * Integers with + - * / % (C's rules), comparisons, && || !, parentheses, cdiv(a,b), min, max, clamp(x,lo,hi),
 * aligned(A,16); comparison and logic give 0 or 1. In `expect` the same grammar is evaluated in double, and
 * names may be metrics: "global.loads.sectors_per_request[A]". */
#ifndef CATALOG_EXPR_H
#define CATALOG_EXPR_H

#include "core/kernel.h"

#include <gradus/gradus.h>

/* Where names get their values. `value` returns false for an unknown name. For aligned(X, n), `address`
 * gives X's address; it may be null where there are no operands, and aligned() is then true. */
struct gr_scope {
    bool (*value)(void *context, const char *name, double *value);
    bool (*address)(void *context, const char *name, uint64_t *address);
    void *context;
};

/* Integer evaluation: overflow, division by zero and unknown names (with the nearest known) are INVALID,
 * "path:line:column: …". */
enum gradus_status gr_expr_integer(const char *path, const struct gr_text *expression,
                                   const struct gr_scope *scope, int64_t *result,
                                   struct gradus_error *error);
/* Real evaluation, for `expect`. */
enum gradus_status gr_expr_real(const char *path, const struct gr_text *expression,
                                const struct gr_scope *scope, double *result,
                                struct gradus_error *error);
/* Syntax only; calls name(context, identifier) for each identifier when `name` is not null. */
enum gradus_status gr_expr_check(const char *path, const struct gr_text *expression,
                                 void (*name)(void *context, const char *identifier), void *context,
                                 struct gradus_error *error);

#endif

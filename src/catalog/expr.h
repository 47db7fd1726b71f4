/* expr.h: the expressions of the front matter. SPDX-License-Identifier: MIT
 *
 * Integers with + - * / % (C's rules), comparisons, && || !, parentheses, cdiv(a,b), min, max,
 * clamp(x,lo,hi), aligned(A,16); comparison and logic give 0 or 1, and what && and || need not look
 * at is not evaluated. In `expect` the same grammar is evaluated in double, and names may be
 * metrics: "global.loads.sectors_per_request[A]". */
#ifndef CATALOG_EXPR_H
#define CATALOG_EXPR_H

#include "records/kernel.h"

#include <gradus/gradus.h>
#include <stddef.h>

/* Where names get their values. `value` returns false for an unknown name; a value that is no whole
 * number (alpha is 1.5) takes part in comparisons and arithmetic as a real one. For aligned(X, n),
 * `address` gives X's address; it may be null where there are no operands, and aligned() is then
 * true. `names` are the known names, for "did you mean"; they may be null. */
struct gr_scope {
    bool (*value)(void *context, const char *name, double *value);
    bool (*address)(void *context, const char *name, uint64_t *address);
    void *context;
    const char *const *names;
    size_t name_count;
};

/* Integer evaluation: overflow, division by zero, unknown names (with the nearest known) and a
 * result that is no integer are INVALID, "path:line:column: …". */
enum gradus_status gr_expr_integer(const char *path, const struct gr_text *expression,
                                   const struct gr_scope *scope, int64_t *result,
                                   struct gradus_error *error);
/* Real evaluation, for `expect`. */
enum gradus_status gr_expr_real(const char *path, const struct gr_text *expression,
                                const struct gr_scope *scope, double *result,
                                struct gradus_error *error);
/* Called for each name in an expression with the column it stands at; false ends the walk. */
typedef bool gr_expr_name_fn(void *context, const char *name, int column);
/* Syntax only; calls name(context, …) for each name but aligned()'s operand when `name` is not
 * null. When it returns false, the walk ends and the status is INVALID; *error is then the callee's
 * to fill. */
enum gradus_status gr_expr_check(const char *path, const struct gr_text *expression,
                                 gr_expr_name_fn *name, void *context, struct gradus_error *error);

#endif

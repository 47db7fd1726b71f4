/* expr.h: evaluates the expressions of the front matter.
 *
 * Expressions are integers with + - * / % (C's rules), comparisons, && || !, parentheses,
 * cdiv(a,b), min, max, clamp(x,lo,hi) and aligned(A,16). Comparisons and logic yield 0 or 1, and
 * && and || evaluate their right operand only if it matters. In `expect` lines the same grammar
 * is evaluated in double, and names may be metrics: "global.loads.sectors_per_request[A]".
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_EXPR_H
#define CATALOG_EXPR_H

#include "records/kernel.h"

#include <gradus/gradus.h>
#include <stddef.h>

/* The values of names. `value` returns false for an unknown name; a value that is not an integer
 * (alpha is 1.5) is a real number in comparisons and arithmetic. `address` returns the
 * address of X for aligned(X, n); if it is null because there are no operands, aligned() is
 * true. `names` are the known names, for suggestions; it may be null. */
struct gr_scope {
    bool (*value)(void *context, const char *name, double *value);
    bool (*address)(void *context, const char *name, uint64_t *address);
    void *context;
    const char *const *names;
    size_t name_count;
};

/* Evaluates in integers. INVALID, "path:line:column: …", for overflow, division by zero, an
 * unknown name (suggests the closest one) and a result that is not an integer. */
enum gradus_status gr_expr_integer(const char *path, const struct gr_text *expression,
                                   const struct gr_scope *scope, int64_t *result,
                                   struct gradus_error *error);
/* Evaluates in double, for `expect` lines. */
enum gradus_status gr_expr_real(const char *path, const struct gr_text *expression,
                                const struct gr_scope *scope, double *result,
                                struct gradus_error *error);
/* Called for each name in an expression, with its column; returning false ends the walk. */
typedef bool gr_expr_name_fn(void *context, const char *name, int column);
/* Checks the syntax only and, if `name` is not null, calls name(context, …) for each name except
 * the operand of aligned(). If that returns false the walk ends with INVALID, and the callback
 * fills *error. */
enum gradus_status gr_expr_check(const char *path, const struct gr_text *expression,
                                 gr_expr_name_fn *name, void *context, struct gradus_error *error);

#endif

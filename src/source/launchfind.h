/* launchfind.h: finds where a file launches its kernel, and the values of the variables in the
 * launch, so that a launch need not be declared again in the front matter.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_LAUNCHFIND_H
#define SOURCE_LAUNCHFIND_H

#include "source/scan.h"

struct gr_launch_site {
    int kernel;                         /* the token of the kernel's name */
    struct gr_range template_arguments; /* of k<64, 64><<<…>>>; empty if not given */
    struct gr_range grid, block, smem;  /* empty if not given */
    struct gr_range arguments;
};

/* Finds the next launch at or after token *from of a function of this name (null: of any
 * function), and sets *from to the token after it. Recognizes `k<<<…>>>(…)`,
 * `hipLaunchKernelGGL(k, …)`, `cudaLaunchKernel(k, …)` with the array of its arguments, and
 * `cudaLaunchKernelEx(&config, k, …)`. */
bool gr_launch_site_next(const struct gr_scan *scan, const char *kernel, int *from,
                         struct gr_launch_site *site);

/* Is a variable declared by the word at token i, as in `dim3 grid` or `dim3 block(32, 32), grid`?
 */
bool gr_is_declared(const struct gr_scan *scan, int i);
/* The initial value of the variable at token `word`, as code at token `at` sees it: the nearest
 * declaration above in the function that contains `at`, else at file scope. False if there is
 * none; the word may be a parameter then. */
bool gr_value_find(const struct gr_scan *scan, int word, int at, struct gr_range *value);
/* The same for a variable given by name. */
bool gr_value_of(const struct gr_scan *scan, const char *name, int at, struct gr_range *value);
/* The value of the first constant or enumerator of this name, wherever it is declared: also in a
 * class, or in another function than that of `at`. */
bool gr_constant_find(const struct gr_scan *scan, const char *name, struct gr_range *value);
/* Do the tokens assign to the variable at token `word`, or to a member of it? */
bool gr_value_is_changed(const struct gr_scan *scan, int word, struct gr_range since);
/* The end of the item of a comma-separated list that begins at `begin`: its comma, or the end of
 * the list. */
int gr_item_end(const struct gr_scan *scan, int begin, int end);

#endif

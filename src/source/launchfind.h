/* launchfind.h: where a file launches its kernel, and the values of the variables that the launch
 * names. SPDX-License-Identifier: MIT */
#ifndef SOURCE_LAUNCHFIND_H
#define SOURCE_LAUNCHFIND_H

#include "source/scan.h"

struct gr_launch_site {
    int kernel;                         /* the token of the kernel's name */
    struct gr_range template_arguments; /* of k<64, 64><<<…>>>; empty where not given */
    struct gr_range grid, block, smem;  /* empty where not given */
    struct gr_range arguments;
};

/* The next launch at or behind token *from of a function of this name (null: of any); *from is then
 * behind it. `k<<<…>>>(…)` and `hipLaunchKernelGGL(k, …)`. */
bool gr_launch_site_next(const struct gr_scan *scan, const char *kernel, int *from,
                         struct gr_launch_site *site);

/* The value that the word at token `word` was declared with, as the code at token `at` sees it: in
 * the function that `at` is in, else at file scope; the declaration nearest above counts. False
 * where there is none: it may be a parameter then. */
bool gr_value_find(const struct gr_scan *scan, int word, int at, struct gr_range *value);
/* The same by name. */
bool gr_value_of(const struct gr_scan *scan, const char *name, int at, struct gr_range *value);
/* The value of the first constant or enumerator of this name, wherever it stands: in a class, or in
 * a function that `at` is not in. */
bool gr_constant_find(const struct gr_scan *scan, const char *name, struct gr_range *value);
/* Do the tokens set the word at token `word`, or a member of it, to something? */
bool gr_value_is_changed(const struct gr_scan *scan, int word, struct gr_range since);
/* The end of the item of a comma list that begins at `begin`: its comma, or the list's end. */
int gr_item_end(const struct gr_scan *scan, int begin, int end);

#endif

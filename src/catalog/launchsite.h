/* launchsite.h: a `kernel<<<grid, block, smem>>>(arguments)` in a file, and its expressions in the
 * front matter's own grammar. SPDX-License-Identifier: MIT */
#ifndef CATALOG_LAUNCHSITE_H
#define CATALOG_LAUNCHSITE_H

#include "base/str.h"
#include "catalog/scan.h"
#include "core/kernel.h"

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

/* Turns C expressions of the host code into front matter. Names of sizes become M, N, K … by the
 * parameter that a launch passes them for; macros become lets; variables are replaced by what they
 * were set to. */
struct gr_site_reader {
    const struct gr_scan *file; /* where macros and variables are looked up */
    const struct gr_scan *scan; /* what is translated: the file, or the body of one of its macros */
    const struct gr_launch_site *site; /* may be null */
    const struct gr_signature *signature;
    const char *template_arguments; /* "<64,8>": what the launch's are, in order; may be null */
    struct gr_str lets; /* "BM = 64, BN = 64": what the expressions name, in order of need */
    int depth;
    bool uncertain;        /* a variable was set once more between its declaration and the launch */
    bool ceil_of_integers; /* a ceil() around an integer division was met: it rounds down */
};

/* An expression, or a dim3 of several. False when something in it has no place in the front matter;
 * the token is then *where. */
bool gr_translate(struct gr_site_reader *translation, struct gr_range range, struct gr_str *out,
                  int *where);
void gr_site_reader_free(struct gr_site_reader *translation);

#endif

/* launchsite.h: translates the expressions of a launch `kernel<<<grid, block,
 * smem>>>(arguments)` in the same file to the grammar of the front matter.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_LAUNCHSITE_H
#define LAUNCHES_LAUNCHSITE_H

#include "base/str.h"
#include "records/kernel.h"
#include "source/launchfind.h"

/* Translates C expressions of host code. A variable that the launch passes for a size parameter
 * becomes M, N, K …; macros become lets; other variables are replaced by their values. */
struct gr_site_reader {
    const struct gr_scan *file; /* where macros and variables are looked up */
    /* The text that is translated: the file, or the body of one of its macros. */
    const struct gr_scan *scan;
    const struct gr_launch_site *site; /* may be null */
    const struct gr_signature *signature;
    /* "<64,8>": the template arguments of the launch in order; may be null. */
    const char *template_arguments;
    /* "BM = 64, BN = 64": the lets that the expressions need, each after those it depends on. */
    struct gr_str lets;
    int depth;
    bool uncertain; /* a variable was assigned again between its declaration and the launch */
    bool ceil_of_integers; /* ceil() was applied to an integer division, which rounds down */
};

/* Translates an expression, or a dim3 of several. False if a part of it cannot be expressed in
 * the front matter; *where is that token. */
bool gr_translate(struct gr_site_reader *translation, struct gr_range range, struct gr_str *out,
                  int *where);
void gr_site_reader_free(struct gr_site_reader *translation);

#endif

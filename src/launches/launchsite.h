/* launchsite.h: the expressions of a `kernel<<<grid, block, smem>>>(arguments)` in the front
 * matter's own grammar. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_LAUNCHSITE_H
#define LAUNCHES_LAUNCHSITE_H

#include "base/str.h"
#include "records/kernel.h"
#include "source/launchfind.h"

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

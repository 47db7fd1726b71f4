/* launchsite.h: a `kernel<<<grid, block, smem>>>(arguments)` in a file, and its expressions in the
 * front matter's own grammar. SPDX-License-Identifier: MIT */
#ifndef CATALOG_LAUNCHSITE_H
#define CATALOG_LAUNCHSITE_H

#include "base/str.h"
#include "catalog/scan.h"
#include "core/kernel.h"

/* Tokens [begin, end). */
struct gr_range {
    int begin, end;
};

struct gr_launch_site {
    int kernel;                        /* the token of the kernel's name */
    struct gr_range grid, block, smem; /* empty where not given */
    struct gr_range arguments;
};

/* The first launch of a function of this name (null: of any). */
bool gr_launch_site_find(const struct gr_scan *scan, const char *kernel,
                         struct gr_launch_site *site);

/* Turns C expressions of the host code into front matter. Names of sizes become M, N, K … by the
 * parameter that a launch passes them for; macros become lets; variables are replaced by what they
 * were set to. */
struct gr_site_reader {
    const struct gr_scan *file; /* where macros and variables are looked up */
    const struct gr_scan *scan; /* what is translated: the file, or the body of one of its macros */
    const struct gr_launch_site *site; /* may be null */
    const struct gr_signature *signature;
    struct gr_str lets; /* "BM = 64, BN = 64": what the expressions name, in order of need */
    int depth;
    bool ceil_of_integers; /* a ceil() around an integer division was met: it rounds down */
};

/* An expression, or a dim3 of several. False when something in it has no place in the front matter;
 * the token is then *where. */
bool gr_translate(struct gr_site_reader *translation, struct gr_range range, struct gr_str *out,
                  int *where);
void gr_site_reader_free(struct gr_site_reader *translation);

#endif

/* dispatch.h: which micro-kernel, path, threads and blocks a product gets, and why.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_DISPATCH_H
#define CPU_DISPATCH_H

#include <gradus/gradus.h>

struct ukr;

struct gr_dispatch {
    const struct ukr *ukr;
    const char *path; /* "scaled", "unpacked", "packed", … */
    const char *why;  /* why this path is taken; may be null */
    int threads;      /* that a call would use now */
    const char *threads_why;
    int64_t mc, kc, nc; /* block sizes of the packed path, no larger than the problem; 0: the path
                           has no blocks */
    int64_t
        tasks; /* pieces of work that threads take one at a time; 0: there is nothing to share */
    int64_t workspace_bytes; /* the size of the packing buffers */
};

#endif

/* dispatch.h: which micro-kernel, path, threads and blocks a product gets, and why.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_DISPATCH_H
#define CPU_DISPATCH_H

#include <gradus/gradus.h>

struct ukr;

struct gr_dispatch {
    const struct ukr *ukr;
    const char *path; /* "scaled", "unpacked", "packed", … */
    const char *why;  /* this path; may be null */
    int threads;      /* as a call would take now */
    const char *threads_why;
    int64_t mc, kc, nc;      /* blocks of the packed path, cut to the problem; 0: there are none */
    int64_t tasks;           /* what threads take one by one in a slab of C; 0: nothing to share */
    int64_t workspace_bytes; /* of packing buffers */
};

#endif

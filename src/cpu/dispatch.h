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
    /* The number of the last columns of C, if they are computed as a product of their own, and its
     * path; otherwise 0 and null. */
    int64_t tail_columns;
    const char *tail_path;
    /* For products of float or double that are small, or for whose CPU there are figures
     * (gemm_large.c): the estimated cycles with vectors along the rows of C, along its columns and
     * along k; 0: not possible, or not estimated. */
    int64_t along_rows, along_columns, along_k;
    /* For products of short types on a CPU with tile registers: the estimated picoseconds with a
     * micro-kernel that uses vectors, and with one that uses tiles; 0: there is no choice. */
    int64_t in_vectors, in_tiles;
    int threads; /* threads that a call would use now */
    const char *threads_why;
    int64_t mc, kc, nc; /* block sizes of the packed path, no larger than the problem; 0: the path
                           has no blocks */
    int64_t
        tasks; /* pieces of work that threads take one at a time; 0: there is nothing to share */
    int64_t workspace_bytes; /* the size of the packing buffers */
};

#endif

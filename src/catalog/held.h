/* held.h: sizes that a file fixes, by arrays of fixed extents or by constants.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_HELD_H
#define CATALOG_HELD_H

#include "records/kernel.h"
#include "records/problem.h"

/* Do the operands of the problem fit into the kernel's arrays of fixed extents and, for a GPU
 * kernel without size parameters, are the sizes those of its file? If not, `text` says why, and
 * what would fit. */
bool gr_held_admits(const struct gr_kernel *kernel, const struct gr_problem *problem,
                    char text[320]);
/* The sizes M, N and K, by the kernel's own names, of such a kernel with these transposes.
 * False: nothing in its file fixes them. */
bool gr_held_sizes(const struct gr_kernel *kernel, bool trans_a, bool trans_b, int64_t size[3]);

#endif

/* settle.h: how a kernel is launched and what it is passed, where its file does not say: what its
 * project suggests is tried, and what multiplies right is taken. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SETTLE_H
#define MEASURE_SETTLE_H

#include "records/kernel.h"
#include "records/problem.h"
#include "measure/session.h"

struct gr_settling {
    const char *path, *extra;         /* as gr_kernel_read takes them */
    const struct gr_options *options; /* device, build; nothing is timed */
    struct gr_types types;
    bool types_given;
    const char
        *trans; /* "nt", as asked for; null: not. What a file without front matter is run with */
    const char *const *params; /* "BM=64" */
    int param_count;
};

/* Reads the kernel. Where it cannot be launched as it is (no grid, or a parameter that nothing is
 * known of), the suggestions of launches/suggest.h are tried on small products of which no two
 * extents are equal, then on squares; the first that is right is taken, and kernel->settled says
 * what it is and where it comes from. Where none is right, the likeliest is taken and
 * kernel->settled says that it is not confirmed: its verdict is the kernel's. INVALID where there
 * is none to take: every parameter that is not known is named. */
enum gradus_status gr_kernel_settle(const struct gr_settling *settling, struct gr_kernel **kernel,
                                    struct gradus_error *error);

#endif

/* find_launch.h: determines how a kernel is launched and which arguments it takes, if its file does
 * not say so: suggestions derived from its project are tried, and one that computes correct
 * results is adopted. SPDX-License-Identifier: MIT */
#ifndef MEASURE_FIND_LAUNCH_H
#define MEASURE_FIND_LAUNCH_H

#include "records/kernel.h"
#include "records/problem.h"
#include "measure/session.h"

struct gr_launch_search {
    const char *path, *extra;         /* as for gr_kernel_read */
    const struct gr_options *options; /* device and build options; nothing is timed */
    struct gr_types types;
    bool types_given;
    /* The requested transposes, "nt"; null: none requested. Used for a file without front
     * matter. */
    const char *trans;
    const char *const *params; /* "BM=64" */
    int param_count;
    bool brief; /* for advice: less time is spent */
    /* The kernel is run on the device afterwards: without it, a search on the simulator would be in
     * vain. */
    bool runs_there;
    /* The processor time for all trials of a search, if it is one of many; 0: the usual. */
    int64_t limit_ns;
    /* Sizes in the file that are too large to be simulated whole may become smaller. */
    bool may_reduce;
};

/* Reads the kernel. If it cannot be launched as it is (no grid, or a parameter without a known
 * role), the suggestions of launches/suggest.h are tried on small GEMMs of pairwise different
 * sizes, then on square ones. The first that is correct is adopted, and kernel->launch_origin says
 * what it is and where it comes from. If none is correct, the most likely one is adopted and
 * kernel->launch_origin says that it is not confirmed; the kernel's verdict then is the result.
 * INVALID if there is no suggestion: the message names every parameter that is not known.
 * UNSUPPORTED: the device is not here, and the kernel is to be run there. */
enum gradus_status gr_launch_find(const struct gr_launch_search *settling,
                                  struct gr_kernel **kernel, struct gradus_error *error);

/* For a C kernel that is wrong as its file describes it: looks for options with which it is right,
 * of the storage order, the transposes and a C that is added to: "--layout 'A col, B col, C col'".
 * Null: there are none, or the kernel is no such. Free with free(). *lines (may be null) gets the
 * same as lines of front matter without `//@`, to be freed too. */
char *gr_call_advise(const struct gr_kernel *kernel, const struct gr_options *options,
                     struct gr_types types, char **lines);

#endif

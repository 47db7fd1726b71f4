/* sweep.h: kernels times problems: what `ladder`, `run` and `bench` all are.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SWEEP_H
#define MEASURE_SWEEP_H

#include "measure/measure.h"

/* A kernel of a sweep and how to name it on a command line ("ladder --kernels 03_cache_tile", "run
 * my.c"). */
struct gr_contestant {
    const struct gr_kernel *kernel;
    char *command;
};

struct gr_size {
    int64_t m, n, k;
};

struct gr_sweep {
    const struct gr_contestant *contestants;
    int contestant_count;
    const struct gr_size *sizes;
    int size_count;
    struct gr_types types;
    bool types_given; /* else each kernel's first, and all of one `types` share the peers */
    bool trans_a, trans_b;
    bool trans_given;          /* else a kernel that does not do these is run with its first */
    bool field;                /* every kernel beside all peers in turns, and no rows of peers */
    const char *const *params; /* "BM=64", for kernels that have it */
    int param_count;
    const char *common;         /* options to repeat in a row's command: " --threads 2 --seed 7" */
    const char *kernel_options; /* and in a kernel's: " --flags -O2" */
    const char *diagnose_options; /* and in the command that looks for a fault: of `explain`, or of
                                     `run` where it is C */
    int threads;                  /* of its rows */
    int first;                    /* where the plan of the run has its first row */
    struct gr_run *kept; /* rows of an earlier run, which are moved out of it instead of being
                            measured; may be null */
};

/* Opens the peers and appends a row for each that gr_sweep_run will give: see struct gr_follower.
 */
enum gradus_status gr_sweep_plan(struct gr_session *session, const struct gr_sweep *sweep,
                                 struct gr_run *plan, struct gradus_error *error);

/* At each size: the peers, then each kernel beside the fastest of them. Rows are ordered by size,
 * rungs first, peers last. A kernel that does not have the types or transposes gets a row that says
 * so. INTERRUPTED (base/stop.h): `run` has the rows that are finished. */
enum gradus_status gr_sweep_run(struct gr_session *session, const struct gr_sweep *sweep,
                                struct gr_run *run, struct gradus_error *error);

/* "64:4096:x2" (64, 128, … 4096), "256:1024:+256", "512", "16x4096x4096", and lists of those with
 * commas. Appends to *sizes, which the caller frees (also after a failure; start with null and 0).
 * INVALID names the part that is no size. */
enum gradus_status gr_sizes_parse(const char *text, struct gr_size **sizes, int *count,
                                  struct gradus_error *error);

#endif

/* sweep.h: measures several kernels at several problems: the common part of `ladder`, `run` and
 * `bench`. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SWEEP_H
#define MEASURE_SWEEP_H

#include "measure/measure.h"
#include "measure/size.h"
#include "measure/tuned_table.h"

/* A kernel of a sweep, and how to name it on a command line ("ladder --kernels 03_cache_tile",
 * "run my.c"). */
struct gr_sweep_kernel {
    const struct gr_kernel *kernel;
    char *command;
    char *function; /* the kernel's own name, if it is one of several of its file; else null */
    char *refused;  /* why it has a row but is not run; null: it is run */
    char *excuse; /* what its row says if it is wrong, as it is no product by itself; may be null */
};

struct gr_sweep {
    const struct gr_sweep_kernel *kernels;
    int kernel_count;
    const struct gr_size *sizes;
    int size_count;
    struct gr_types types;
    /* Otherwise each kernel uses its own first types, and all kernels with the same `types`
     * share the peers. */
    bool types_given;
    bool trans_a, trans_b;
    bool trans_given; /* otherwise a kernel that does not support them is run with its first ones */
    /* Every kernel is timed against all peers in the same rounds, and peers have no rows of
     * their own. */
    bool field;
    const char *const *params; /* "BM=64", for the kernels that have the parameter */
    int param_count;
    const struct gr_tuned_table *tuned; /* the values that come before those; null: the file's */
    const char *common;         /* options that a row's command repeats: " --threads 2 --seed 7" */
    const char *kernel_options; /* additional ones for a kernel: " --flags -O2" */
    /* Additional ones for the command that diagnoses a wrong row: `explain`, or `run` for C. */
    const char *diagnose_options;
    int threads; /* of its rows */
    int first;   /* the index of the sweep's first row in the plan of the run */
    /* Rows of an earlier run, which are moved from here instead of being measured again; may be
     * null. */
    struct gr_run *kept;
};

/* Opens the peers and appends one row for each that gr_sweep_run will produce: see struct
 * gr_follower. */
enum gradus_status gr_sweep_plan(struct gr_session *session, const struct gr_sweep *sweep,
                                 struct gr_run *plan, struct gradus_error *error);

/* Measures, at each size, the peers and then each kernel against the fastest of them. Rows are
 * ordered by size, with kernels before peers. A kernel that does not support the types or
 * transposes gets a row that says so. INTERRUPTED (base/stop.h): `run` has the finished rows. */
enum gradus_status gr_sweep_run(struct gr_session *session, const struct gr_sweep *sweep,
                                struct gr_run *run, struct gradus_error *error);

/* Parses "64:4096:x2" (64, 128, … 4096), "256:1024:+256", "512", "16x4096x4096" and
 * comma-separated lists of these. Appends to *sizes, which the caller frees also after a
 * failure; start with null and 0. INVALID names the part that is not a size. */
enum gradus_status gr_sizes_parse(const char *text, struct gr_size **sizes, int *count,
                                  struct gradus_error *error);

#endif

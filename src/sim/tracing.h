/* tracing.h: runs a traced program and reads its result. SPDX-License-Identifier: MIT */
#ifndef SIM_TRACING_H
#define SIM_TRACING_H

#include "code/cubin.h"
#include "simrt/simrt.h"

#include <gradus/gradus.h>

/* The machine code of the same kernels, which has the widths of accesses. Nothing is owned. */
struct gr_sim_machine {
    const void *image;
    size_t length;
    const struct gr_code *code;
    const struct gr_code_kernel *kernels[GR_SIM_LAUNCHES]; /* of each launch; null: it has none */
};

/* What the job's first arrays contain after its launches, job->kept of them, in their order.
 * malloc'ed; null: not every block ran to its end. */
struct gr_sim_contents {
    void *bytes;
};

/* Runs the program at `path` for at most limit_ns; or, if `path` is null, executes the machine code
 * of `machine`. The job's lines are added here, from the program's own line table; `source` is the
 * path by which the kernel's file was compiled; `machine` may be null. On success traces[i] is of
 * the i-th launch that ran, *count of them, each to be freed. UNSUPPORTED: not modelled, or no
 * memory. TIMED_OUT. CRASHED: the kernel ended the process, or failed ("assertion failed: …"); the
 * launches traced before that are returned. `contents` may be null.
 */
enum gradus_status gr_sim_trace(const char *path, const char *source, const struct gr_sim_job *job,
                                const struct gr_sim_machine *machine, int64_t limit_ns,
                                struct gr_trace traces[GR_SIM_LAUNCHES], int *count,
                                struct gr_sim_contents *contents, struct gradus_error *error);

/* Runs the program at `path`, which checks integers, for at most limit_ns; the job's launches run
 * one after another until the job's own limit. *faults, to be freed: each place where an integer
 * overflows, with the name of the source file unless it is `source`. *cut: the limit was reached
 * before all blocks had ended. UNSUPPORTED: no memory, or not modelled; CRASHED: the kernel failed,
 * and *faults are those found before that. */
enum gradus_status gr_sim_check(const char *path, const char *source, const struct gr_sim_job *job,
                                int64_t limit_ns, struct gr_trace_fault **faults, int *count,
                                bool *cut, struct gradus_error *error);

#endif

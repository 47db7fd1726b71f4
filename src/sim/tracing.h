/* tracing.h: running a traced program and reading what it saw. SPDX-License-Identifier: MIT */
#ifndef SIM_TRACING_H
#define SIM_TRACING_H

#include "code/cubin.h"
#include "simrt/simrt.h"

#include <gradus/gradus.h>

/* The machine code of the same kernels, from which the widths of accesses are taken. Nothing is
 * owned. */
struct gr_sim_machine {
    const void *image;
    size_t length;
    const struct gr_code *code;
    const struct gr_code_kernel *kernels[GR_SIM_LAUNCHES]; /* of each launch; null: not there */
};

/* Runs the program at `path` for at most limit_ns. The ask's lines are added here, read from the
 * program's own line table; `source` is the path by which the kernel's file was compiled; `machine`
 * may be null. On success traces[i] is of the i-th launch that ran, *count of them, each to be
 * freed. UNSUPPORTED: not modelled, or no memory. TIMED_OUT. CRASHED: the kernel ended the process,
 * or failed by itself ("assertion failed: …"); what was traced before that is there all the same.
 */
enum gradus_status gr_sim_trace(const char *path, const char *source, const struct gr_sim_job *job,
                                const struct gr_sim_machine *machine, int64_t limit_ns,
                                struct gr_trace traces[GR_SIM_LAUNCHES], int *count,
                                struct gradus_error *error);

/* Runs the checked program at `path` for at most limit_ns; the ask's launches run one after another
 * as far as its own limit lasts. *faults, to be freed: each place where an integer overflows, with
 * the name of the source file unless it is `source`. *cut: the time was over before the blocks had
 * ended. UNSUPPORTED: no memory, or not modelled; CRASHED: the kernel failed by itself; *faults are
 * those before that. */
enum gradus_status gr_sim_check(const char *path, const char *source, const struct gr_sim_job *job,
                                int64_t limit_ns, struct gr_trace_fault **faults, int *count,
                                bool *cut, struct gradus_error *error);

#endif

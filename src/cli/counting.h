/* counting.h: the command that runs a kernel once, for a profiler to watch.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_COUNTING_H
#define CLI_COUNTING_H

#include "cli/verb.h"
#include "records/kernel.h"
#include "records/problem.h"

enum { GR_COUNTING_WORDS = 64 };

/* What `gradus run` or `gradus ladder` is called with, null-terminated: this program, verifying the
 * kernel for the problem on --device (without it, on `device`). Some words are the arguments';
 * `self` and `size` are storage for others. INVALID: too many. */
enum gradus_status gr_counting_command(const struct gr_args *args, const struct gr_kernel *kernel,
                                       const struct gr_problem *problem, const char *device,
                                       char self[4096], char size[64],
                                       const char *words[GR_COUNTING_WORDS + 1],
                                       struct gradus_error *error);

#endif

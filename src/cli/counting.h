/* counting.h: the command that runs a kernel once under a profiler. SPDX-License-Identifier: MIT */
#ifndef CLI_COUNTING_H
#define CLI_COUNTING_H

#include "cli/verb.h"
#include "records/kernel.h"
#include "records/problem.h"

enum { GR_COUNTING_WORDS = 64 };

/* Makes the null-terminated arguments of a `gradus run` or `gradus ladder` that verifies the kernel
 * for the problem on --device (without it, on `device`). Some words belong to the arguments; `self`
 * and `size` are storage for others. INVALID: there are too many words. */
enum gradus_status gr_counting_command(const struct gr_args *args, const struct gr_kernel *kernel,
                                       const struct gr_problem *problem, const char *device,
                                       char self[4096], char size[64],
                                       const char *words[GR_COUNTING_WORDS + 1],
                                       struct gradus_error *error);

#endif

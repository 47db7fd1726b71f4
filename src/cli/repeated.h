/* repeated.h: the options of a run that the commands of its rows repeat, such as " --device sim
 * --seed 7". The caller frees the strings; null: memory ran out. SPDX-License-Identifier: MIT */
#ifndef CLI_REPEATED_H
#define CLI_REPEATED_H

#include "backend/device_ref.h"
#include "cli/verb.h"
#include "measure/session.h"

/* The options in the command of every row. */
char *gr_repeated_common(const struct gr_args *args, const struct gr_options *options, int threads);
/* The additional options in the command of a kernel's row. */
char *gr_repeated_kernel(const struct gr_args *args);
/* The options in the command that diagnoses a wrong kernel: `explain` or, if the files are C, a
 * `run` that is compiled with sanitizers. */
char *gr_repeated_diagnose(const struct gr_args *args, const struct gr_device_ref *device);

#endif

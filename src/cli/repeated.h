/* repeated.h: the options of a run, as the commands of its rows repeat them: " --device sim --seed
 * 7". The strings are the caller's to free; null: no memory. SPDX-License-Identifier: MIT */
#ifndef CLI_REPEATED_H
#define CLI_REPEATED_H

#include "backend/device_ref.h"
#include "cli/verb.h"
#include "measure/session.h"

/* What the command of every row repeats. */
char *gr_repeated_common(const struct gr_args *args, const struct gr_options *options, int threads);
/* What the command of a kernel's row repeats besides. */
char *gr_repeated_kernel(const struct gr_args *args);
/* For the command that looks for a kernel's fault: `explain`, or where the files are C, a `run`
 * that is built with the checks of the language. */
char *gr_repeated_diagnose(const struct gr_args *args, const struct gr_device_ref *device);

#endif

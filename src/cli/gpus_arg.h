/* gpus_arg.h: --device cuda:all and cuda:0,2: several GPUs. SPDX-License-Identifier: MIT */
#ifndef CLI_GPUS_ARG_H
#define CLI_GPUS_ARG_H

#include "cli/args.h"

#include <stdbool.h>

/* Does --device name several GPUs? */
bool gr_gpus_arg_is(const struct gr_args *args);
/* Their numbers; *count 0: all that there are. INVALID. */
enum gradus_status gr_gpus_arg(const struct gr_args *args, int numbers[64], int *count,
                               struct gradus_error *error);

#endif

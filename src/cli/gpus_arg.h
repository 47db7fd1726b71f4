/* gpus_arg.h: parses --device cuda:all and cuda:0,2, which choose several GPUs.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_GPUS_ARG_H
#define CLI_GPUS_ARG_H

#include "cli/args.h"

#include <stdbool.h>

/* Does --device choose several GPUs? */
bool gr_gpus_arg_is(const struct gr_args *args);
/* Returns their numbers; *count 0 stands for all GPUs. Errors: INVALID. */
enum gradus_status gr_gpus_arg(const struct gr_args *args, int numbers[64], int *count,
                               struct gradus_error *error);

#endif

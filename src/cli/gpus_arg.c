/* gpus_arg.c: parses --device cuda:all and cuda:0,2. SPDX-License-Identifier: MIT */
#include "cli/gpus_arg.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "cuda:";

bool gr_gpus_arg_is(const struct gr_args *args)
{
    const char *const device = gr_args_get(args, "device");
    return device && strncmp(device, prefix, sizeof prefix - 1) == 0 &&
           (strcmp(device + sizeof prefix - 1, "all") == 0 || strchr(device, ','));
}

enum gradus_status gr_gpus_arg(const struct gr_args *args, int numbers[64], int *count,
                               struct gradus_error *error)
{
    const char *const device = gr_args_get(args, "device");
    const char *at = device + sizeof prefix - 1;
    *count = 0;
    if (strcmp(at, "all") == 0)
        return GRADUS_OK;
    for (;; at++) {
        char *end = NULL;
        const long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (number < 0 || number > 63 || (*end && *end != ',') || *count == 64)
            return gr_fail(error, GRADUS_INVALID,
                           "--device: found '%.80s', wanted GPUs by number, as cuda:0,2, or "
                           "cuda:all",
                           device);
        numbers[(*count)++] = (int)number;
        at = end;
        if (!*at)
            return GRADUS_OK;
    }
}

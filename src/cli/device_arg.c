/* device_arg.c: the device that a command line names. SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"

#include "catalog/catalog.h"

enum gradus_status gr_device_arg(const struct gr_args *args, struct gr_device_ref *ref,
                                 struct gradus_error *error)
{
    const char *device = gr_args_get(args, "device");
    for (int i = 0; i < args->operand_count && !device; i++)
        if (gr_is_cuda_path(args->operands[i]))
            device = "cuda";
    return gr_device_ref_parse(device, ref, error);
}

bool gr_device_arg_is_simulated(const struct gr_args *args)
{
    struct gr_device_ref ref;
    const char *device = gr_args_get(args, "device");
    return gr_device_ref_parse(device, &ref, NULL) == GRADUS_OK && gr_device_is_simulated(&ref);
}

bool gr_device_arg_is_host(const struct gr_args *args)
{
    struct gr_device_ref ref;
    const char *device = gr_args_get(args, "device");
    return gr_device_ref_parse(device, &ref, NULL) == GRADUS_OK && gr_device_is_host(&ref);
}

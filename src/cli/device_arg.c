/* device_arg.c: the device that a command line chooses. SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"

#include "catalog/catalog.h"
#include "core/error.h"

#include <string.h>

enum gradus_status gr_device_arg(const struct gr_args *args, struct gr_device_ref *ref,
                                 struct gradus_error *error)
{
    const char *device = gr_args_get(args, "device");
    for (int i = 0; i < args->operand_count && !device; i++)
        if (gr_is_cuda_path(args->operands[i]))
            device = "cuda";
    return gr_device_ref_parse(device, ref, error);
}

enum gr_engine gr_engine_of(const struct gr_args *args)
{
    const char *engine = gr_args_get(args, "engine");
    if (!engine)
        return GR_ENGINE_BOTH;
    return strcmp(engine, "code") == 0 ? GR_ENGINE_CODE : GR_ENGINE_SOURCE;
}

enum gradus_status gr_engine_arg(const struct gr_args *args, const struct gr_device_ref *ref,
                                 enum gr_engine *engine, struct gradus_error *error)
{
    *engine = gr_engine_of(args);
    if (*engine == GR_ENGINE_BOTH || gr_device_is_simulated(ref))
        return GRADUS_OK;
    return gr_fail(error, GRADUS_INVALID, "--engine is for a simulated GPU: add --device sim");
}

enum gradus_status gr_reorder_ffma_arg(const struct gr_args *args, const struct gr_device_ref *ref,
                                       bool *reorder, struct gradus_error *error)
{
    *reorder = gr_args_get(args, "reorder-ffma") != NULL;
    if (!*reorder)
        return GRADUS_OK;
    if (gr_device_is_host(ref))
        return gr_fail(error, GRADUS_INVALID,
                       "--reorder-ffma is for a GPU's machine code: add --device cuda");
    if (gr_device_is_simulated(ref) && gr_engine_of(args) != GR_ENGINE_CODE)
        return gr_fail(error, GRADUS_INVALID,
                       "--reorder-ffma changes machine code: add --engine code");
    return GRADUS_OK;
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

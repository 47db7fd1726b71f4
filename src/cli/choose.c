/* choose.c: loads the catalog of kernels that the options choose. SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"
#include "cli/choose.h"

#include "core/error.h"

enum gradus_status gr_choose_catalog(const struct gr_args *args, struct gr_catalog *catalog,
                                     struct gradus_error *error)
{
    const char *directory = gr_args_get(args, "kernel-dir"), *device = gr_args_get(args, "device");
    bool cpu = gr_device_arg_is_host(args);
    enum gradus_status status =
        gr_catalog_load(directory, cpu ? GR_LANGUAGE_C : GR_LANGUAGE_CUDA, catalog, error);
    if (status != GRADUS_OK || catalog->count > 0)
        return status;
    gr_catalog_free(catalog);
    return gr_fail(error, GRADUS_UNSUPPORTED, "skip: no rungs for --device %s in %s",
                   cpu ? "cpu" : device, directory ? directory : "this build of gradus");
}

void gr_choose_types(const struct gr_kernel *kernel, struct gr_str *out)
{
    for (int i = 0; i < kernel->type_count; i++) {
        char name[80];
        gr_types_name(kernel->types[i], name, sizeof name);
        gr_str_printf(out, "%s%s", i ? ", " : "", name);
    }
}

/* choose.c: loads the catalog of kernels that the options choose. SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"
#include "cli/choose.h"

#include "base/str.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

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

/* Adds to an error about an unknown rung of the CPU what the GPU's ladder has. */
static void add_gpu_ladder(const char *word, struct gradus_error *error)
{
    struct gr_catalog gpu;
    const struct gr_kernel *kernel;
    struct gradus_error ignored = {0};
    char *text = gr_strdup(error->text);
    if (text && gr_catalog_load(NULL, GR_LANGUAGE_CUDA, &gpu, &ignored) == GRADUS_OK) {
        if (gpu.count && gr_catalog_find(&gpu, word, &kernel, &ignored) == GRADUS_OK)
            gr_fail(error, GRADUS_NOT_FOUND, "%s; a GPU's rung is %s: --device cuda", text,
                    kernel->name);
        else if (gpu.count)
            gr_fail(error, GRADUS_NOT_FOUND, "%s, and `gradus list --device cuda` the GPU's", text);
        gr_catalog_free(&gpu);
    }
    gradus_error_clear(&ignored);
    free(text);
}

enum gradus_status gr_choose_kernel(const struct gr_args *args, const struct gr_catalog *catalog,
                                    const char *word, const struct gr_kernel **kernel,
                                    struct gradus_error *error)
{
    const enum gradus_status status = gr_catalog_find(catalog, word, kernel, error);
    if (status == GRADUS_NOT_FOUND && gr_device_arg_is_host(args) && !gr_args_get(args, "device") &&
        !gr_args_get(args, "kernel-dir") && !strstr(error->text, "did you mean"))
        add_gpu_ladder(word, error);
    return status;
}

void gr_choose_types(const struct gr_kernel *kernel, struct gr_str *out)
{
    for (int i = 0; i < kernel->type_count; i++) {
        char name[80];
        gr_types_name(kernel->types[i], name, sizeof name);
        gr_str_printf(out, "%s%s", i ? ", " : "", name);
    }
}

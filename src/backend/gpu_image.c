/* gpu_image.c: from a variant to machine code in a file, and from the file to functions. The file
 * is the number of kernels, their symbols, one a line, and the cubin. SPDX-License-Identifier: MIT
 */
#include "backend/gpu_image.h"

#include "backend/gpu_compile.h"
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/temporary.h"
#include "code/cubin.h"
#include "gpu/vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum gradus_status write_image(const struct gr_rtc_code *cubin, struct gr_artifact *artifact,
                                      struct gradus_error *error)
{
    struct gr_str out = {0};
    gr_str_printf(&out, "%d\n", cubin->name_count);
    for (int i = 0; i < cubin->name_count; i++)
        gr_str_printf(&out, "%s\n", cubin->lowered[i]);
    gr_str_add_bytes(&out, cubin->image, cubin->length);
    enum gradus_status status = GRADUS_OK;
    if (out.failed)
        status = gr_fail_memory(error, "a kernel's code", cubin->length);
    if (status == GRADUS_OK)
        status = gr_temporary_make(".cubin", artifact->path, sizeof artifact->path,
                                   &artifact->pending, error);
    if (status == GRADUS_OK)
        status = gr_temporary_fill(artifact->path, out.text, out.length, error);
    gr_str_free(&out);
    return status;
}

/* Code that cannot be read is the driver's to judge. */
static void read_needs(const struct gr_rtc_code *cubin, struct gr_artifact *artifact)
{
    struct gr_code code = {0};
    struct gradus_error ignored = {0};
    if (gr_code_read(cubin->image, cubin->length, &code, &ignored) == GRADUS_OK)
        for (int i = 0; i < cubin->name_count && i < GR_MAX_STANZAS; i++) {
            const struct gr_code_kernel *k = gr_code_find(&code, cubin->lowered[i]);
            if (k)
                artifact->code[i] = (struct gr_launch_code){.max_threads = k->max_threads,
                                                            .registers = k->registers,
                                                            .smem_bytes = k->smem_bytes,
                                                            .wave = k->amd.wave,
                                                            .wgp = k->amd.wgp,
                                                            .stack_bytes = k->stack_bytes};
        }
    gradus_error_clear(&ignored);
    gr_code_free(&code);
}

enum gradus_status gr_gpu_image_make(const struct gr_variant *variant, const struct gr_build *build,
                                     const struct gr_gpu_target *target,
                                     struct gr_artifact *artifact, struct gradus_error *error)
{
    struct gr_rtc_code cubin = {0};
    enum gradus_status status = gr_gpu_compile(variant, build, target, &cubin, artifact->notes,
                                               sizeof artifact->notes, error);
    if (status == GRADUS_OK)
        status = write_image(&cubin, artifact, error);
    if (status == GRADUS_OK) {
        read_needs(&cubin, artifact);
        snprintf(artifact->symbol, sizeof artifact->symbol, "%.190s", cubin.lowered[0]);
        snprintf(artifact->flags, sizeof artifact->flags, "%s %s%s", cubin.compiler, target->arch,
                 build->reorder_ffma ? ", FFMAs reordered" : "");
    }
    gr_rtc_code_free(&cubin);
    return status;
}

/* The next line of *text; null at the end. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = 0;
    *text = end + 1;
    return line;
}

enum gradus_status gr_gpu_image_read(const char *path, struct gr_gpu_image *image,
                                     struct gradus_error *error)
{
    size_t length = 0;
    *image = (struct gr_gpu_image){0};
    enum gradus_status status = gr_file_read(path, &image->text, &length, error);
    if (status != GRADUS_OK)
        return status;
    char *at = image->text, *count = next_line(&at);
    image->count = count ? atoi(count) : 0;
    for (int i = 0; i < image->count && i < GR_MAX_STANZAS; i++)
        image->symbols[i] = next_line(&at);
    image->code = at;
    image->length = length - (size_t)(at - image->text);
    return GRADUS_OK;
}

void gr_gpu_image_free(struct gr_gpu_image *image)
{
    free(image->text);
    *image = (struct gr_gpu_image){0};
}

enum gradus_status gr_gpu_image_load(const struct gr_gpu_context *context, const char *path,
                                     struct gr_gpu_loaded *module, struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    struct gr_gpu_image image;
    enum gradus_status status = gr_gpu_image_read(path, &image, error);
    if (status != GRADUS_OK)
        return status;
    module->count = image.count;
    status = gr_gpu_check(driver, driver->module_load(&module->module, image.code, 0, NULL, NULL),
                          "loading the kernel's code", error);
    for (int i = 0; i < module->count && status == GRADUS_OK; i++)
        status = gr_gpu_check(
            driver,
            driver->module_function(&module->functions[i], module->module, image.symbols[i]),
            image.symbols[i], error);
    gr_gpu_image_free(&image);
    return status;
}

/* cuda_image.c: from a variant to machine code in a file, and from the file to functions. The file is the number of
 * kernels, their symbols, one a line, and the cubin. SPDX-License-Identifier: MIT */
#include "backend/cuda_image.h"

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/translation.h"
#include "gpu/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "sm_90a" alone is an exact wish, which "sm_90" does not fulfil; ">= sm_80" is a lower bound. */
static enum gradus_status check_arch(const struct gr_kernel *kernel,
                                     const struct gr_cuda_device *device,
                                     struct gradus_error *error)
{
    if (!kernel->arch)
        return GRADUS_OK;
    const char *wanted = strstr(kernel->arch, "sm_");
    bool at_least = strstr(kernel->arch, ">=") != NULL;
    int cc = wanted ? atoi(wanted + 3) : 0;
    bool fits = at_least ? device->cc >= cc
                         : wanted && (strcmp(wanted, device->arch) == 0 || device->cc == cc);
    if (fits)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_UNSUPPORTED, "needs %s%s, %s is %s", at_least ? "at least " : "",
                   wanted ? wanted : kernel->arch, device->name, device->arch);
}

/* The options of the translation, and where the toolkit's headers are. */
static const char **all_options(const struct gr_translation *t, char **include, int *count)
{
    const char *folder = gr_nvrtc_include_dir();
    const char **options = calloc((size_t)t->option_count + 1, sizeof *options);
    *count = t->option_count;
    if (!options)
        return NULL;
    for (int i = 0; i < t->option_count; i++)
        options[i] = t->options[i];
    *include = *folder ? gr_printf("-I%s", folder) : NULL;
    if (*include)
        options[(*count)++] = *include;
    return options;
}

static enum gradus_status compile(const struct gr_translation *t,
                                  const struct gr_cuda_device *device, bool use_cache,
                                  struct gr_cubin *cubin, struct gradus_error *error)
{
    char *include = NULL;
    int count;
    const char **options = all_options(t, &include, &count);
    if (!options)
        return gr_fail_memory(error, "options", 0);
    struct gr_nvrtc_source source = {.text = t->text,
                                     .name = t->name,
                                     .header_names = (const char *const *)t->header_names,
                                     .header_texts = (const char *const *)t->header_texts,
                                     .header_count = t->header_count,
                                     .options = options,
                                     .option_count = count,
                                     .arch = device->arch,
                                     .names = (const char *const *)t->kernels,
                                     .name_count = t->kernel_count};
    enum gradus_status status = gr_jit_compile(&source, use_cache, cubin, error);
    free(options);
    free(include);
    return status;
}

static enum gradus_status write_image(const struct gr_cubin *cubin, struct gr_artifact *artifact,
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
        status = gr_file_temporary(".cubin", artifact->path, sizeof artifact->path,
                                   &artifact->pending, error);
    if (status == GRADUS_OK)
        status = gr_file_write(artifact->path, out.text, out.length, error);
    gr_str_free(&out);
    return status;
}

enum gradus_status gr_cuda_image_make(const struct gr_variant *variant,
                                      const struct gr_build *build,
                                      const struct gr_cuda_device *device,
                                      struct gr_artifact *artifact, struct gradus_error *error)
{
    struct gr_translation translation = {0};
    struct gr_cubin cubin = {0};
    enum gradus_status status = check_arch(variant->kernel, device, error);
    if (status == GRADUS_OK)
        status = gr_translation_make(variant, build->defines, build->flags, &translation, error);
    if (status == GRADUS_OK)
        status = compile(&translation, device, !build->no_cache, &cubin, error);
    if (status == GRADUS_OK)
        status = write_image(&cubin, artifact, error);
    if (status == GRADUS_OK) {
        snprintf(artifact->symbol, sizeof artifact->symbol, "%.190s", cubin.lowered[0]);
        snprintf(artifact->flags, sizeof artifact->flags, "%s %s", cubin.compiler, device->arch);
        if (translation.cut && *translation.cut)
            snprintf(artifact->notes, sizeof artifact->notes, "host functions left out: %.200s",
                     translation.cut);
    }
    gr_cubin_free(&cubin);
    gr_translation_free(&translation);
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

enum gradus_status gr_cuda_image_load(const struct gr_cuda_context *context, const char *path,
                                      struct gr_cuda_module *module, struct gradus_error *error)
{
    const struct gr_cuda *cuda = context->cuda;
    char *text = NULL;
    size_t length = 0;
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    if (status != GRADUS_OK)
        return status;
    char *at = text, *count = next_line(&at), *symbols[GR_MAX_STANZAS] = {0};
    module->count = count ? atoi(count) : 0;
    for (int i = 0; i < module->count && i < GR_MAX_STANZAS; i++)
        symbols[i] = next_line(&at);
    status = gr_cuda_check(cuda, cuda->module_load(&module->module, at, 0, NULL, NULL),
                           "loading the kernel's code", error);
    for (int i = 0; i < module->count && status == GRADUS_OK; i++)
        status = gr_cuda_check(
            cuda, cuda->module_function(&module->functions[i], module->module, symbols[i]),
            symbols[i], error);
    free(text);
    return status;
}

/* rtc_library.c: opens a run-time compiler, and compiles one source with it.
 * SPDX-License-Identifier: MIT */
#include "gpu/rtc_library.h"

#include "core/error.h"
#include "base/deep_stack.h"
#include "base/str.h"
#include "base/keep_signals.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gr_rtc_code_free(struct gr_rtc_code *code)
{
    free(code->image);
    for (int i = 0; i < code->name_count; i++)
        free(code->lowered[i]);
    *code = (struct gr_rtc_code){0};
}

/* The functions that every such library must have. */
static bool is_whole(const struct gr_rtc_library *f)
{
    return f->version && f->create && f->destroy && f->add_name && f->compile && f->log_size &&
           f->log && f->lowered_name && f->image_size && f->image && f->error_text;
}

bool gr_rtc_library_open(const char *file, const struct gr_rtc_symbol *symbols, size_t count,
                         struct gr_rtc_library *functions)
{
    struct link_map *map = NULL;
    struct gr_rtc_about *about = &functions->about;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    for (size_t i = 0; i < count; i++)
        *(void **)(void *)((char *)functions + symbols[i].member) =
            dlsym(library, symbols[i].symbol);
    if (!is_whole(functions) || functions->version(&about->major, &about->minor) != 0)
        return false;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
        snprintf(about->path, sizeof about->path, "%s", map->l_name);
    return true;
}

static char *log_of(const struct gr_rtc_library *rtc, gr_rtc_program program)
{
    size_t bytes = 0;
    if (rtc->log_size(program, &bytes) != 0)
        return NULL;
    char *log = calloc(bytes + 1, 1);
    if (log)
        rtc->log(program, log);
    return log;
}

enum gradus_status gr_rtc_library_fail(const struct gr_rtc_library *rtc, gr_rtc_program program,
                                       const struct gr_rtc_source *source, int result,
                                       struct gradus_error *error)
{
    enum gradus_status status = gr_fail(
        error, GRADUS_COMPILE, "%s: %s %d.%d does not compile it for %s: %s", source->name,
        rtc->title, rtc->about.major, rtc->about.minor, source->arch, rtc->error_text(result));
    if (error)
        error->log = log_of(rtc, program);
    return status;
}

struct compilation {
    const struct gr_rtc_library *rtc;
    gr_rtc_program program;
    const char *const *options;
    int option_count, result;
};

static void run_compiler(void *compilation)
{
    struct compilation *c = compilation;
    c->result = c->rtc->compile(c->program, c->option_count, c->options);
}

/* Compilers have functions that take 80 KiB of the stack each, and those that call themselves. */
static enum gradus_status run_apart(struct compilation *c, struct gradus_error *error)
{
    struct gr_kept_signals undisturbed;
    gr_keep_signals_begin(&undisturbed);
    const bool done = gr_run_on_deep_stack(run_compiler, c);
    gr_keep_signals_end(&undisturbed);
    return done ? GRADUS_OK : gr_fail_memory(error, "the compiler's stack", GR_DEEP_STACK_BYTES);
}

enum gradus_status gr_rtc_library_build(const struct gr_rtc_library *rtc,
                                        const struct gr_rtc_source *source, gr_rtc_program *program,
                                        struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    *program = NULL;
    int result = rtc->create(program, source->text, source->name, source->header_count,
                             source->header_texts, source->header_names);
    for (int i = 0; i < source->name_count && result == 0; i++)
        result = rtc->add_name(*program, source->names[i]);
    char *arch = gr_printf("%s%s", rtc->arch_option, source->arch);
    const char **options = calloc((size_t)source->option_count + 1, sizeof *options);
    if (!arch || !options)
        status = gr_fail_memory(error, "options", 0);
    for (int i = 0; options && i < source->option_count; i++)
        options[i] = source->options[i];
    if (options)
        options[source->option_count] = arch;
    if (status == GRADUS_OK && result == 0) {
        struct compilation c = {rtc, *program, options, source->option_count + 1, 0};
        status = run_apart(&c, error);
        result = c.result;
    }
    if (status == GRADUS_OK && result != 0)
        status = gr_rtc_library_fail(rtc, *program, source, result, error);
    free(options);
    free(arch);
    return status;
}

static enum gradus_status take_image(const struct gr_rtc_library *rtc, gr_rtc_program program,
                                     const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                     struct gradus_error *error)
{
    int result = rtc->image_size(program, &code->length);
    if (result == 0) {
        code->image = malloc(code->length + 1);
        if (!code->image)
            return gr_fail_memory(error, "machine code", code->length);
        result = rtc->image(program, code->image);
    }
    for (int i = 0; i < source->name_count && result == 0; i++) {
        const char *symbol = NULL;
        result = rtc->lowered_name(program, source->names[i], &symbol);
        code->lowered[i] = gr_strdup(symbol);
        code->name_count = i + 1;
    }
    snprintf(code->compiler, sizeof code->compiler, "%s %d.%d", rtc->title, rtc->about.major,
             rtc->about.minor);
    return result == 0 ? GRADUS_OK : gr_rtc_library_fail(rtc, program, source, result, error);
}

enum gradus_status gr_rtc_library_compile(const struct gr_rtc_library *rtc,
                                          const struct gr_rtc_source *source,
                                          struct gr_rtc_code *code, struct gradus_error *error)
{
    gr_rtc_program program = NULL;
    *code = (struct gr_rtc_code){0};
    if (source->name_count > GR_RTC_MAX_NAMES)
        return gr_fail(error, GRADUS_INVALID, "%s: %d kernels, at most %d are compiled",
                       source->name, source->name_count, GR_RTC_MAX_NAMES);
    enum gradus_status status = gr_rtc_library_build(rtc, source, &program, error);
    if (status == GRADUS_OK)
        status = take_image(rtc, program, source, code, error);
    if (program)
        rtc->destroy(&program);
    if (status != GRADUS_OK)
        gr_rtc_code_free(code);
    return status;
}

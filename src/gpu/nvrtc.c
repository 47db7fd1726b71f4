/* nvrtc.c: compiling one source. SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

#include "core/error.h"
#include "base/deep_stack.h"
#include "base/str.h"
#include "base/keep_signals.h"
#include "gpu/nvrtc_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gr_rtc_code_free(struct gr_rtc_code *cubin)
{
    free(cubin->image);
    for (int i = 0; i < cubin->name_count; i++)
        free(cubin->lowered[i]);
    *cubin = (struct gr_rtc_code){0};
}

/* "sm_90a" is 90. */
static enum gradus_status check_arch(const struct gr_nvrtc *n, const char *arch,
                                     struct gradus_error *error)
{
    const struct gr_rtc_about *about = &n->about;
    int wanted = atoi(arch + strcspn(arch, "0123456789"));
    for (int i = 0; i < about->arch_count; i++)
        if (about->archs[i] == wanted)
            return GRADUS_OK;
    if (about->arch_count == 0)
        return GRADUS_OK; /* it does not say; its own error will */
    int least = about->archs[0], most = about->archs[about->arch_count - 1];
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: NVRTC %d.%d does not know %s: it compiles for sm_%d to sm_%d; %s",
                   about->major, about->minor, arch, least, most,
                   wanted > most
                       ? "get a newer one with: python3 -m pip install -U nvidia-cuda-nvrtc"
                       : "older GPUs need the NVRTC of an older CUDA: python3 -m pip install "
                         "nvidia-cuda-nvrtc-cu12");
}

static char *log_of(const struct gr_nvrtc *n, nvrtcProgram program)
{
    size_t bytes = 0;
    if (n->log_size(program, &bytes) != 0)
        return NULL;
    char *log = calloc(bytes + 1, 1);
    if (log)
        n->log(program, log);
    return log;
}

static enum gradus_status fail_compile(const struct gr_nvrtc *n, nvrtcProgram program,
                                       const struct gr_rtc_source *source, int result,
                                       struct gradus_error *error)
{
    enum gradus_status status =
        gr_fail(error, GRADUS_COMPILE, "%s: NVRTC %d.%d does not compile it for %s: %s",
                source->name, n->about.major, n->about.minor, source->arch, n->error_text(result));
    if (error)
        error->log = log_of(n, program);
    return status;
}

struct compilation {
    const struct gr_nvrtc *n;
    nvrtcProgram program;
    const char *const *options;
    int option_count, result;
};

static void run_compiler(void *compilation)
{
    struct compilation *c = compilation;
    c->result = c->n->compile(c->program, c->option_count, c->options);
}

/* NVRTC has functions that take 80 KiB of the stack each, and those that call themselves. */
static enum gradus_status run_apart(struct compilation *c, struct gradus_error *error)
{
    struct gr_kept_signals undisturbed;
    gr_keep_signals_begin(&undisturbed);
    const bool done = gr_run_on_deep_stack(run_compiler, c);
    gr_keep_signals_end(&undisturbed);
    return done ? GRADUS_OK : gr_fail_memory(error, "NVRTC's stack", GR_DEEP_STACK_BYTES);
}

/* Compiles; *program is to be destroyed in any case. */
static enum gradus_status compile(const struct gr_nvrtc *n, const struct gr_rtc_source *source,
                                  nvrtcProgram *program, struct gradus_error *error)
{
    *program = NULL;
    enum gradus_status status = check_arch(n, source->arch, error);
    if (status != GRADUS_OK)
        return status;
    int result = n->create(program, source->text, source->name, source->header_count,
                           source->header_texts, source->header_names);
    for (int i = 0; i < source->name_count && result == 0; i++)
        result = n->add_name(*program, source->names[i]);
    char *arch = gr_printf("--gpu-architecture=%s", source->arch);
    const char **options = calloc((size_t)source->option_count + 1, sizeof *options);
    if (!arch || !options)
        status = gr_fail_memory(error, "options", 0);
    for (int i = 0; options && i < source->option_count; i++)
        options[i] = source->options[i];
    if (options)
        options[source->option_count] = arch;
    if (status == GRADUS_OK && result == 0) {
        struct compilation c = {n, *program, options, source->option_count + 1, 0};
        status = run_apart(&c, error);
        result = c.result;
    }
    if (status == GRADUS_OK && result != 0)
        status = fail_compile(n, *program, source, result, error);
    free(options);
    free(arch);
    return status;
}

static enum gradus_status take_cubin(const struct gr_nvrtc *n, nvrtcProgram program,
                                     const struct gr_rtc_source *source, struct gr_rtc_code *cubin,
                                     struct gradus_error *error)
{
    int result = n->cubin_size(program, &cubin->length);
    if (result == 0) {
        cubin->image = malloc(cubin->length + 1);
        if (!cubin->image)
            return gr_fail_memory(error, "a cubin", cubin->length);
        result = n->cubin(program, cubin->image);
    }
    for (int i = 0; i < source->name_count && result == 0; i++) {
        const char *symbol = NULL;
        result = n->lowered_name(program, source->names[i], &symbol);
        cubin->lowered[i] = gr_strdup(symbol);
        cubin->name_count = i + 1;
    }
    snprintf(cubin->compiler, sizeof cubin->compiler, "NVRTC %d.%d", n->about.major,
             n->about.minor);
    return result == 0 ? GRADUS_OK : fail_compile(n, program, source, result, error);
}

static enum gradus_status compile_code(const struct gr_rtc_source *source,
                                       struct gr_rtc_code *cubin, struct gradus_error *error)
{
    const struct gr_nvrtc *n;
    nvrtcProgram program = NULL;
    *cubin = (struct gr_rtc_code){0};
    if (source->name_count > GR_RTC_MAX_NAMES)
        return gr_fail(error, GRADUS_INVALID, "%s: %d kernels, at most %d are compiled",
                       source->name, source->name_count, GR_RTC_MAX_NAMES);
    enum gradus_status status = gr_nvrtc_open(&n, error);
    if (status == GRADUS_OK)
        status = compile(n, source, &program, error);
    if (status == GRADUS_OK)
        status = take_cubin(n, program, source, cubin, error);
    if (program)
        n->destroy(&program);
    if (status != GRADUS_OK)
        gr_rtc_code_free(cubin);
    return status;
}

static enum gradus_status compile_ptx(const struct gr_rtc_source *source, char **ptx,
                                      struct gradus_error *error)
{
    const struct gr_nvrtc *n;
    nvrtcProgram program = NULL;
    size_t bytes = 0;
    *ptx = NULL;
    enum gradus_status status = gr_nvrtc_open(&n, error);
    if (status == GRADUS_OK)
        status = compile(n, source, &program, error);
    if (status == GRADUS_OK) {
        int result = n->ptx_size(program, &bytes);
        *ptx = result == 0 ? calloc(bytes + 1, 1) : NULL;
        if (result == 0 && *ptx)
            result = n->ptx(program, *ptx);
        if (result != 0)
            status = fail_compile(n, program, source, result, error);
        else if (!*ptx)
            status = gr_fail_memory(error, "PTX", bytes);
    }
    if (program)
        n->destroy(&program);
    return status;
}

const struct gr_rtc gr_rtc_nvrtc = {.name = "nvrtc",
                                    .find = gr_nvrtc_find,
                                    .include_dir = gr_nvrtc_include_dir,
                                    .compile = compile_code,
                                    .assembly = compile_ptx};

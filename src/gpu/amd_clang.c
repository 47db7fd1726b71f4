/* amd_clang.c: compiles for AMD's GPUs with a clang: to assembly, in which the kernels' symbols are
 * found, and from it to a code object. Neither ROCm's headers nor its device libraries are needed.
 * SPDX-License-Identifier: MIT */
#include "base/file.h"
#include "base/str.h"
#include "base/temporary.h"
#include "base/toolchain.h"
#include "core/error.h"
#include "gpu/amd_llvm.h"
#include "gpu/amd_source.h"
#include "gpu/rtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_WORDS = 24 };

struct job {
    const struct gr_rtc_source *source;
    const struct gr_amd_llvm *llvm;
    struct gr_amd_source files;
    struct gr_amd_file assembly, object;
    char *text; /* of the assembly */
    struct gradus_error *error;
};

static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    const struct gr_amd_llvm *llvm;
    *about = (struct gr_rtc_about){0};
    enum gradus_status status = gr_amd_llvm_find(&llvm, error);
    if (status != GRADUS_OK)
        return status;
    snprintf(about->path, sizeof about->path, "%s", llvm->clang);
    about->major = llvm->major;
    about->minor = llvm->minor;
    about->identity = llvm->identity ^ gr_amd_prelude_identity();
    const int most = (int)(sizeof about->archs / sizeof *about->archs);
    const int skipped = llvm->arch_count > most ? llvm->arch_count - most : 0;
    for (int i = skipped; i < llvm->arch_count; i++)
        about->archs[about->arch_count++] = llvm->archs[i];
    return GRADUS_OK;
}

static const char *include_dir(void)
{
    return "";
}

/* The given headers win over files of the same name, so they are looked for first. No header of the
 * host is seen: the kernel means the same on every machine. */
static enum gradus_status to_assembly(struct job *j)
{
    const struct gr_rtc_source *s = j->source;
    char *arch = gr_printf("--offload-arch=%s", s->arch);
    char *overlay = gr_printf("-ivfsoverlay%s", j->files.overlay.path);
    char *include = gr_printf("-I%s", gr_amd_headers);
    const char **argv = calloc((size_t)s->option_count + OWN_WORDS, sizeof *argv);
    const char *const head[] = {j->llvm->clang, "-x",        "hip",         "--cuda-device-only",
                                arch,           "-nogpuinc", "-nogpulib",   "-nostdinc",
                                "-nostdinc++",  "-O3",       "-w",          overlay,
                                include,        "-include",  gr_amd_prelude};
    const char *const tail[] = {"-S", "-o", j->assembly.path, j->files.main.path};
    int count = 0;
    enum gradus_status status = GRADUS_OK;
    if (!arch || !overlay || !include || !argv)
        status = gr_fail_memory(j->error, "options", 0);
    for (size_t i = 0; status == GRADUS_OK && i < sizeof head / sizeof *head; i++)
        argv[count++] = head[i];
    for (int i = 0; status == GRADUS_OK && i < s->option_count; i++)
        argv[count++] = s->options[i];
    for (size_t i = 0; status == GRADUS_OK && i < sizeof tail / sizeof *tail; i++)
        argv[count++] = tail[i];
    const struct gr_toolchain_step step = {
        .argv = argv, .source = s->name, .what = "compile", .output = j->assembly.path};
    if (status == GRADUS_OK)
        status = gr_toolchain_run(&step, j->error);
    free(argv);
    free(include);
    free(overlay);
    free(arch);
    return status;
}

/* The assembler needs the mode that the code was generated for, as by -mwavefrontsize64. */
static bool is_of_mode(const char *option)
{
    return gr_starts_with(option, "-m") && strcmp(option, "-mllvm") != 0;
}

/* Functions of the device libraries are missing here; the linker names them. */
static enum gradus_status link_object(struct job *j)
{
    const struct gr_rtc_source *s = j->source;
    char *cpu = gr_printf("-mcpu=%s", s->arch);
    const char **argv = calloc((size_t)s->option_count + OWN_WORDS, sizeof *argv);
    const char *const words[] = {j->llvm->clang,
                                 "--target=amdgcn-amd-amdhsa",
                                 cpu,
                                 j->assembly.path,
                                 "-nogpulib",
                                 "-w",
                                 "-o",
                                 j->object.path};
    int count = 0;
    enum gradus_status status = cpu && argv ? GRADUS_OK : gr_fail_memory(j->error, "options", 0);
    for (size_t i = 0; status == GRADUS_OK && i < sizeof words / sizeof *words; i++)
        argv[count++] = words[i];
    for (int i = 0; status == GRADUS_OK && i < s->option_count; i++)
        if (is_of_mode(s->options[i]))
            argv[count++] = s->options[i];
    const struct gr_toolchain_step step = {
        .argv = argv, .source = s->name, .what = "link", .output = j->object.path, .program = true};
    if (status == GRADUS_OK)
        status = gr_toolchain_run(&step, j->error);
    free(argv);
    free(cpu);
    if (status == GRADUS_OK || gr_amd_llvm_links(j->llvm))
        return status;
    return gr_fail(j->error, GRADUS_UNSUPPORTED,
                   "skip: clang %d.%d finds no linker (lld) for AMD's code; get it with: apt-get "
                   "install lld-%d",
                   j->llvm->major, j->llvm->minor, j->llvm->major);
}

static void remove_job(struct job *j)
{
    gr_amd_source_remove(&j->files);
    gr_temporary_remove(j->assembly.path, j->assembly.slot);
    gr_temporary_remove(j->object.path, j->object.slot);
    free(j->text);
}

/* Up to the assembly's text; remove_job in any case. */
static enum gradus_status begin(const struct gr_rtc_source *source, struct job *j,
                                struct gradus_error *error)
{
    size_t length;
    *j = (struct job){.source = source,
                      .error = error,
                      .files = {.main.slot = -1, .overlay.slot = -1},
                      .assembly.slot = -1,
                      .object.slot = -1};
    if (source->name_count > GR_RTC_MAX_NAMES)
        return gr_fail(error, GRADUS_INVALID, "%s: %d kernels, at most %d are compiled",
                       source->name, source->name_count, GR_RTC_MAX_NAMES);
    enum gradus_status status = gr_amd_llvm_find(&j->llvm, error);
    if (status == GRADUS_OK)
        status = gr_amd_llvm_knows(j->llvm, source->arch, error);
    if (status == GRADUS_OK)
        status = gr_amd_source_write(source, &j->files, error);
    if (status == GRADUS_OK)
        status = gr_temporary_make(".s", j->assembly.path, sizeof j->assembly.path,
                                   &j->assembly.slot, error);
    if (status == GRADUS_OK)
        status = to_assembly(j);
    return status == GRADUS_OK ? gr_file_read(j->assembly.path, &j->text, &length, error) : status;
}

static enum gradus_status take_code(struct job *j, struct gr_rtc_code *code)
{
    const struct gr_rtc_source *s = j->source;
    char *image;
    enum gradus_status status = gr_file_read(j->object.path, &image, &code->length, j->error);
    if (status != GRADUS_OK)
        return status;
    code->image = image;
    for (int i = 0; i < s->name_count && status == GRADUS_OK; i++) {
        code->lowered[i] = gr_amd_symbol_of(j->text, i);
        code->name_count = i + 1;
        if (!code->lowered[i])
            status = gr_fail(j->error, GRADUS_COMPILE,
                             "%s: clang %d.%d made no code of the kernel '%s' for %s", s->name,
                             j->llvm->major, j->llvm->minor, s->names[i], s->arch);
    }
    snprintf(code->compiler, sizeof code->compiler, "clang %d.%d", j->llvm->major, j->llvm->minor);
    return status;
}

static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    struct job j;
    *code = (struct gr_rtc_code){0};
    enum gradus_status status = begin(source, &j, error);
    if (status == GRADUS_OK)
        status =
            gr_temporary_make(".co", j.object.path, sizeof j.object.path, &j.object.slot, error);
    if (status == GRADUS_OK)
        status = link_object(&j);
    if (status == GRADUS_OK)
        status = take_code(&j, code);
    remove_job(&j);
    if (status != GRADUS_OK)
        gr_rtc_code_free(code);
    return status;
}

static enum gradus_status assembly(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error)
{
    struct job j;
    enum gradus_status status = begin(source, &j, error);
    *text = status == GRADUS_OK ? j.text : NULL;
    if (*text)
        j.text = NULL;
    remove_job(&j);
    return status;
}

const struct gr_rtc gr_rtc_clang = {.name = "clang",
                                    .find = find,
                                    .include_dir = include_dir,
                                    .compile = compile,
                                    .assembly = assembly};

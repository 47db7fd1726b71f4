/* compile_kernels.c: translates kernel files and compiles them with NVRTC for an old and a new GPU.
 * A file without front matter says in lines `// with grid cdiv(N,32), cdiv(M,32)` what it would be
 * run with; one that must be refused says
 * `// refused: words of the message`. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/arch.h"
#include "catalog/catalog.h"
#include "emit/translation.h"
#include "gpu/rtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

/* The rest of the first line from `from` on that begins with `head`, malloc'ed; *next behind it.
 * Null: none. */
static char *line_after(const char *from, const char *head, const char **next)
{
    for (const char *p = from; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (gr_starts_with(p, head)) {
            p += strlen(head);
            *next = p + strcspn(p, "\n");
            return gr_strndup(p, strcspn(p, "\n"));
        }
    return NULL;
}

static enum gradus_status read_kernel(const char *path, const char *text, struct gr_kernel **kernel,
                                      struct gradus_error *error)
{
    struct gr_str extra = {0};
    const char *at = text;
    for (char *line; (line = line_after(at, "// with ", &at)) != NULL; free(line))
        gr_str_printf(&extra, "%s\n", line);
    enum gradus_status status = gr_kernel_parse(path, text, gr_str_text(&extra), kernel, error);
    gr_str_free(&extra);
    return status;
}

/* Does the file's `arch` line admit this one? */
static bool admits(const struct gr_kernel *kernel, const char *arch)
{
    return !kernel->arch || gr_arch_fits(kernel->arch, arch, atoi(arch + 3));
}

/* Of what NVRTC compiles, not of the file: a 16-bit type given to a template brings its header. */
static bool includes_toolkit(const char *text)
{
    static const char *const headers[] = {
        "<cuda_fp16.h>", "<cuda_bf16.h>", "<cooperative_groups.h>",
        "<cuda/",        "<mma.h>",       "<cuda_pipeline.h>"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strstr(text, headers[i]))
            return true;
    return false;
}

static enum gradus_status compile(const struct gr_translation *t, const char *arch, bool toolkit,
                                  struct gradus_error *error)
{
    const char **options = calloc((size_t)t->option_count + 2, sizeof *options);
    char *include = gr_printf("-I%s", gr_rtc_nvrtc.include_dir());
    char *cccl = gr_printf("-I%s/cccl", gr_rtc_nvrtc.include_dir());
    if (!options || !include || !cccl)
        abort();
    for (int i = 0; i < t->option_count; i++)
        options[i] = t->options[i];
    options[t->option_count] = include;
    options[t->option_count + 1] = cccl;
    struct gr_rtc_source source = {.text = t->text,
                                   .name = t->name,
                                   .header_names = (const char *const *)t->header_names,
                                   .header_texts = (const char *const *)t->header_texts,
                                   .header_count = t->header_count,
                                   .options = options,
                                   .option_count = t->option_count + (toolkit ? 2 : 0),
                                   .arch = arch,
                                   .names = (const char *const *)t->kernels,
                                   .name_count = t->kernel_count};
    struct gr_rtc_code cubin = {0};
    enum gradus_status status = gr_rtc_nvrtc.compile(&source, &cubin, error);
    gr_rtc_code_free(&cubin);
    free(cccl);
    free(include);
    free(options);
    return status;
}

static int report(const char *path, const char *arch, const char *how,
                  const struct gradus_error *error)
{
    printf("FAIL %s %s %s: %s\n%s\n", path, arch, how, error->text, error->log ? error->log : "");
    return 1;
}

/* Are the toolkit's headers beside NVRTC, with those of CCCL that they include? From PyPI these are
 * packages of their own. */
static bool has_toolkit(void)
{
    static const char *const places[] = {"cccl/nv/target", "nv/target"};
    bool has = false;
    for (int i = 0; i < 2 && *gr_rtc_nvrtc.include_dir(); i++) {
        char *path = gr_printf("%s/%s", gr_rtc_nvrtc.include_dir(), places[i]);
        has |= path && access(path, R_OK) == 0;
        free(path);
    }
    return has;
}

static int compile_all_ways(const struct gr_translation *t, const struct gr_kernel *kernel)
{
    static const char *const archs[] = {"sm_75", "sm_90a"};
    bool toolkit = has_toolkit(), needs = includes_toolkit(t->text);
    int faults = 0;
    if (needs && !toolkit)
        printf("skip: %s: no toolkit headers beside NVRTC\n", kernel->path);
    for (int i = 0; i < 2; i++)
        for (int with = 0; with < 2; with++) {
            struct gradus_error error = {0};
            if (admits(kernel, archs[i]) && (with ? toolkit : !needs) &&
                compile(t, archs[i], with, &error) != GRADUS_OK)
                faults +=
                    report(kernel->path, archs[i], with ? "with the toolkit" : "alone", &error);
            gradus_error_clear(&error);
        }
    return faults;
}

static int translate_and_compile(const char *path, const char *text, struct gradus_error *error)
{
    struct gr_kernel *kernel = NULL;
    struct gr_translation t = {0};
    struct gr_variant variant;
    int faults = 0;
    enum gradus_status status = read_kernel(path, text, &kernel, error);
    bool tb = status == GRADUS_OK && !kernel->trans[0] && (kernel->trans[1] || kernel->trans[3]);
    if (status == GRADUS_OK)
        status = gr_variant_make(kernel, kernel->types[0], false, tb, &variant, error);
    if (status == GRADUS_OK)
        status = gr_translation_make(&variant, NULL, NULL, &t, error);
    if (status == GRADUS_OK)
        faults = compile_all_ways(&t, kernel);
    gr_translation_free(&t);
    gr_kernel_free(kernel);
    return status == GRADUS_OK ? faults : -1;
}

static int check(const char *path)
{
    struct gradus_error error = {0};
    const char *next;
    char *text = NULL;
    size_t length = 0;
    if (gr_file_read(path, &text, &length, &error) != GRADUS_OK)
        return report(path, "", "", &error);
    char *refused = line_after(text, "// refused: ", &next);
    int faults = translate_and_compile(path, text, &error);
    if (refused && (faults >= 0 || !strstr(error.text, refused))) {
        printf("FAIL %s: wanted a refusal with '%s', found '%s'\n", path, refused, error.text);
        faults = 1;
    } else if (refused) {
        faults = 0;
    } else if (faults < 0) {
        faults = report(path, "", "", &error);
    }
    gradus_error_clear(&error);
    free(refused);
    free(text);
    return faults;
}

int main(int argc, char **argv)
{
    struct gr_rtc_about about;
    struct gradus_error error = {0};
    if (gr_rtc_nvrtc.find(&about, &error) != GRADUS_OK) {
        printf("skip: %s\n", error.text);
        return SKIPPED;
    }
    int faults = 0;
    for (int i = 1; i < argc; i++)
        faults += check(argv[i]);
    printf("%d files, %d faults, NVRTC %d.%d\n", argc - 1, faults, about.major, about.minor);
    return faults ? 1 : 0;
}

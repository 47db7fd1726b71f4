/* shim_sources.c: writes the input of a host's C++ compiler: the shim's headers into OUT/include,
 * and for each kernel file its translation, OUT/NAME.cpp, with a line for each kernel that keeps
 * the compiler from dropping it. For a file that is not modelled it prints a line that says so.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "emit/shims.h"
#include "emit/translation.h"
#include "emit/unmodelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void must(bool good, const char *what)
{
    if (good)
        return;
    printf("FAIL %s\n", what);
    exit(1);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char *path = gr_printf("%s/%s", folder, name);
    must(path != NULL, "memory");
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    must(f && fputs(text, f) >= 0 && fclose(f) == 0, path);
    free(path);
}

/* The facts in lines `// with …` of a file without front matter, one a line. */
static char *facts_of(const char *text)
{
    struct gr_str extra = {0};
    for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (gr_starts_with(p, "// with "))
            gr_str_printf(&extra, "%.*s\n", (int)strcspn(p + 8, "\n"), p + 8);
    return extra.text ? extra.text : gr_strdup("");
}

static enum gradus_status translate(const char *path, const char *text, struct gr_kernel **kernel,
                                    struct gr_translation *t, struct gradus_error *error)
{
    struct gr_variant variant;
    char *facts = facts_of(text);
    enum gradus_status status = gr_kernel_parse(path, text, facts, kernel, error);
    free(facts);
    if (status != GRADUS_OK)
        return status;
    bool tb = !(*kernel)->trans[0] && ((*kernel)->trans[1] || (*kernel)->trans[3]);
    status = gr_variant_make(*kernel, (*kernel)->types[0], false, tb, &variant, error);
    if (status == GRADUS_OK)
        status = gr_translation_make(&variant, NULL, NULL, t, error);
    return status;
}

static void write_kernel(const char *folder, const char *path)
{
    struct gradus_error error = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_translation t = {0};
    struct gr_str source = {0};
    char *text = NULL, what[GR_UNMODELLED_SIZE];
    size_t length = 0;
    int line = 0;
    must(gr_file_read(path, &text, &length, &error) == GRADUS_OK, path);
    /* The simulator looks in the translation, which has the headers beside the kernel. */
    const bool good = translate(path, text, &kernel, &t, &error) == GRADUS_OK;
    if (gr_unmodelled_find(path, good ? t.text : text, GR_LANGUAGE_CUDA, "sm_80", what, &line)) {
        printf("unmodelled %s: %s\n", path, what);
    } else if (good) {
        gr_str_add(&source, t.text);
        for (int i = 0; i < t.kernel_count; i++)
            gr_str_printf(&source, "void *gr_keep_%d = (void *)(%s);\n", i, t.kernels[i]);
        char *name = gr_printf("%s.cpp", gr_path_base(path));
        must(name && !source.failed, "memory");
        write_file(folder, name, source.text);
        free(name);
    } else {
        printf("refused %s\n", error.text);
    }
    gr_str_free(&source);
    gr_translation_free(&t);
    gr_kernel_free(kernel);
    gradus_error_clear(&error);
    free(text);
}

int main(int argc, char **argv)
{
    must(argc >= 2, "usage: shim_sources OUT KERNEL...");
    mkdir(argv[1], 0777);
    char *include = gr_printf("%s/include", argv[1]);
    must(include && (mkdir(include, 0777) == 0 || true), "memory");
    struct gr_shim shim;
    for (int i = 0; gr_shim_at(i, &shim); i++)
        write_file(include, shim.name, shim.text);
    for (int i = 2; i < argc; i++)
        write_kernel(argv[1], argv[i]);
    free(include);
    return 0;
}

/* compile.c: compiles a user's CPU kernel into a shared object. SPDX-License-Identifier: MIT */
#include "backend/compile.h"

#include "base/cache.h"
#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/temporary.h"
#include "base/toolchain.h"
#include "catalog/catalog.h"
#include "emit/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t asking_limit_ns = 120LL * 1000000000;

/* "12.2.0", or "" if the compiler does not report a version. NOT_FOUND if it cannot be run. */
static enum gradus_status compiler_version(const char *compiler, char version[32],
                                           struct gradus_error *error)
{
    const char *argv[16] = {0};
    int argc = 0, exit_code = 1;
    char *storage = NULL;
    struct gr_str output = {0};
    enum gradus_status status = GRADUS_NOT_FOUND;
    if (gr_words_split(compiler, argv, &argc, 14, &storage) && argc > 0) {
        argv[argc++] = "-dumpfullversion";
        argv[argc] = NULL;
        status = gr_process_run(argv, NULL, asking_limit_ns, &output, &exit_code, error);
    }
    size_t length = strcspn(gr_str_text(&output), "\n");
    snprintf(version, 32, "%.*s", exit_code == 0 ? (int)length : 0, gr_str_text(&output));
    gr_str_free(&output);
    free(storage);
    return status;
}

/* Chooses the compiler that the user named, or the first of the usual ones that runs. */
static enum gradus_status choose_compiler(const char *wanted, const char **compiler,
                                          char version[32], struct gradus_error *error)
{
    const char *usual[] = {getenv("CC"), "cc", "gcc", "clang"};
    if (wanted) {
        *compiler = wanted;
        enum gradus_status status = compiler_version(wanted, version, error);
        return status == GRADUS_NOT_FOUND
                   ? gr_fail(error, GRADUS_UNSUPPORTED, "compiler '%s' cannot be run", wanted)
                   : status;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        *compiler = usual[i];
        if (!usual[i] || !*usual[i])
            continue;
        enum gradus_status status = compiler_version(usual[i], version, error);
        if (status != GRADUS_NOT_FOUND)
            return status;
    }
    return gr_fail(
        error, GRADUS_UNSUPPORTED,
        "no C compiler to build the kernel with: apt-get install gcc, or name one with --cc");
}

/* Writes the headers that a kernel may include (ukr.h, gradus/gradus.h) and launch.h, which the
 * stub includes, from the binary, so that an installed gradus needs no source tree. */
static enum gradus_status put_headers(const char *directory, struct gradus_error *error)
{
    static const struct {
        const char *embedded, *below, *name;
    } headers[] = {
        {"src/records/launch.h", "/records", "launch.h"},
        {"kernels/cpu/ukr.h", "", "ukr.h"},
        {"include/gradus/gradus.h", "/gradus", "gradus.h"},
    };
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; status == GRADUS_OK && i < sizeof headers / sizeof *headers; i++) {
        const struct gr_embedded *header = gr_embedded_find(headers[i].embedded);
        if (!header)
            continue;
        char *folder = gr_printf("%s%s", directory, headers[i].below), *old = NULL;
        char *path = folder ? gr_printf("%s/%s", folder, headers[i].name) : NULL;
        size_t length = 0;
        status = path ? gr_dir_make(folder, error) : gr_fail_memory(error, "a path", 0);
        bool same = path && gr_file_read(path, &old, &length, NULL) == GRADUS_OK &&
                    length == header->length && memcmp(old, header->text, length) == 0;
        if (status == GRADUS_OK && !same)
            status = gr_file_write(path, header->text, header->length, error);
        free(old);
        free(path);
        free(folder);
    }
    return status;
}

/* *directory is malloc'ed. If the cache folder cannot be written, for example because its disk
 * is full, another folder is tried. */
static enum gradus_status write_headers(char **directory, struct gradus_error *error)
{
    static const char below[] = "include";
    enum gradus_status status = gr_cache_dir(below, directory, error);
    if (status == GRADUS_OK)
        status = put_headers(*directory, error);
    if (status != GRADUS_IO)
        return status;
    free(*directory);
    status = gr_cache_dir_fallback(below, directory, error);
    return status == GRADUS_OK ? put_headers(*directory, error) : status;
}

/* Chooses the options: the user's, else the file's, else the default. */
static void choose_flags(const struct gr_kernel *kernel, const char *given, struct gr_str *flags)
{
    if (given) {
        gr_str_add(flags, given);
        return;
    }
    for (int i = 0; i < kernel->flags.count; i++)
        gr_str_printf(flags, "%s%s", i ? " " : "", kernel->flags.items[i].text);
    if (kernel->flags.count == 0)
        gr_str_add(flags, "-O3 -march=native");
}

/* Without the option the compiler skips such lines, and the kernel runs on one thread. */
static void note_openmp(const struct gr_kernel *kernel, const char *flags,
                        struct gr_artifact *artifact)
{
    if (strstr(kernel->source, "#pragma omp") && !strstr(flags, "-fopenmp") &&
        !strstr(flags, "-qopenmp"))
        snprintf(artifact->notes, sizeof artifact->notes,
                 "has `#pragma omp` and is compiled without -fopenmp, so that it is ignored: //@ "
                 "flags %s -fopenmp, or --flags",
                 flags);
}

/* Options after the user's: a kernel that is compiled to be run is compiled without warnings. One
 * that is wrong is compiled again, with those that are rarely false, as errors, so that the log has
 * them. An optimising compiler only sees which variables are not set. */
static const char *const silent[] = {"-w", NULL};
static const char *const strict[] = {"-Werror=uninitialized",  "-Werror=maybe-uninitialized",
                                     "-Werror=array-bounds",   "-Werror=sizeof-pointer-memaccess",
                                     "-Werror=sequence-point", NULL};

/* Runs the compiler on the stub. */
static enum gradus_status run_compiler(const struct gr_kernel *kernel, const char *compiler,
                                       const char *flags, const char *const *warnings,
                                       const char *headers, const char *stub, const char *object,
                                       struct gradus_error *error)
{
    enum { ROOM = 64 };
    const char *argv[ROOM + 24];
    int argc = 0;
    char *storage[2] = {0};
    char *folder = gr_strndup(kernel->path, (size_t)(gr_path_base(kernel->path) - kernel->path));
    char *include_file = gr_printf("-I%s", folder && *folder ? folder : ".");
    char *include_ours = gr_printf("-I%s", headers);
    enum gradus_status status = GRADUS_OK;
    if (!gr_words_split(compiler, argv, &argc, ROOM, &storage[0]) ||
        !gr_words_split(flags, argv, &argc, ROOM, &storage[1]))
        status = gr_fail(error, GRADUS_INVALID, "flags '%s': more than %d words", flags, ROOM);
    const char *rest[] = {"-std=gnu11", "-fPIC", "-shared", include_file, include_ours, stub,
                          "-o",         object,  "-lm",     "-lpthread",  NULL};
    for (; *warnings; warnings++)
        argv[argc++] = *warnings;
    memcpy(argv + argc, rest, sizeof rest);
    const struct gr_toolchain_step step = {
        .argv = argv, .source = kernel->path, .what = "compile", .output = object, .program = true};
    if (status == GRADUS_OK)
        status = gr_toolchain_run(&step, error);
    free(storage[0]);
    free(storage[1]);
    free(include_file);
    free(include_ours);
    free(folder);
    return status;
}

static enum gradus_status compile(const struct gr_variant *variant, const struct gr_build *build,
                                  const char *const *warnings, struct gr_artifact *artifact,
                                  struct gradus_error *error)
{
    const struct gr_kernel *kernel = variant->kernel;
    const char *compiler;
    char version[32], stub_path[512] = "", *headers = NULL;
    int stub_pending = -1;
    struct gr_str stub = {0}, flags = {0};
    snprintf(artifact->symbol, sizeof artifact->symbol, "gr_entry");
    enum gradus_status status = choose_compiler(build->compiler, &compiler, version, error);
    if (status == GRADUS_OK)
        status = gr_stub_write(variant, artifact->symbol, kernel->path, &stub, error);
    if (status == GRADUS_OK)
        status = write_headers(&headers, error);
    if (status == GRADUS_OK)
        status = gr_temporary_make(".c", stub_path, sizeof stub_path, &stub_pending, error);
    if (status == GRADUS_OK)
        status = gr_temporary_fill(stub_path, gr_str_text(&stub), stub.length, error);
    if (status == GRADUS_OK)
        status = gr_temporary_make(".so", artifact->path, sizeof artifact->path, &artifact->pending,
                                   error);
    if (status == GRADUS_OK) {
        choose_flags(kernel, build->flags, &flags);
        snprintf(artifact->flags, sizeof artifact->flags, "%s %s %s", gr_path_base(compiler),
                 version, gr_str_text(&flags));
        note_openmp(kernel, gr_str_text(&flags), artifact);
        status = run_compiler(kernel, compiler, gr_str_text(&flags), warnings, headers, stub_path,
                              artifact->path, error);
    }
    gr_temporary_remove(stub_path, stub_pending);
    gr_str_free(&stub);
    gr_str_free(&flags);
    free(headers);
    return status;
}

enum gradus_status gr_compile_c(const struct gr_variant *variant, const struct gr_build *build,
                                struct gr_artifact *artifact, struct gradus_error *error)
{
    return compile(variant, build, silent, artifact, error);
}

/* The first message of the log that is one of our warnings: "mine.c:4:11: error: 'sum' is used
 * uninitialized [-Werror=uninitialized]". */
static char *first_warning(const char *log, const char *path, int *line)
{
    static const char sign[] = ": error: ";
    for (; *log; log += strcspn(log, "\n"), log += *log == '\n') {
        const size_t length = strcspn(log, "\n"), name = strlen(path);
        const char *text = memmem(log, length, sign, strlen(sign));
        const char *option = memmem(log, length, " [-Werror", strlen(" [-Werror"));
        if (!text || !option || option < text)
            continue;
        text += strlen(sign);
        *line = strncmp(log, path, name) == 0 && log[name] == ':' ? atoi(log + name + 1) : 0;
        return gr_strndup(text, (size_t)(option - text));
    }
    return NULL;
}

char *gr_compile_warning(const struct gr_variant *variant, const struct gr_build *build, int *line)
{
    struct gr_artifact artifact = {.pending = -1};
    struct gradus_error error = {0};
    char *text = NULL;
    if (compile(variant, build, strict, &artifact, &error) == GRADUS_COMPILE && error.log)
        text = first_warning(error.log, variant->kernel->path, line);
    gr_temporary_remove(artifact.path, artifact.pending);
    gradus_error_clear(&error);
    return text;
}

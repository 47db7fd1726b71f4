/* compile.c: a user's CPU kernel becomes a shared object. SPDX-License-Identifier: MIT */
#include "backend/compile.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "catalog/catalog.h"
#include "catalog/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t compile_limit_ns = 120LL * 1000000000;

/* "12.2.0", or "" where the compiler does not say. NOT_FOUND when it cannot be run. */
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
        status = gr_process_run(argv, compile_limit_ns, &output, &exit_code, error);
    }
    size_t length = strcspn(gr_str_text(&output), "\n");
    snprintf(version, 32, "%.*s", exit_code == 0 ? (int)length : 0, gr_str_text(&output));
    gr_str_free(&output);
    free(storage);
    return status;
}

/* The compiler to use: what the user named, or the first of the usual ones that runs. */
static enum gradus_status choose_compiler(const char *wanted, const char **compiler,
                                          char version[32], struct gradus_error *error)
{
    const char *usual[] = {getenv("CC"), "cc", "gcc", "clang"};
    if (wanted) {
        *compiler = wanted;
        if (compiler_version(wanted, version, error) == GRADUS_OK)
            return GRADUS_OK;
        return gr_fail(error, GRADUS_UNSUPPORTED, "compiler '%s' cannot be run", wanted);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        *compiler = usual[i];
        if (usual[i] && *usual[i] && compiler_version(usual[i], version, NULL) == GRADUS_OK)
            return GRADUS_OK;
    }
    return gr_fail(
        error, GRADUS_UNSUPPORTED,
        "no C compiler to build the kernel with: apt-get install gcc, or name one with --cc");
}

/* Headers a kernel may include (ukr.h, gradus/gradus.h) and launch.h, which the stub does: written
 * out from the binary, so that an installed gradus needs no source tree. *directory is malloc'ed.
 */
static enum gradus_status write_headers(char **directory, struct gradus_error *error)
{
    static const struct {
        const char *embedded, *below, *name;
    } headers[] = {
        {"src/core/launch.h", "include/core", "launch.h"},
        {"kernels/cpu/ukr.h", "include", "ukr.h"},
        {"include/gradus/gradus.h", "include/gradus", "gradus.h"},
    };
    enum gradus_status status = gr_cache_dir("include", directory, error);
    for (size_t i = 0; status == GRADUS_OK && i < sizeof headers / sizeof *headers; i++) {
        const struct gr_embedded *header = gr_embedded_find(headers[i].embedded);
        if (!header)
            continue;
        char *folder = NULL, *path = NULL, *old = NULL;
        size_t length = 0;
        status = gr_cache_dir(headers[i].below, &folder, error);
        if (status == GRADUS_OK)
            path = gr_printf("%s/%s", folder, headers[i].name);
        bool same = path && gr_file_read(path, &old, &length, NULL) == GRADUS_OK &&
                    length == header->length && memcmp(old, header->text, length) == 0;
        if (path && !same)
            status = gr_file_write(path, header->text, header->length, error);
        free(old);
        free(path);
        free(folder);
    }
    return status;
}

/* The flags of the build: what the user gave, else the file's own, else the default. */
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

/* Runs the compiler on the stub. */
static enum gradus_status run_compiler(const struct gr_kernel *kernel, const char *compiler,
                                       const char *flags, const char *headers, const char *stub,
                                       const char *object, struct gradus_error *error)
{
    enum { ROOM = 64 };
    const char *argv[ROOM + 16];
    int argc = 0, exit_code = 1;
    char *storage[2] = {0};
    char *folder = gr_strndup(kernel->path, (size_t)(gr_path_base(kernel->path) - kernel->path));
    char *include_file = gr_printf("-I%s", folder && *folder ? folder : ".");
    char *include_ours = gr_printf("-I%s", headers);
    enum gradus_status status = GRADUS_OK;
    if (!gr_words_split(compiler, argv, &argc, ROOM, &storage[0]) ||
        !gr_words_split(flags, argv, &argc, ROOM, &storage[1]))
        status = gr_fail(error, GRADUS_INVALID, "flags '%s': more than %d words", flags, ROOM);
    const char *rest[] = {"-std=gnu11", "-fPIC", "-shared", "-w",  include_file, include_ours,
                          stub,         "-o",    object,    "-lm", "-lpthread",  NULL};
    memcpy(argv + argc, rest, sizeof rest);
    struct gr_str output = {0};
    if (status == GRADUS_OK)
        status = gr_process_run(argv, compile_limit_ns, &output, &exit_code, error);
    if (status == GRADUS_OK && exit_code != 0) {
        status = gr_fail(error, GRADUS_COMPILE, "%s: %s does not compile it (exit %d)",
                         kernel->path, compiler, exit_code);
        if (error)
            error->log = gr_strdup(gr_str_text(&output));
    }
    gr_str_free(&output);
    free(storage[0]);
    free(storage[1]);
    free(include_file);
    free(include_ours);
    free(folder);
    return status;
}

enum gradus_status gr_compile_c(const struct gr_variant *variant, const struct gr_build *build,
                                struct gr_artifact *artifact, struct gradus_error *error)
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
        status = gr_file_temporary(".c", stub_path, sizeof stub_path, &stub_pending, error);
    if (status == GRADUS_OK)
        status = gr_file_write(stub_path, gr_str_text(&stub), stub.length, error);
    if (status == GRADUS_OK)
        status = gr_file_temporary(".so", artifact->path, sizeof artifact->path, &artifact->pending,
                                   error);
    if (status == GRADUS_OK) {
        choose_flags(kernel, build->flags, &flags);
        snprintf(artifact->flags, sizeof artifact->flags, "%s %s %s", gr_path_base(compiler),
                 version, gr_str_text(&flags));
        status = run_compiler(kernel, compiler, gr_str_text(&flags), headers, stub_path,
                              artifact->path, error);
    }
    if (*stub_path)
        unlink(stub_path);
    gr_file_forget(stub_pending);
    gr_str_free(&stub);
    gr_str_free(&flags);
    free(headers);
    return status;
}

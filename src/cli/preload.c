/* preload.c: finds libgradus.so, and makes the environment that preloads it.
 * SPDX-License-Identifier: MIT */
#include "cli/preload.h"

#include "core/error.h"
#include "base/file.h"
#include "base/spawn.h"
#include "base/str.h"
#include "core/ledger.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(number) #number
#define NUMBER(macro) WORD(macro)
static const char *const sonames[] = {"libgradus.so." NUMBER(GRADUS_VERSION_MAJOR),
                                      "libgradus-cublas.so." NUMBER(GRADUS_VERSION_MAJOR),
                                      "libgradus-pblas.so." NUMBER(GRADUS_VERSION_MAJOR)};

/* Relative to the folder of the program: first the build tree, then an installation. */
static const char *const folders[] = {".", GRADUS_BIN_TO_LIB, "../lib", "../lib64"};

/* LD_PRELOAD separates its paths by blanks and colons, and a relative path would be relative to the
 * program's working folder. */
static enum gradus_status accept(char *path, char **found, struct gradus_error *error)
{
    char *real = realpath(path, NULL);
    free(path);
    if (!real)
        return gr_fail_memory(error, "a path", PATH_MAX);
    if (strpbrk(real, " \t\n:")) {
        const enum gradus_status status =
            gr_fail(error, GRADUS_INVALID,
                    "exec: '%.200s': LD_PRELOAD cannot hold a path with blanks or colons; install "
                    "or copy the library elsewhere and name it in GRADUS_LIBRARY",
                    real);
        free(real);
        return status;
    }
    *found = real;
    return GRADUS_OK;
}

enum gradus_status gr_preload_find(enum gr_preload_for whose, char **path,
                                   struct gradus_error *error)
{
    const char *soname = sonames[whose];
    const char *named = getenv("GRADUS_LIBRARY");
    if (named && *named) {
        if (!gr_file_exists(named))
            return gr_fail(error, GRADUS_NOT_FOUND, "exec: GRADUS_LIBRARY: no file '%.200s'",
                           named);
        return accept(gr_strdup(named), path, error);
    }
    char program[PATH_MAX] = "", *self = gr_spawn_self_file();
    if (self)
        snprintf(program, sizeof program, "%s", self);
    free(self);
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
        char *file = gr_printf("%s/%s/%s", program, folders[i], soname);
        if (file && gr_file_exists(file))
            return accept(file, path, error);
        free(file);
    }
    return gr_fail(error, GRADUS_NOT_FOUND,
                   "exec: no %s beside the program (in '%.200s') or in its lib folder; build it "
                   "(make build) or name it in GRADUS_LIBRARY",
                   soname, program);
}

extern char **environ;

static bool replaced(const char *entry, const struct gr_preload *p)
{
    return gr_starts_with(entry, "LD_PRELOAD=") || gr_starts_with(entry, GR_LEDGER_VARIABLE "=") ||
           (p->threads && gr_starts_with(entry, "GRADUS_NUM_THREADS=")) ||
           (p->math && gr_starts_with(entry, "GRADUS_MATH=")) ||
           (p->timed && gr_starts_with(entry, "GRADUS_GPU_TIME="));
}

char **gr_preload_environment(const struct gr_preload *p)
{
    int count = 0, kept = 0, wanted = 0;
    while (environ[count])
        count++;
    char **copy = calloc((size_t)count + 6, sizeof *copy);
    if (!copy)
        return NULL;
    for (int i = 0; i < count; i++)
        if (!replaced(environ[i], p) && ++wanted)
            copy[kept++] = gr_strdup(environ[i]);
    const char *before = getenv("LD_PRELOAD");
    copy[kept++] = gr_printf("LD_PRELOAD=%s%s%s", p->library, before && *before ? ":" : "",
                             before ? before : "");
    if (p->ledger)
        copy[kept++] = gr_printf(GR_LEDGER_VARIABLE "=%s", p->ledger);
    if (p->threads)
        copy[kept++] = gr_printf("GRADUS_NUM_THREADS=%s", p->threads);
    if (p->math)
        copy[kept++] = gr_printf("GRADUS_MATH=%s", p->math);
    if (p->timed)
        copy[kept++] = gr_strdup("GRADUS_GPU_TIME=1");
    wanted += 1 + p->timed + (p->ledger != NULL) + (p->threads != NULL) + (p->math != NULL);
    for (int i = 0; i < wanted; i++)
        /* Memory ran out, and an entry is missing; the entries after it are leaked. */
        if (!copy[i]) {
            gr_preload_environment_free(copy);
            return NULL;
        }
    return copy;
}

void gr_preload_environment_free(char **environment)
{
    for (int i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

/* missing_headers.c: finds the includes of a file that nothing resolves. SPDX-License-Identifier:
 * MIT */
#include "emit/missing_headers.h"

#include "base/file.h"
#include "base/str.h"
#include "source/project.h"
#include "emit/shims.h"
#include "emit/standins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 4 };

/* Of the toolkit: what device code needs of them is provided, the others are for host code. */
static bool is_of_toolkit(const char *name)
{
    static const char *const heads[] = {
        "cuda",    "cublas",  "cudnn",   "curand", "cusparse", "cusolver", "cufft", "nccl", "nv",
        "device_", "vector_", "driver_", "hip/",   "rocblas",  "thrust/",  "mma.h", "sm_",  NULL};
    for (int i = 0; heads[i]; i++)
        if (gr_starts_with(name, heads[i]))
            return true;
    struct gr_shim shim;
    for (int i = 0; gr_shim_at(i, &shim); i++)
        if (strcmp(shim.name, name) == 0)
            return true;
    for (int i = 0; gr_standin_at(i); i++)
        if (strcmp(gr_standin_at(i)->name, name) == 0)
            return true;
    return false;
}

static bool is_in(const char *folder, size_t length, const char *name)
{
    char *path = gr_printf("%.*s/%s", (int)length, folder, name);
    const bool is = path && gr_file_exists(path);
    free(path);
    return is;
}

/* Is it in a folder of `-I`? */
static bool is_in_flags(const char *flags, const char *name)
{
    bool is = false;
    for (const char *p = flags ? strstr(flags, "-I") : NULL; p && !is; p = strstr(p, "-I")) {
        p += strlen("-I");
        p += strspn(p, " ");
        is = is_in(p, strcspn(p, " "), name);
    }
    return is;
}

static bool is_on_machine(const char *name)
{
    static const char *const folders[] = {"/usr/include", "/usr/local/include",
                                          "/usr/local/cuda/include", NULL};
    bool is = !strchr(name, '.'); /* of C++ */
    for (int i = 0; folders[i] && !is; i++)
        is = is_in(folders[i], strlen(folders[i]), name);
    return is;
}

/* The name that a line `#include "name"` or `<name>` includes, malloc'ed; else null. */
static char *included(const char *line)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line += 1 + strspn(line + 1, " \t");
    if (!gr_starts_with(line, "include"))
        return NULL;
    line += strlen("include");
    line += strspn(line, " \t");
    return *line == '"' || *line == '<' ? gr_strndup(line + 1, strcspn(line + 1, "\">\n")) : NULL;
}

void gr_missing_headers_tell(const struct gr_kernel *kernel, const char *flags,
                             struct gradus_error *error)
{
    struct gr_project project = gr_project_of(kernel->path);
    struct gr_str missing = {0};
    int count = 0;
    for (const char *p = kernel->source; p && *p && kernel->language == GR_LANGUAGE_CUDA;) {
        char *name = included(p), *header = NULL;
        const bool given = !name || is_of_toolkit(name) || is_on_machine(name) ||
                           is_in_flags(flags, name) ||
                           (header = gr_project_header(&project, kernel->path, name)) != NULL;
        if (!given && count++ < MOST_NAMED)
            gr_str_printf(&missing, "%s%s", missing.length ? ", " : "", name);
        free(name);
        free(header);
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    const size_t length = strlen(error->text);
    if (count)
        snprintf(error->text + length, sizeof error->text - length,
                 "; not found: %.150s%s: name their folder%s, as --flags -I/path/to/include",
                 gr_str_text(&missing), count > MOST_NAMED ? " and others" : "",
                 count > 1 ? "s" : "");
    gr_str_free(&missing);
    gr_project_free(&project);
}

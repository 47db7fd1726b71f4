/* parse.c: reads one kernel file into a struct gr_kernel, and frees it.
 * SPDX-License-Identifier: MIT */
#include "catalog/catalog.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "source/python.h"
#include "catalog/frontmatter.h"
#include "catalog/given_constants.h"
#include "catalog/included.h"
#include "catalog/keywords.h"
#include "catalog/names.h"
#include "catalog/parameters.h"
#include "catalog/plain_parameters.h"
#include "catalog/signature.h"
#include "catalog/variant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool gr_is_c_path(const char *path)
{
    const char *base = gr_path_base(path);
    return !strchr(base, '.') || gr_ends_with(base, ".c");
}

/* "kernels/gpu/07_tile2d.cu" has number 7 and name "07_tile2d". */
static bool name_kernel(struct gr_kernel *k, const char *path, const char *own, const char *extra)
{
    const char *base = gr_path_base(path), *dot = strchr(base, '.');
    k->path = gr_strdup(path);
    k->language = gr_is_c_path(path) ? GR_LANGUAGE_C : GR_LANGUAGE_CUDA;
    struct gr_plain_notes notes = {0};
    char *given = k->language == GR_LANGUAGE_CUDA ? gr_given_constants(path, own, extra) : NULL;
    const char *text = given ? given : own;
    char *plain =
        k->language == GR_LANGUAGE_CUDA ? gr_plain_parameters(path, NULL, text, &notes) : NULL;
    gr_plain_notes_take(&notes, k);
    k->source = plain ? plain : gr_strdup(text);
    free(given);
    k->name = gr_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    k->number = -1;
    size_t digits = strspn(base, "0123456789");
    if (digits >= 1 && digits <= 4 && base[digits] == '_')
        k->number = atoi(base);
    return k->path && k->source && k->name;
}

enum gradus_status gr_kernel_parse(const char *path, const char *text, const char *extra,
                                   struct gr_kernel **kernel, struct gradus_error *error)
{
    *kernel = NULL;
    struct gr_kernel *k = calloc(1, sizeof *k);
    if (!k || !name_kernel(k, path, text, extra) || (extra && !(k->extra = gr_strdup(extra)))) {
        gr_kernel_free(k);
        return gr_fail_memory(error, path, strlen(text));
    }
    enum gradus_status status = gr_front_matter_read(k, extra, error);
    if (status == GRADUS_OK && !k->misplaced.keyword)
        status = gr_workload_lines_check(k, error);
    if (status == GRADUS_OK)
        status = gr_names_check(k, error);
    if (status == GRADUS_OK)
        status = gr_keywords_check(k, error);
    if (status == GRADUS_OK)
        status = gr_included_enter(k, error);
    if (status == GRADUS_OK)
        status = gr_signatures_read(k, error);
    if (status == GRADUS_OK) /* again, because `args` lines may have added expressions */
        status = gr_names_check(k, error);
    if (status != GRADUS_OK) {
        gr_kernel_free(k);
        return status;
    }
    gr_layout_mirror(k);
    *kernel = k;
    return GRADUS_OK;
}

/* Is it a C++ file that includes HIP's header or contains kernels? HIP files often have a C++
 * extension. */
static bool holds_kernels(const char *path)
{
    struct gradus_error ignored = {0};
    char *text = NULL;
    size_t length;
    bool holds = gr_file_read(path, &text, &length, &ignored) == GRADUS_OK &&
                 (strstr(text, "hip/hip_runtime.h") || strstr(text, "__global__"));
    gradus_error_clear(&ignored);
    free(text);
    return holds;
}

static bool ends_with_any(const char *path, const char *const *kinds)
{
    for (; *kinds; kinds++)
        if (gr_ends_with(path, *kinds))
            return true;
    return false;
}

bool gr_is_cuda_path(const char *path)
{
    static const char *const kinds[] = {".cu", ".cuh", ".hip", ".hip.cpp", NULL};
    static const char *const plain[] = {".cpp", ".hpp", ".cc", ".cxx", ".h", ".hh", ".inl", NULL};
    return ends_with_any(path, kinds) ||
           ((ends_with_any(path, plain) || gr_is_python_path(path)) && holds_kernels(path));
}

enum gradus_status gr_path_kind_check(const char *path, struct gradus_error *error)
{
    const char *dot = strrchr(gr_path_base(path), '.');
    if (!dot || strcmp(dot, ".c") == 0 || gr_is_cuda_path(path))
        return GRADUS_OK;
    const char *remedy =
        strcmp(dot, ".cl") == 0
            ? "; OpenCL is not read: write __kernel as __global__, __local as __shared__, "
              "get_global_id(0) as blockIdx.x*blockDim.x+threadIdx.x, in a .cu"
        : gr_is_python_path(path) ? ", which may be in strings of a Python file: this one has none"
                                  : "";
    return gr_fail(error, GRADUS_INVALID,
                   "%s: found a file of kind '%s', wanted C (.c), CUDA C (.cu, .cuh, .hip) or "
                   "C++ with __global__ functions%s",
                   path, dot, remedy);
}

/* A file that was saved from a notebook's cell begins with `%%writefile gemm.cu` or the like, which
 * becomes a comment. */
static void blank_notebook_line(char *text)
{
    char *first = text + strspn(text, " \t\r\n");
    if (gr_starts_with(first, "%%"))
        memcpy(first, "//", 2);
}

/* The kernels of a Python file are in its strings. */
static enum gradus_status take_device_text(char **source, struct gradus_error *error)
{
    char *text = gr_python_device_text(*source);
    if (!text)
        gr_fail_memory(error, "a Python file", strlen(*source));
    free(*source);
    *source = text;
    return text ? GRADUS_OK : GRADUS_NO_MEMORY;
}

/* Reads the file's text, removes a byte order mark and normalizes line ends. */
static enum gradus_status read_source(const char *path, char **source, struct gradus_error *error)
{
    char *text;
    size_t length;
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    if (status != GRADUS_OK)
        return status;
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    char *from = gr_starts_with(text, byte_order_mark) ? text + 3 : text;
    status = gr_path_kind_check(path, error);
    if (status == GRADUS_OK && strlen(text) != length)
        status = gr_fail(error, GRADUS_INVALID,
                         "%s: a zero byte at offset %zu, wanted the text of a kernel", path,
                         strlen(text));
    char *to = text;
    blank_notebook_line(from);
    for (; status == GRADUS_OK && *from; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = 0;
    *source = status == GRADUS_OK ? text : NULL;
    if (status != GRADUS_OK)
        free(text);
    return status == GRADUS_OK && gr_is_python_path(path) ? take_device_text(source, error)
                                                          : status;
}

enum gradus_status gr_kernel_read(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error)
{
    *kernel = NULL;
    char *source;
    enum gradus_status status = read_source(path, &source, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_kernel_parse(path, source, extra, kernel, error);
    free(source);
    return status;
}

static enum gradus_status open_file(const char *path, const char *extra, bool enters,
                                    struct gr_kernel **kernel, struct gradus_error *error)
{
    *kernel = NULL;
    char *source;
    enum gradus_status status = read_source(path, &source, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_kernel *k = calloc(1, sizeof *k);
    if (!k || !name_kernel(k, path, source, extra) || (extra && !(k->extra = gr_strdup(extra))))
        status = gr_fail_memory(error, path, strlen(source));
    if (status == GRADUS_OK)
        status = gr_front_matter_read(k, extra, error);
    if (status == GRADUS_OK && enters)
        status = gr_included_enter(k, error);
    free(source);
    if (status == GRADUS_OK)
        *kernel = k;
    else
        gr_kernel_free(k);
    return status;
}

enum gradus_status gr_kernel_open(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error)
{
    return open_file(path, extra, true, kernel, error);
}

enum gradus_status gr_kernel_open_alone(const char *path, const char *extra,
                                        struct gr_kernel **kernel, struct gradus_error *error)
{
    return open_file(path, extra, false, kernel, error);
}

void gr_let_clear(struct gr_let *let)
{
    free(let->name.text);
    free(let->value.text);
    free(let->choices);
}

static void free_lets(struct gr_let *lets, int count)
{
    for (int i = 0; i < count; i++)
        gr_let_clear(&lets[i]);
    free(lets);
}

static void free_stanza(struct gr_stanza *s)
{
    free(s->kernel.text);
    gr_texts_clear(&s->grid);
    gr_texts_clear(&s->block);
    gr_texts_clear(&s->cluster);
    gr_texts_clear(&s->args);
    free(s->smem.text);
    free(s->when.text);
    gr_signature_free(&s->signature);
}

static void free_definitions(struct gr_kernel *k)
{
    for (int i = 0; i < k->param_count; i++) {
        free(k->params[i].name.text);
        free(k->params[i].allowed);
    }
    free(k->params);
    free_lets(k->lets, k->let_count);
    free_lets(k->args, k->arg_count);
    free(k->least.text);
    for (int i = 0; i < k->size_count; i++)
        free(k->sizes[i].name.text);
    free(k->sizes);
    for (int i = 0; i < k->array_count; i++) {
        free(k->arrays[i].name.text);
        gr_texts_clear(&k->arrays[i].extents);
    }
    free(k->arrays);
    free(k->flop.text);
    free(k->bytes.text);
    for (int i = 0; i < k->work_count; i++) {
        free(k->works[i].name.text);
        free(k->works[i].count.text);
    }
    free(k->works);
    for (int i = 0; i < k->map_count; i++) {
        free(k->maps[i].name.text);
        gr_texts_clear(&k->maps[i].box);
    }
    free(k->maps);
    for (int i = 0; i < k->require_count; i++) {
        free(k->requires[i].expression.text);
        free(k->requires[i].why);
    }
    free(k->requires);
    for (int i = 0; i < k->expect_count; i++) {
        free(k->expects[i].expression.text);
        free(k->expects[i].arch);
    }
    free(k->expects);
    for (int i = 0; i < k->tuned_count; i++)
        free(k->tuned[i].arch);
    free(k->tuned);
}

void gr_kernel_free(struct gr_kernel *k)
{
    if (!k)
        return;
    void *const strings[] = {k->name,          k->path,
                             k->source,        k->extra,
                             k->title,         k->after,
                             k->origin,        k->picture,
                             k->math,          k->arch,
                             k->includer,      k->includer_source,
                             k->before,        k->included_kernels,
                             k->launch_origin, k->only_size,
                             k->code.image,    k->code.symbol,
                             k->code.compiler, k->code.lines_of};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    gr_texts_clear(&k->ideas);
    gr_texts_clear(&k->isa);
    gr_texts_clear(&k->flags);
    free(k->types);
    free_definitions(k);
    struct gr_plain_notes none = {0};
    gr_plain_notes_take(&none, k);
    for (int i = 0; i < k->stanza_count; i++)
        free_stanza(&k->stanzas[i]);
    free(k->stanzas);
    free(k);
}

/* workload_lines.c: the lines with which a file that is not a GEMM describes its computation:
 * `size`, `array`, `flop` and `bytes`. SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "catalog/names.h"
#include "records/problem.h"
#include "source/place.h"

#include "base/str.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The size of that name, in an option; null: there is none yet. */
static struct gr_kernel_size *find_size(const struct gr_kernel *k, const char *name)
{
    for (int i = 0; i < k->size_count; i++)
        if (strcmp(k->sizes[i].name.text, name) == 0)
            return &k->sizes[i];
    return NULL;
}

/* NAME = VALUE. */
static enum gradus_status read_size_fields(struct gr_cursor *c, struct gr_kernel_size *size)
{
    char text[200];
    enum gradus_status status = gr_cursor_name(c, "the name of a size", &size->name);
    if (status == GRADUS_OK && !gr_cursor_accept(c, '='))
        status = gr_cursor_fail(c, "found %s, wanted '=' after '%s'",
                                gr_cursor_found(c, text, sizeof text), size->name.text);
    const struct gr_cursor at = *c;
    if (status == GRADUS_OK)
        status = gr_cursor_integer(c, "a value", &size->value);
    if (status == GRADUS_OK)
        status = gr_cursor_done(c, "the value");
    if (status == GRADUS_OK && size->value < 0)
        status = gr_cursor_fail(&at, "size %s is %" PRId64 ", wanted 0 or more", size->name.text,
                                size->value);
    return status;
}

/* If a file has `size` lines, they list all of its sizes, and an option can only change the value
 * of one of them. If it has none, the options define its sizes. */
static enum gradus_status change_size(const struct gr_reader *r, const struct gr_cursor *at,
                                      const struct gr_kernel_size *size)
{
    const char *names[GR_MAX_SIZES];
    struct gr_kernel *k = r->kernel;
    struct gr_kernel_size *known = find_size(k, size->name.text);
    if (known && known->is_given)
        return gr_cursor_fail(at, "size %s a second time", size->name.text);
    if (known) {
        known->value = size->value;
        known->is_given = true;
        return GRADUS_OK;
    }
    for (int i = 0; i < k->size_count; i++)
        names[i] = k->sizes[i].name.text;
    const char *near = gr_nearest(size->name.text, names, (size_t)k->size_count);
    return gr_cursor_fail(at, "the file has no size '%s'%s%s%s", size->name.text,
                          near ? "; did you mean '" : ", wanted one of its `size` lines",
                          near ? near : "", near ? "'?" : "");
}

static enum gradus_status add_size(struct gr_reader *r, const struct gr_cursor *at,
                                   struct gr_kernel_size *size)
{
    struct gr_kernel *k = r->kernel;
    struct gr_kernel_size *slot;
    enum gradus_status status = gr_size_name_free(k, &size->name, r->error);
    if (status == GRADUS_OK && k->size_count == GR_MAX_SIZES)
        status = gr_cursor_fail(at, "more than %d sizes", GR_MAX_SIZES);
    if (status != GRADUS_OK)
        return status;
    GR_PUSH(slot, k->sizes, k->size_count);
    if (!slot)
        return gr_reader_no_memory(r);
    size->is_given = r->extra;
    *slot = *size;
    size->name.text = NULL; /* the kernel has it now */
    return GRADUS_OK;
}

static enum gradus_status read_size(struct gr_reader *r, struct gr_cursor *c)
{
    const struct gr_kernel *k = r->kernel;
    const bool in_file = k->size_count > 0 && !k->sizes[0].name.place.option;
    struct gr_kernel_size size = {0};
    gr_cursor_ends(c); /* to the name, for its place */
    const struct gr_cursor at = *c;
    enum gradus_status status = read_size_fields(c, &size);
    if (status == GRADUS_OK)
        status = r->extra && in_file ? change_size(r, &at, &size) : add_size(r, &at, &size);
    free(size.name.text);
    return status;
}

enum gradus_status gr_read_size(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_size(r, &item);
    return status;
}

/* `in`, `out` or `inout`. */
static bool read_direction(const char *word, struct gr_kernel_array *a)
{
    a->is_read = strcmp(word, "in") == 0 || strcmp(word, "inout") == 0;
    a->is_written = strcmp(word, "out") == 0 || strcmp(word, "inout") == 0;
    return a->is_read || a->is_written;
}

/* The last word before the brackets is the element type; before it is the name, and before that the
 * direction. An array may be called `in` or `out`, which is its direction, too. */
static enum gradus_status read_array_fields(struct gr_reader *r, struct gr_cursor *c,
                                            struct gr_kernel_array *a)
{
    struct gr_cursor inside;
    enum gradus_status status = gr_cursor_name(c, "the name of an array", &a->name);
    if (status == GRADUS_OK && read_direction(a->name.text, a)) {
        struct gr_cursor after = *c;
        struct gr_text word = {0};
        const bool named = gr_cursor_name(&after, "a type", &word) == GRADUS_OK &&
                           !gr_cursor_ends(&after) && !gr_cursor_accept(&after, '[');
        free(word.text);
        if (named) /* a direction, and the name behind it */
            status = gr_cursor_name(c, "the name of an array", &a->name);
    }
    if (status == GRADUS_OK)
        status = gr_size_name_free(r->kernel, &a->name, r->error);
    if (status == GRADUS_OK)
        status = gr_reader_element(c, &a->element_is_t, &a->type);
    if (status == GRADUS_OK)
        status = gr_reader_brackets(c, "its extents", &inside);
    if (status == GRADUS_OK)
        status = gr_reader_expressions(r, &inside, GR_MAX_EXTENTS, &a->extents);
    if (status == GRADUS_OK && a->extents.count == 0)
        status = gr_cursor_fail(&inside, "array %s has no extents, wanted them as in f32[N,M]",
                                a->name.text);
    return status == GRADUS_OK ? gr_cursor_done(c, "the extents") : status;
}

enum gradus_status gr_read_array(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_kernel *k = r->kernel;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        struct gr_kernel_array array = {0}, *slot;
        if (k->array_count == GR_MAX_ARRAYS)
            return gr_cursor_fail(&item, "more than %d arrays", GR_MAX_ARRAYS);
        status = read_array_fields(r, &item, &array);
        if (status == GRADUS_OK) {
            GR_PUSH(slot, k->arrays, k->array_count);
            if (slot) {
                *slot = array;
                continue;
            }
            status = gr_reader_no_memory(r);
        }
        free(array.name.text);
        gr_texts_clear(&array.extents);
    }
    return status;
}

/* An option replaces the file's. */
static enum gradus_status read_expression(struct gr_cursor *c, struct gr_text *expression)
{
    free(expression->text);
    expression->text = NULL;
    return gr_cursor_rest(c, "an expression", expression);
}

enum gradus_status gr_read_flop(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_expression(c, &r->kernel->flop);
}

enum gradus_status gr_read_bytes(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_expression(c, &r->kernel->bytes);
}

/* A keyword of the file that only a GEMM may have; null: there is none. */
static const char *keyword_of_gemm(const struct gr_kernel *k)
{
    if (k->trans_declared)
        return "trans";
    if (k->col_major_a || k->col_major_b || k->col_major_c)
        return "layout";
    return k->zero_c ? "zero" : k->map_count > 0 ? "map" : NULL;
}

/* Without an `array` line the kernel is a GEMM, which has no sizes or operations of its own. */
static enum gradus_status refuse_of_gemm(const struct gr_kernel *k, const struct gr_text *text,
                                         const char *keyword, struct gradus_error *error)
{
    return gr_fail_at(error, k->path, text->place,
                      "`%s` is for a kernel that is no GEMM, and no `array` line says that this is "
                      "one; add them, as `//@ array in x f32[N]`",
                      keyword);
}

enum gradus_status gr_workload_lines_check(const struct gr_kernel *k, struct gradus_error *error)
{
    const bool is_gemm = !gr_kernel_has_workload(k);
    const char *keyword = keyword_of_gemm(k);
    if (is_gemm && k->size_count > 0)
        return refuse_of_gemm(k, &k->sizes[0].name, "size", error);
    if (is_gemm && k->flop.text)
        return refuse_of_gemm(k, &k->flop, "flop", error);
    if (is_gemm && k->bytes.text)
        return refuse_of_gemm(k, &k->bytes, "bytes", error);
    if (!is_gemm && keyword)
        return gr_fail_at(error, k->path, k->arrays[0].name.place,
                          "`array` says that the kernel is no GEMM, and `%s` is for a GEMM; remove "
                          "one of them",
                          keyword);
    return GRADUS_OK;
}

enum gradus_status gr_workload_arrays_check(const struct gr_kernel *k, struct gradus_error *error)
{
    for (int i = 0; i < k->array_count; i++) {
        bool taken = false;
        for (int s = 0; s < k->stanza_count && !taken; s++)
            for (int j = 0; j < k->stanzas[s].signature.count; j++) {
                const struct gr_parameter *p = &k->stanzas[s].signature.parameters[j];
                taken |= p->role == GR_ROLE_ARRAY && p->index == i;
            }
        if (!taken)
            return gr_fail_at(error, k->path, k->arrays[i].name.place,
                              "%s takes no array '%s', wanted a pointer parameter of that name, or "
                              "an `args` line that says which parameter it is",
                              k->stanzas[0].signature.name, k->arrays[i].name.text);
    }
    return GRADUS_OK;
}

/* workload_lines.c: the lines by which a file says what it computes, where that is no GEMM: `size`,
 * `array`, `flop` and `bytes`. SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "catalog/names.h"
#include "records/problem.h"

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

/* NAME = VALUE. An option changes the value of a line. */
static enum gradus_status read_size(struct gr_reader *r, struct gr_cursor *c)
{
    char text[200];
    struct gr_kernel *k = r->kernel;
    struct gr_kernel_size size = {0}, *slot;
    enum gradus_status status = gr_cursor_name(c, "the name of a size", &size.name);
    if (status == GRADUS_OK && !gr_cursor_accept(c, '='))
        status = gr_cursor_fail(c, "found %s, wanted '=' after '%s'",
                                gr_cursor_found(c, text, sizeof text), size.name.text);
    if (status == GRADUS_OK)
        status = gr_cursor_integer(c, "a value", &size.value);
    if (status == GRADUS_OK)
        status = gr_cursor_done(c, "the value");
    if (status == GRADUS_OK && size.value < 0)
        status = gr_cursor_fail(c, "size %s is negative", size.name.text);
    struct gr_kernel_size *known = status == GRADUS_OK ? find_size(k, size.name.text) : NULL;
    if (known && r->extra) {
        known->value = size.value;
        free(size.name.text);
        return GRADUS_OK;
    }
    if (status == GRADUS_OK)
        status = gr_size_name_free(k, &size.name, r->error);
    if (status == GRADUS_OK && k->size_count == GR_MAX_SIZES)
        status = gr_cursor_fail(c, "more than %d sizes", GR_MAX_SIZES);
    if (status == GRADUS_OK) {
        GR_PUSH(slot, k->sizes, k->size_count);
        if (slot) {
            *slot = size;
            return GRADUS_OK;
        }
        status = gr_reader_no_memory(r);
    }
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
        const bool named =
            gr_cursor_name(&after, "a type", &word) == GRADUS_OK && !gr_cursor_accept(&after, '[');
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
        status = gr_cursor_fail(&inside, "array %s has no extents", a->name.text);
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

static enum gradus_status read_expression(struct gr_cursor *c, struct gr_text *expression)
{
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

/* device_variables.c: finds operands and sizes among a file's variables of the device.
 * SPDX-License-Identifier: MIT */
#include "catalog/device_variables.h"

#include "catalog/roles.h"
#include "source/declarations.h"
#include "source/hints.h"

#include <stdlib.h>

static bool is_place(const struct gr_scan *scan, int i)
{
    return gr_token_is(scan, i, "__device__") || gr_token_is(scan, i, "__constant__") ||
           gr_token_is(scan, i, "__managed__");
}

/* Can the variable become a parameter? It can if it is an operand, a size or a structure of them.
 */
static bool is_given(const struct gr_scan *scan, const struct gr_structures *structures,
                     const struct gr_device_variable *v)
{
    char *name = gr_token_text(scan, v->is.name);
    const bool array = v->extents.end > v->extents.begin;
    const struct gr_structure *s = gr_structure_of(scan, structures, v->is.type, NULL);
    bool sure = false;
    const bool given =
        !name                       ? false
        : s                         ? !array && !v->is.stars && gr_structure_pointers(s) > 0
        : array || v->is.stars == 1 ? gr_hint_operand(name) != 0 && !(array && v->is.stars)
        : v->is.stars
            ? false
            : (gr_role_of_name(name) != GR_ROLE_NONE || (gr_hint_size(name, &sure) && sure));
    free(name);
    return given;
}

/* Reads the statement at [begin, end), whose qualifiers end at `type`. It must be possible for all
 * of its variables to become parameters. */
static void read_statement(const struct gr_scan *scan, const struct gr_structures *structures,
                           int begin, int type, int end, struct gr_device_variables *list)
{
    struct gr_range of = {0, 0};
    const int before = list->count;
    for (int at = type; at < end;) {
        struct gr_device_variable v = {.statement = {begin, end + 1}};
        if (list->count == GR_MOST_DEVICE_VARIABLES ||
            !gr_declarator_read(scan, (struct gr_range){type, end}, &of, &at, &v.is)) {
            list->count = before;
            return;
        }
        v.extents = (struct gr_range){at, at};
        while (gr_token_is(scan, at, "["))
            at = gr_token_close(scan, at, end);
        v.extents.end = at;
        if (!is_given(scan, structures, &v) || !(at == end || gr_token_is(scan, at, ","))) {
            list->count = before;
            return;
        }
        list->items[list->count++] = v;
        at++;
    }
}

void gr_device_variables_find(const struct gr_scan *scan, const struct gr_structures *structures,
                              struct gr_device_variables *list)
{
    list->count = 0;
    for (int i = 0; i < scan->token_count; i++) {
        int begin = i, end = i, type = i;
        if (!is_place(scan, i) || gr_function_at(scan, i))
            continue;
        while (gr_token_is(scan, begin - 1, "static"))
            begin--;
        while (is_place(scan, type) || gr_token_is(scan, type, "static"))
            type++;
        while (end < scan->token_count && !gr_token_is(scan, end, ";") &&
               !gr_token_is(scan, end, "(") && !gr_token_is(scan, end, "{") &&
               !gr_token_is(scan, end, "="))
            end++;
        if (gr_token_is(scan, end, ";"))
            read_statement(scan, structures, begin, type, end, list);
        i = end > i ? end : i;
    }
}

bool gr_device_variable_used(const struct gr_scan *scan, const struct gr_function *f,
                             const struct gr_device_variable *v)
{
    for (int i = f->parameters_begin; i < f->parameters_end; i++)
        if (gr_tokens_same(scan, i, v->is.name))
            return false;
    for (int i = f->body_begin; i < f->body_end; i++)
        if (gr_tokens_same(scan, i, v->is.name) && !gr_token_is(scan, i - 1, ".") &&
            !gr_token_is(scan, i - 1, ">"))
            return true;
    return false;
}

/* Does a device function use a variable of the same statement? Then the statement is kept. */
bool gr_device_variable_shared(const struct gr_scan *scan, const struct gr_device_variables *list,
                               const struct gr_device_variable *variable)
{
    for (int i = 0; i < scan->function_count; i++) {
        const struct gr_function *f = &scan->functions[i];
        for (int j = 0; f->is_device && !f->is_global && j < list->count; j++)
            if (list->items[j].statement.begin == variable->statement.begin &&
                gr_device_variable_used(scan, f, &list->items[j]))
                return true;
    }
    return false;
}

/* Is the variable used by the function, or by one that it calls? */
static bool is_reached(const struct gr_scan *scan, const struct gr_function *f,
                       const struct gr_device_variable *v, int depth)
{
    enum { DEEPEST = 4 };
    if (gr_device_variable_used(scan, f, v))
        return true;
    for (int i = 0; i < scan->function_count && depth < DEEPEST; i++) {
        const struct gr_function *other = &scan->functions[i];
        if (other->is_device && !other->is_global && other != f &&
            gr_tokens_mention(scan, f->body_begin, f->body_end, other->name) &&
            is_reached(scan, other, v, depth + 1))
            return true;
    }
    return false;
}

int gr_constant_variable_left(const struct gr_scan *scan, const struct gr_function *kernel)
{
    struct gr_structures structures;
    struct gr_device_variables list = {.count = 0};
    int found = -1;
    if (gr_structures_find(scan, &structures))
        gr_device_variables_find(scan, &structures, &list);
    for (int i = 0; i < list.count && found < 0; i++) {
        const struct gr_device_variable *v = &list.items[i];
        bool is_constant = false;
        for (int t = v->statement.begin; t < v->is.name; t++)
            is_constant |= gr_token_is(scan, t, "__constant__");
        if (is_constant && is_reached(scan, kernel, v, 0))
            found = v->is.name;
    }
    gr_structures_free(&structures);
    return found;
}

int gr_device_variable_left(const struct gr_scan *scan, enum gr_role role)
{
    struct gr_structures structures;
    struct gr_device_variables list = {.count = 0};
    int found = -1;
    if (gr_structures_find(scan, &structures))
        gr_device_variables_find(scan, &structures, &list);
    for (int i = 0; i < list.count && found < 0; i++) {
        const struct gr_device_variable *v = &list.items[i];
        char *name = gr_token_text(scan, v->is.name);
        const char operand = name ? gr_hint_operand(name) : 0;
        const bool is_number = !v->is.stars && v->extents.begin == v->extents.end;
        const enum gr_role of = !name       ? GR_ROLE_NONE
                                : is_number ? gr_role_of_name(name)
                                : operand   ? GR_ROLE_A + (enum gr_role)(operand - 'A')
                                            : GR_ROLE_NONE;
        if (of == role && role != GR_ROLE_NONE)
            found = v->is.name;
        free(name);
    }
    gr_structures_free(&structures);
    return found;
}

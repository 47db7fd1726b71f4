/* plain_variables.c: variables of the device as parameters of a kernel. SPDX-License-Identifier:
 * MIT */
#include "catalog/plain_variables.h"

#include "base/str.h"
#include "catalog/constants.h"
#include "catalog/cursor.h"
#include "source/hints.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Does the kernel have the operand or size as another parameter, so that the variable of this name
 * is something else? */
bool gr_plain_variable_has_other(const struct gr_rewriting *r, const struct gr_plain_kernel *p,
                                 const struct gr_device_variable *v)
{
    char *name = gr_token_text(&r->scan, v->is.name);
    const bool is_number = !v->is.stars && v->extents.begin == v->extents.end;
    const char operand = name && !is_number ? gr_hint_operand(name) : 0;
    bool found = !name;
    for (int i = 0; i < p->count && !found; i++)
        found = is_number ? strcasecmp(p->names[i], name) == 0
                          : operand && gr_hint_operand(p->names[i]) == operand;
    free(name);
    return found;
}

/* The line of an offset into the file's own text. */
static int line_of(const struct gr_rewriting *r, size_t offset)
{
    int line = 1;
    for (size_t i = r->base; i < offset; i++)
        line += r->scan.text[i] == '\n';
    return line;
}

/* Records an array whose extents are known, and that became the last parameter of `p`. */
void gr_plain_variable_note(struct gr_rewriting *r, const struct gr_function *f,
                            const struct gr_device_variable *v, const struct gr_plain_kernel *p)
{
    struct gr_held_operand one = {.rows = 0};
    const struct gr_range e = v->extents;
    const int second = gr_token_close(&r->scan, e.begin, e.end);
    int64_t extent, columns = 1;
    if (!r->notes || p->count == 0 ||
        !gr_constant_value(&r->scan, (struct gr_range){e.begin + 1, second - 1}, &extent))
        return;
    for (int i = second; i < e.end;) {
        int64_t more;
        const int past = gr_token_close(&r->scan, i, e.end);
        if (!gr_constant_value(&r->scan, (struct gr_range){i + 1, past - 1}, &more) ||
            __builtin_mul_overflow(columns, more, &columns))
            return;
        i = past;
    }
    one.rows = second < e.end ? extent : 0;
    one.columns = second < e.end ? columns : extent;
    one.line = line_of(r, r->scan.tokens[v->is.name].begin);
    one.kernel = gr_token_text(&r->scan, f->name);
    one.parameter = gr_strdup(p->names[p->count - 1]);
    one.variable = gr_token_text(&r->scan, v->is.name);
    struct gr_held_operand *slot = NULL;
    if (one.kernel && one.parameter && one.variable && one.columns > 0)
        GR_PUSH(slot, r->notes->held, r->notes->held_count);
    if (slot) {
        *slot = one;
        return;
    }
    free(one.kernel);
    free(one.parameter);
    free(one.variable);
}

/* Makes the variable a parameter of the file's own function, whose parameters are appended to
 * `own`, and of the added kernel. An array of several extents is a pointer to rows there. */
void gr_plain_variable_add(struct gr_rewriting *r, const struct gr_device_variable *v,
                           struct gr_plain_kernel *p, struct gr_str *own)
{
    const struct gr_scan *scan = &r->scan;
    const struct gr_structure *s = gr_structure_of(scan, &r->structures, v->is.type, NULL);
    char *name = gr_token_text(scan, v->is.name), *type = gr_tokens_text(scan, v->is.type);
    struct gr_member plain = v->is;
    struct gr_str rows = {0};
    if (!name || !type) {
        r->failed = true;
    } else if (s) {
        gr_str_printf(own, ", %s %s%s", type, s->is_made ? "&" : "", name);
        gr_plain_kernel_add_structure(r, p, v->is.type, false, name, name);
    } else {
        gr_str_add(&p->arguments, p->arguments.length ? ", " : "");
        if (v->extents.end > v->extents.begin) {
            const int first = gr_token_close(scan, v->extents.begin, v->extents.end);
            gr_rewriting_add_tokens(scan, (struct gr_range){first, v->extents.end}, &rows);
            plain.stars = 1;
        }
        if (rows.length) {
            gr_str_printf(own, ", %s (*%s)%s", type, name, gr_str_text(&rows));
            gr_str_printf(&p->arguments, "(%s (*)%s)", type, gr_str_text(&rows));
        } else {
            gr_str_printf(own, ", %s %s%s", type, plain.stars ? "*" : "", name);
        }
        gr_plain_kernel_add_value(r, p, &plain, NULL, "", 0, gr_strdup(name), &p->arguments);
        p->changed = true;
    }
    gr_str_free(&rows);
    free(name);
    free(type);
}

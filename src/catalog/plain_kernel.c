/* plain_kernel.c: the plain parameters of the added kernel, and the arguments that it passes on.
 * SPDX-License-Identifier: MIT */
#include "catalog/plain_kernel.h"

#include "catalog/member_roles.h"
#include "catalog/number_types.h"
#include "source/defines.h"
#include "source/hints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void gr_plain_kernel_free(struct gr_plain_kernel *p)
{
    for (int i = 0; i < p->count; i++) {
        free(p->names[i]);
        free(p->passed[i]);
    }
    gr_str_free(&p->parameters);
    gr_str_free(&p->values);
    gr_str_free(&p->arguments);
}

/* Adds the parameter unless there is one of this name. Takes ownership of `passed`. */
static void add_parameter(struct gr_rewriting *r, struct gr_plain_kernel *p,
                          const char *declaration, const char *name, char *passed)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->names[i], name) == 0) {
            /* A number of the launch itself is preferred to a member, since the grid is computed
             * from it. */
            const bool better = passed && !strchr(passed, '.') && strchr(p->passed[i], '.');
            free(better ? p->passed[i] : passed);
            p->passed[i] = better ? passed : p->passed[i];
            return;
        }
    char *copy = gr_strdup(name);
    if (p->count == GR_MOST_PLAIN_PARAMETERS || !copy || !passed) {
        free(copy);
        free(passed);
        r->failed = true;
        return;
    }
    p->names[p->count] = copy;
    p->passed[p->count++] = passed;
    gr_str_printf(&p->parameters, "%s%s", p->count > 1 ? ", " : "", declaration);
}

/* If the file has a macro with a role's name, the name in lower case is used for the same role. */
static char *free_name(const struct gr_rewriting *r, const char *name)
{
    char *own = gr_strdup(name);
    if (own && gr_define_find(&r->scan, own) >= 0)
        for (char *p = own; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    return own;
}

/* Adds a parameter for a pointer or number, and appends it to `out`, converted to its type. */
void gr_plain_kernel_add_value(struct gr_rewriting *r, struct gr_plain_kernel *p,
                               const struct gr_member *m, const struct gr_bound_structure *in,
                               const char *owner, char letter, char *passed, struct gr_str *out)
{
    char *own = gr_token_text(&r->scan, m->name);
    char *type = gr_structure_text(&r->scan, in, m->type);
    const char *role = !own       ? NULL
                       : m->stars ? gr_member_operand_role(letter ? letter : gr_hint_operand(own))
                                  : gr_member_number_role(own, letter);
    char *name = role            ? free_name(r, role)
                 : own && *owner ? gr_printf("%s_%s", owner, own)
                                 : free_name(r, own ? own : "");
    const char *stars = m->stars == 2 ? "**" : m->stars ? "*" : "";
    char *number = type && r->base ? gr_number_type(&r->scan, type) : NULL; /* of a header */
    char *declaration =
        type && name ? gr_printf("%s %s%s", number ? number : type, stars, name) : NULL;
    if (declaration && passed) {
        add_parameter(r, p, declaration, name, passed);
        gr_str_printf(out, "(%s%s%s)%s", type, *stars ? " " : "", stars, name);
    } else {
        free(passed);
        r->failed = true;
    }
    free(own);
    free(type);
    free(name);
    free(number);
    free(declaration);
}

/* Appends `{(int)M, (const float *)A, …}`. `access` is how the file's launch reads it. */
static void add_structure(struct gr_rewriting *r, struct gr_plain_kernel *p,
                          const struct gr_bound_structure *b, const char *owner, const char *access,
                          struct gr_str *out)
{
    const struct gr_structure *s = b->structure;
    const char letter = gr_member_operand(s, owner);
    gr_str_add(out, "{");
    for (int i = 0; i < s->member_count; i++) {
        const struct gr_member *m = &s->members[i];
        char *name = gr_token_text(&r->scan, m->name);
        char *own = name ? gr_printf("%s.%s", access, name) : NULL;
        gr_str_add(out, i ? ", " : "");
        if (m->structure && !m->stars && own) {
            struct gr_range arguments = {0, 0};
            struct gr_bound_structure inner = {.count = 0};
            gr_structure_of(&r->scan, &r->structures, m->type, &arguments);
            r->failed |= !gr_structure_bind(&r->scan, m->structure, arguments, b, &inner);
            if (!r->failed)
                add_structure(r, p, &inner, name, own, out);
            gr_bound_structure_free(&inner);
            free(own);
        } else {
            gr_plain_kernel_add_value(r, p, m, b, gr_structure_pointers(s) == 1 ? owner : "",
                                      letter, own, out);
        }
        free(name);
    }
    gr_str_add(out, "}");
}

/* Appends the statements that make a structure with a constructor or a private part, by its bytes:
 * those of another structure with the same members, which a list of values can make. Its own
 * constructors are for the host, and its copies may be, too. */
static void add_made(struct gr_rewriting *r, struct gr_plain_kernel *p,
                     const struct gr_bound_structure *b, const char *name, const char *owner,
                     const char *values)
{
    struct gr_str *out = &p->values;
    gr_str_printf(out, " struct gr_fields_%s {", owner);
    for (int i = 0; i < b->structure->member_count; i++) {
        const struct gr_member *m = &b->structure->members[i];
        char *type = gr_structure_text(&r->scan, b, m->type),
             *own = gr_token_text(&r->scan, m->name);
        r->failed |= !type || !own;
        gr_str_printf(out, " %s %s%s;", type ? type : "",
                      m->stars == 2 ? "**"
                      : m->stars    ? "*"
                                    : "",
                      own ? own : "");
        free(type);
        free(own);
    }
    gr_str_printf(out, " }; const gr_fields_%s gr_values_%s = %s;", owner, owner, values);
    gr_str_printf(out,
                  " static_assert(sizeof(gr_fields_%s) == sizeof(%s), \"%s has other members\");",
                  owner, name, name);
    gr_str_printf(out, " alignas(%s) char gr_bytes_%s[sizeof(%s)];", name, owner, name);
    gr_str_printf(out, " memcpy(gr_bytes_%s, &gr_values_%s, sizeof gr_bytes_%s);", owner, owner,
                  owner);
    gr_str_printf(out, " %s &gr_%s = *(%s *)gr_bytes_%s;", name, owner, name, owner);
}

/* The type without its qualifiers, as it stands before a list of values: `Matrix<T>`. */
static char *type_name(const struct gr_scan *scan, struct gr_range type)
{
    static const char *const silent[] = {"const", "volatile",          "struct",
                                         "class", "__grid_constant__", NULL};
    struct gr_str out = {0};
    int depth = 0; /* of template arguments, whose qualifiers are a part of the type */
    for (int i = type.begin; i < type.end; i++) {
        bool is_silent = false;
        depth += gr_token_is(scan, i, "<");
        depth -= gr_token_is(scan, i, ">");
        for (int w = 0; silent[w] && depth == 0; w++)
            is_silent |= gr_token_is(scan, i, silent[w]);
        if (!is_silent)
            gr_str_printf(&out, "%.*s%s", (int)(scan->tokens[i].end - scan->tokens[i].begin),
                          scan->text + scan->tokens[i].begin, depth ? " " : "");
    }
    return out.text;
}

/* A structure that is passed by its address is a variable of the added kernel. */
void gr_plain_kernel_add_structure(struct gr_rewriting *r, struct gr_plain_kernel *p,
                                   struct gr_range type, bool by_address, const char *owner,
                                   const char *access)
{
    struct gr_range arguments = {0, 0};
    const struct gr_structure *s = gr_structure_of(&r->scan, &r->structures, type, &arguments);
    struct gr_bound_structure bound = {.count = 0};
    struct gr_str value = {0};
    char *name = type_name(&r->scan, type);
    if (!s || !name || !gr_structure_bind(&r->scan, s, arguments, NULL, &bound)) {
        r->failed = true;
        free(name);
        return;
    }
    add_structure(r, p, &bound, owner, access, &value);
    gr_str_add(&p->arguments, p->arguments.length ? ", " : "");
    if (s->is_made) {
        add_made(r, p, &bound, name, owner, gr_str_text(&value));
        gr_str_printf(&p->arguments, "%sgr_%s", by_address ? "&" : "", owner);
    } else if (by_address) {
        gr_str_printf(&p->values, " auto gr_%s = %s%s;", owner, name, gr_str_text(&value));
        gr_str_printf(&p->arguments, "&gr_%s", owner);
    } else {
        gr_str_printf(&p->arguments, "%s%s", name, gr_str_text(&value));
    }
    gr_bound_structure_free(&bound);
    free(name);
    r->failed |= value.failed;
    p->changed = true;
    gr_str_free(&value);
}

/* Adds the parameters of the file's own kernel. */
void gr_plain_kernel_add_own(struct gr_rewriting *r, const struct gr_function *f,
                             struct gr_plain_kernel *p)
{
    const struct gr_scan *scan = &r->scan;
    for (int i = f->parameters_begin; i < f->parameters_end;) {
        const int end = gr_rewriting_parameter_end(scan, i, f->parameters_end);
        struct gr_range type = {0, 0};
        struct gr_member m;
        int at = i;
        if (end == i + 1 && gr_token_is(scan, i, "void"))
            return;
        const bool plain = gr_declarator_read(scan, (struct gr_range){i, end}, &type, &at, &m);
        const struct gr_structure *s = plain && m.stars <= 1 && !gr_token_is(scan, at, "[")
                                           ? gr_structure_of(scan, &r->structures, type, NULL)
                                           : NULL;
        char *name = gr_token_text(scan, m.name < end ? m.name : end - 1);
        char *passed = gr_printf("$%d", p->own_count++);
        if (s && passed &&
            (m.stars ? gr_structure_pointers(s) > 0 : gr_member_roles_all(scan, s))) {
            const size_t place = scan->tokens[m.name].begin;
            gr_plain_kernel_add_structure(r, p, type, m.stars == 1, name, passed);
            if (s->is_made && !m.stars)
                gr_rewriting_replace(r, place, place, gr_strdup("&"));
            free(passed);
        } else {
            struct gr_str declaration = {0};
            gr_rewriting_add_tokens(scan, (struct gr_range){i, end}, &declaration);
            add_parameter(r, p, gr_str_text(&declaration), name ? name : "", passed);
            gr_str_printf(&p->arguments, "%s%s", p->arguments.length ? ", " : "", name ? name : "");
            r->failed |= !plain;
            gr_str_free(&declaration);
        }
        free(name);
        i = end + 1;
    }
}

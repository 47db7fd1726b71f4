/* plain_parameters.c: puts a kernel with plain parameters before one that is given structures or
 * reads variables of the device. SPDX-License-Identifier: MIT */
#include "catalog/plain_parameters.h"

#include "base/str.h"
#include "catalog/cursor.h"
#include "catalog/parameters.h"
#include "catalog/constants.h"
#include "catalog/device_variables.h"
#include "catalog/header_texts.h"
#include "catalog/roles.h"
#include "catalog/structures.h"
#include "catalog/templates.h"
#include "source/defines.h"
#include "source/hints.h"
#include "source/launchfind.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST = 48, MOST_EDITS = 256 };

/* Text that takes the place of [begin, end). */
struct edit {
    size_t begin, end;
    char *text;
};

struct rewriting {
    const char *path;
    size_t base; /* where the file's own text begins; before it are the headers that it includes */
    struct gr_scan scan;
    struct gr_structures structures;
    struct gr_device_variables variables;
    struct gr_plain_notes *notes; /* null: not wanted */
    struct edit edits[MOST_EDITS];
    int edit_count;
    bool failed; /* memory is out, or there are too many of something */
};

/* The kernel that is added. */
struct plain {
    char *names[MOST];  /* of its parameters */
    char *passed[MOST]; /* what a launch passes for each, where $0 is its first argument: "$0.M" */
    int count;
    int own_count;            /* of the parameters that the file's kernel has */
    struct gr_str parameters; /* "int M, const float *A" */
    struct gr_str values;     /* statements that make the structures that are passed by address */
    struct gr_str arguments;  /* of the call */
    bool changed;             /* not all of it is as in the file */
};

/* ---- Text ---- */

static void replace(struct rewriting *r, size_t begin, size_t end, char *text)
{
    if (!text || r->edit_count == MOST_EDITS) {
        free(text);
        r->failed = true;
        return;
    }
    r->edits[r->edit_count++] = (struct edit){begin, end, text};
}

/* Replaces tokens by blanks; what is on other lines stays there. */
static void blank(struct rewriting *r, struct gr_range tokens)
{
    const size_t begin = r->scan.tokens[tokens.begin].begin,
                 end = r->scan.tokens[tokens.end - 1].end;
    char *text = gr_strndup(r->scan.text + begin, end - begin);
    for (char *p = text; p && *p; p++)
        if (*p != '\n')
            *p = ' ';
    replace(r, begin, end, text);
}

/* The tokens with a blank between any two, so that `"C" __global__` stays two. */
static void add_tokens(const struct gr_scan *scan, struct gr_range tokens, struct gr_str *out)
{
    for (int i = tokens.begin; i < tokens.end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (t->kind != GR_TOKEN_DIRECTIVE)
            gr_str_printf(out, "%.*s ", (int)(t->end - t->begin), scan->text + t->begin);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct edit *a = x, *b = y;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin)
                                : (a->end > b->end) - (a->end < b->end);
}

/* Null: nothing was changed, or memory is out. */
static char *edited(struct rewriting *r)
{
    struct gr_str out = {0};
    size_t at = r->base;
    if (r->failed || !r->edit_count)
        return NULL;
    qsort(r->edits, (size_t)r->edit_count, sizeof *r->edits, by_place);
    for (int i = 0; i < r->edit_count; i++) {
        const struct edit *e = &r->edits[i];
        if (e->begin < at) /* a declaration that two kernels use, or of a header */
            continue;
        gr_str_add_bytes(&out, r->scan.text + at, e->begin - at);
        gr_str_add(&out, e->text);
        at = e->end;
    }
    gr_str_add(&out, r->scan.text + at);
    if (!out.failed)
        return out.text;
    gr_str_free(&out);
    return NULL;
}

/* The end of a parameter: its comma outside of brackets, those of template arguments among them. */
static int parameter_end(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ","))
        i = gr_token_is(scan, i, "<") ? gr_token_close_angle(scan, i, end)
            : gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{") ? gr_token_close(scan, i, end)
                                                                     : i + 1;
    return i;
}

/* ---- What a member is ---- */

/* The leading dimension of operand `letter`, if the name is that of one. */
static const char *leading_of(const char *name, char letter)
{
    static const char *const words[] = {"stride", "ld", "pitch", "leading", NULL};
    char *lower = gr_strdup(name);
    bool found = false;
    for (char *p = lower; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (int i = 0; lower && words[i]; i++)
        found |= gr_starts_with(lower, words[i]);
    free(lower);
    return !found ? NULL : letter == 'A' ? "lda" : letter == 'B' ? "ldb" : "ldc";
}

/* The name of the role that a number of this name has, or null. `letter` is the operand whose
 * structure it is in; 0: none. */
static const char *number_role(const char *name, char letter)
{
    bool sure;
    for (int i = 0; i < GR_ROLE_NAMES; i++)
        if (gr_role_names[i].class != GR_TYPE_POINTER &&
            gr_role_of_name(name) == gr_role_names[i].role)
            return gr_role_names[i].name;
    const char *leading = letter ? leading_of(name, letter) : NULL;
    if (leading)
        return leading;
    char *of = letter ? gr_printf("%c_%s", tolower((unsigned char)letter), name) : NULL;
    const char *size = gr_hint_size(of ? of : name, &sure);
    free(of);
    return size ? size : gr_hint_scale(name);
}

static const char *operand_role(char letter)
{
    return letter == 'A' ? "A" : letter == 'B' ? "B" : letter == 'C' ? "C" : NULL;
}

/* The operand that the structure `owner` describes: it holds one pointer, and has such a name. */
static char described(const struct gr_structure *s, const char *owner)
{
    return gr_structure_pointers(s) == 1 ? gr_hint_operand(owner) : 0;
}

/* Does each number of the structure have a role, if it holds no pointers? Then it is the sizes. */
static bool is_of_a_product(const struct gr_scan *scan, const struct gr_structure *s)
{
    bool all = true;
    if (gr_structure_pointers(s) > 0)
        return true;
    for (int i = 0; i < s->member_count && all; i++) {
        char *name = gr_token_text(scan, s->members[i].name);
        all = name && !s->members[i].structure && number_role(name, 0);
        free(name);
    }
    return all;
}

/* ---- The kernel that is added ---- */

static void free_plain(struct plain *p)
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
static void add_parameter(struct rewriting *r, struct plain *p, const char *declaration,
                          const char *name, char *passed)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->names[i], name) == 0) {
            /* A launch's own number is what its grid is computed from, rather than a member. */
            const bool better = passed && !strchr(passed, '.') && strchr(p->passed[i], '.');
            free(better ? p->passed[i] : passed);
            p->passed[i] = better ? passed : p->passed[i];
            return;
        }
    char *copy = gr_strdup(name);
    if (p->count == MOST || !copy || !passed) {
        free(copy);
        free(passed);
        r->failed = true;
        return;
    }
    p->names[p->count] = copy;
    p->passed[p->count++] = passed;
    gr_str_printf(&p->parameters, "%s%s", p->count > 1 ? ", " : "", declaration);
}

/* A role's name in small letters is the same role, where the file has a macro of its name. */
static char *free_name(const struct rewriting *r, const char *name)
{
    char *own = gr_strdup(name);
    if (own && gr_define_find(&r->scan, own) >= 0)
        for (char *p = own; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    return own;
}

/* Adds a parameter for a pointer or number, and appends it to `out`, converted to its type. */
static void add_value(struct rewriting *r, struct plain *p, const struct gr_member *m,
                      const struct gr_bound_structure *in, const char *owner, char letter,
                      char *passed, struct gr_str *out)
{
    char *own = gr_token_text(&r->scan, m->name);
    char *type = gr_structure_text(&r->scan, in, m->type);
    const char *role = !own       ? NULL
                       : m->stars ? operand_role(letter ? letter : gr_hint_operand(own))
                                  : number_role(own, letter);
    char *name = role            ? free_name(r, role)
                 : own && *owner ? gr_printf("%s_%s", owner, own)
                                 : free_name(r, own ? own : "");
    const char *stars = m->stars == 2 ? "**" : m->stars ? "*" : "";
    char *declaration = type && name ? gr_printf("%s %s%s", type, stars, name) : NULL;
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
    free(declaration);
}

/* Appends `{(int)M, (const float *)A, …}`. `access` is how the file's launch reads it. */
static void add_structure(struct rewriting *r, struct plain *p, const struct gr_bound_structure *b,
                          const char *owner, const char *access, struct gr_str *out)
{
    const struct gr_structure *s = b->structure;
    const char letter = described(s, owner);
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
            add_value(r, p, m, b, gr_structure_pointers(s) == 1 ? owner : "", letter, own, out);
        }
        free(name);
    }
    gr_str_add(out, "}");
}

/* The type without its qualifiers, as it stands before a list of values: `Matrix<T>`. */
static char *type_name(const struct gr_scan *scan, struct gr_range type)
{
    static const char *const silent[] = {"const", "volatile",          "struct",
                                         "class", "__grid_constant__", NULL};
    struct gr_str out = {0};
    for (int i = type.begin; i < type.end; i++) {
        bool is_silent = false;
        for (int w = 0; silent[w]; w++)
            is_silent |= gr_token_is(scan, i, silent[w]);
        if (!is_silent)
            gr_str_printf(&out, "%.*s", (int)(scan->tokens[i].end - scan->tokens[i].begin),
                          scan->text + scan->tokens[i].begin);
    }
    return out.text;
}

/* A structure that is passed by its address is a variable of the kernel that is added. */
static void add_gathered(struct rewriting *r, struct plain *p, struct gr_range type,
                         bool by_address, const char *owner, const char *access)
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
    gr_str_add(&value, name);
    add_structure(r, p, &bound, owner, access, &value);
    gr_bound_structure_free(&bound);
    free(name);
    gr_str_add(&p->arguments, p->arguments.length ? ", " : "");
    if (by_address) {
        gr_str_printf(&p->values, " auto gr_%s = %s;", owner, gr_str_text(&value));
        gr_str_printf(&p->arguments, "&gr_%s", owner);
    } else {
        gr_str_add(&p->arguments, gr_str_text(&value));
    }
    r->failed |= value.failed;
    p->changed = true;
    gr_str_free(&value);
}

/* Goes through the kernel's own parameters. */
static void add_own(struct rewriting *r, const struct gr_function *f, struct plain *p)
{
    const struct gr_scan *scan = &r->scan;
    for (int i = f->parameters_begin; i < f->parameters_end;) {
        const int end = parameter_end(scan, i, f->parameters_end);
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
        if (s && passed && (m.stars ? gr_structure_pointers(s) > 0 : is_of_a_product(scan, s))) {
            add_gathered(r, p, type, m.stars == 1, name, passed);
            free(passed);
        } else {
            struct gr_str declaration = {0};
            add_tokens(scan, (struct gr_range){i, end}, &declaration);
            add_parameter(r, p, gr_str_text(&declaration), name ? name : "", passed);
            gr_str_printf(&p->arguments, "%s%s", p->arguments.length ? ", " : "", name ? name : "");
            r->failed |= !plain;
            gr_str_free(&declaration);
        }
        free(name);
        i = end + 1;
    }
}

/* ---- Variables of the device ---- */

/* Does the kernel have the operand or size from elsewhere, so that the variable is something else
 * of such a name? */
static bool has_other(const struct rewriting *r, const struct plain *p,
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

void gr_plain_notes_free(struct gr_plain_notes *notes)
{
    for (int i = 0; i < notes->held_count; i++) {
        free(notes->held[i].kernel);
        free(notes->held[i].parameter);
        free(notes->held[i].variable);
    }
    for (int i = 0; i < notes->call_count; i++) {
        free(notes->calls[i].kernel);
        free(notes->calls[i].passed);
    }
    free(notes->held);
    free(notes->calls);
    *notes = (struct gr_plain_notes){0};
}

void gr_plain_notes_take(struct gr_plain_notes *notes, struct gr_kernel *k)
{
    struct gr_plain_notes former = {k->held, k->held_count, k->calls, k->call_count};
    gr_plain_notes_free(&former);
    k->held = notes->held;
    k->held_count = notes->held_count;
    k->calls = notes->calls;
    k->call_count = notes->call_count;
    *notes = (struct gr_plain_notes){0};
}

/* Notes how the kernel is called, for launches in other files. */
static void note_call(struct rewriting *r, const char *name, const struct gr_str *passed,
                      int own_count)
{
    struct gr_gathered_call *slot = NULL;
    if (r->notes)
        GR_PUSH(slot, r->notes->calls, r->notes->call_count);
    if (slot)
        *slot = (struct gr_gathered_call){.kernel = gr_strdup(name),
                                          .count = own_count,
                                          .passed = gr_strdup(gr_str_text(passed))};
}

/* The line of an offset into the file's own text. */
static int line_of(const struct rewriting *r, size_t offset)
{
    int line = 1;
    for (size_t i = r->base; i < offset; i++)
        line += r->scan.text[i] == '\n';
    return line;
}

/* Notes an array whose extents are known, and that became the last parameter of `p`. */
static void note_held(struct rewriting *r, const struct gr_function *f,
                      const struct gr_device_variable *v, const struct plain *p)
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

/* Makes the variable a parameter of the kernel's own function, which `own` gets, and of the one
 * that is added. An array of several extents is a pointer to rows there. */
static void add_variable(struct rewriting *r, const struct gr_device_variable *v, struct plain *p,
                         struct gr_str *own)
{
    const struct gr_scan *scan = &r->scan;
    const struct gr_structure *s = gr_structure_of(scan, &r->structures, v->is.type, NULL);
    char *name = gr_token_text(scan, v->is.name), *type = gr_tokens_text(scan, v->is.type);
    struct gr_member plain = v->is;
    struct gr_str rows = {0};
    if (!name || !type) {
        r->failed = true;
    } else if (s) {
        gr_str_printf(own, ", %s %s", type, name);
        add_gathered(r, p, v->is.type, false, name, name);
    } else {
        gr_str_add(&p->arguments, p->arguments.length ? ", " : "");
        if (v->extents.end > v->extents.begin) {
            const int first = gr_token_close(scan, v->extents.begin, v->extents.end);
            add_tokens(scan, (struct gr_range){first, v->extents.end}, &rows);
            plain.stars = 1;
        }
        if (rows.length) {
            gr_str_printf(own, ", %s (*%s)%s", type, name, gr_str_text(&rows));
            gr_str_printf(&p->arguments, "(%s (*)%s)", type, gr_str_text(&rows));
        } else {
            gr_str_printf(own, ", %s %s%s", type, plain.stars ? "*" : "", name);
        }
        add_value(r, p, &plain, NULL, "", 0, gr_strdup(name), &p->arguments);
        p->changed = true;
    }
    gr_str_free(&rows);
    free(name);
    free(type);
}

/* ---- One kernel ---- */

/* What only a kernel may have, and the kernel that is added has. */
static void make_function(struct rewriting *r, const struct gr_function *f, const char *name)
{
    static const char *const words[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                        "__block_size__", NULL};
    const struct gr_scan *scan = &r->scan;
    for (int i = f->head; i < f->parameters_begin; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (gr_token_is(scan, i, "__global__"))
            replace(r, t->begin, t->end, gr_strdup("__device__"));
        for (int w = 0; words[w]; w++)
            if (gr_token_is(scan, i, words[w]))
                blank(r, (struct gr_range){i, gr_token_close(scan, i + 1, f->name)});
    }
    replace(r, scan->tokens[f->name].begin, scan->tokens[f->name].end,
            gr_printf("%s_of_structures", name));
}

/* Removes declarations of the kernel, which would be those of another function. */
static void drop_prototypes(struct rewriting *r, const struct gr_function *f)
{
    const struct gr_scan *scan = &r->scan;
    for (int i = 0; i + 1 < scan->token_count; i++) {
        if (i == f->name || !gr_tokens_same(scan, i, f->name) || gr_function_at(scan, i))
            continue;
        const int open = gr_token_is(scan, i + 1, "<")
                             ? gr_token_close_angle(scan, i + 1, scan->token_count)
                             : i + 1;
        if (!gr_token_is(scan, open, "("))
            continue;
        const int close = gr_token_close(scan, open, scan->token_count);
        int begin = i;
        while (begin > 0 && scan->tokens[begin - 1].kind != GR_TOKEN_DIRECTIVE &&
               !gr_token_is(scan, begin - 1, ";") && !gr_token_is(scan, begin - 1, "}") &&
               !gr_token_is(scan, begin - 1, "{"))
            begin--;
        if (gr_token_is(scan, close, ";"))
            blank(r, (struct gr_range){begin, close + 1});
    }
}

/* Appends `passed` with the launch's own arguments in place of $0, $1 …; "&h" becomes "h". */
static void write_passed(const struct gr_scan *scan, const struct gr_launch_site *site,
                         const char *passed, struct gr_str *out)
{
    for (const char *at = passed; *at;) {
        const size_t plain = strcspn(at, "$");
        gr_str_add_bytes(out, at, plain);
        at += plain;
        if (!*at)
            return;
        char *end;
        long which = strtol(at + 1, &end, 10);
        int i = site->arguments.begin;
        for (; which > 0 && i < site->arguments.end; which--)
            i = gr_item_end(scan, i, site->arguments.end) + 1;
        const int past = i < site->arguments.end ? gr_item_end(scan, i, site->arguments.end) : i;
        char *text =
            past > i ? gr_tokens_text(scan, (struct gr_range){i + gr_token_is(scan, i, "&"), past})
                     : NULL;
        gr_str_add(out, text ? text : "unknown");
        free(text);
        at = end;
    }
}

/* Launches pass what the kernel that is added takes. */
static void pass_members(struct rewriting *r, const char *name, const char *passed, int own_count)
{
    const struct gr_scan *scan = &r->scan;
    struct gr_launch_site site;
    for (int from = 0; gr_launch_site_next(scan, name, &from, &site);) {
        struct gr_str text = {0};
        const int begin = site.arguments.begin, end = site.arguments.end;
        int count = 0;
        for (int i = begin; i < end; i = gr_item_end(scan, i, end) + 1)
            count++;
        if (count != own_count)
            continue;
        write_passed(scan, &site, passed, &text);
        const size_t at = scan->tokens[begin].begin;
        replace(r, at, end > begin ? scan->tokens[end - 1].end : at, text.text);
    }
}

static void add_kernel(struct rewriting *r, const struct gr_function *f, const char *name,
                       const struct plain *p)
{
    struct gr_str text = {0};
    const size_t end = r->scan.tokens[f->body_end - 1].end;
    char *arguments = f->is_template ? gr_template_names(&r->scan, f) : gr_strdup("");
    r->failed |= !arguments;
    gr_str_add(&text, " ");
    add_tokens(&r->scan, (struct gr_range){f->head, f->name}, &text);
    gr_str_printf(&text, "%s(%s) {%s %s_of_structures%s(%s); }", name, gr_str_text(&p->parameters),
                  gr_str_text(&p->values), name, arguments ? arguments : "",
                  gr_str_text(&p->arguments));
    replace(r, end, end, text.text);
    free(arguments);
}

static void rewrite_kernel(struct rewriting *r, const struct gr_function *f)
{
    const struct gr_scan *scan = &r->scan;
    struct plain p = {0};
    struct gr_str own = {0}, passed = {0};
    char *name = gr_token_text(scan, f->name);
    add_own(r, f, &p);
    for (int i = 0; i < r->variables.count; i++) {
        const struct gr_device_variable *v = &r->variables.items[i];
        if (scan->tokens[v->statement.begin].begin >= r->base &&
            gr_device_variable_used(scan, f, v) &&
            !gr_device_variable_shared(scan, &r->variables, v) && !has_other(r, &p, v)) {
            const int before = p.count;
            add_variable(r, v, &p, &own);
            if (p.count == before + 1 && v->extents.end > v->extents.begin)
                note_held(r, f, v, &p);
            blank(r, v->statement);
        }
    }
    if (name && p.changed && !r->failed) {
        make_function(r, f, name);
        drop_prototypes(r, f);
        if (own.length) { /* `(void)` or `()`: there is nothing before the first comma */
            const bool none = f->parameters_end == f->parameters_begin ||
                              gr_token_is(scan, f->parameters_begin, "void");
            const size_t at = scan->tokens[f->parameters_end].begin;
            replace(r, none ? scan->tokens[f->parameters_begin - 1].end : at, at,
                    gr_strdup(gr_str_text(&own) + 2 * none));
        }
        for (int i = 0; i < p.count; i++)
            gr_str_printf(&passed, "%s%s", i ? ", " : "", p.passed[i]);
        pass_members(r, name, gr_str_text(&passed), p.own_count);
        note_call(r, name, &passed, p.own_count);
        add_kernel(r, f, name, &p);
    }
    gr_str_free(&passed);
    gr_str_free(&own);
    free_plain(&p);
    free(name);
}

/* ---- Types of headers ---- */

/* Is it a type that no header of the file has to define? */
static bool is_known_word(const struct gr_scan *scan, const struct gr_function *f, int i)
{
    static const char *const words[] = {"const",
                                        "volatile",
                                        "struct",
                                        "class",
                                        "unsigned",
                                        "signed",
                                        "void",
                                        "bool",
                                        "char",
                                        "short",
                                        "int",
                                        "long",
                                        "float",
                                        "double",
                                        "size_t",
                                        "half",
                                        "__half",
                                        "nv_bfloat16",
                                        "uint",
                                        "__nv_bfloat16",
                                        "int8_t",
                                        "uint8_t",
                                        "int16_t",
                                        "uint16_t",
                                        "int32_t",
                                        "uint32_t",
                                        "int64_t",
                                        "uint64_t",
                                        "std",
                                        "typename",
                                        "float2",
                                        "float4",
                                        "double2",
                                        "int4",
                                        "half2",
                                        "__half2",
                                        "__grid_constant__",
                                        "CUtensorMap",
                                        NULL};
    for (int w = 0; words[w]; w++)
        if (gr_token_is(scan, i, words[w]))
            return true;
    for (int t = f->head; t < f->name; t++)
        if (gr_tokens_same(scan, t, i))
            return true;
    return false;
}

/* Is the directive before token i an #else? */
static bool is_in_else(const struct gr_scan *scan, int i)
{
    while (--i >= 0 && scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        ;
    const char *p = i >= 0 ? scan->text + scan->tokens[i].begin + 1 : "";
    return gr_starts_with(p + strspn(p, " \t"), "else");
}

/* What the macro `name` stands for, malloc'ed; null: there is none. Of several, that of the #else,
 * since nothing is defined from outside. */
static char *macro_of(const struct gr_scan *scan, const char *name)
{
    char *found = NULL;
    int count = 0;
    bool in_else = false;
    for (int i = 0; i < scan->token_count; i++) {
        size_t length = 0;
        const char *body = gr_define_body(scan, i, name, &length);
        if (!body || !length)
            continue;
        count++;
        if (found && !is_in_else(scan, i))
            continue;
        in_else = is_in_else(scan, i);
        free(found);
        found = gr_strndup(body, length);
    }
    if (count < 2 || in_else)
        return found;
    free(found);
    return NULL;
}

/* A type that a header defines as a number's, as `typedef float real;`, becomes that number in the
 * kernel's parameters, since roles and types are read in the kernel's file alone. */
static void resolve_numbers(struct rewriting *r, const struct gr_function *f)
{
    for (int i = f->parameters_begin; i < f->parameters_end;) {
        const int end = parameter_end(&r->scan, i, f->parameters_end);
        struct gr_range type = {0, 0};
        struct gr_member m;
        int at = i;
        const bool read = gr_declarator_read(&r->scan, (struct gr_range){i, end}, &type, &at, &m);
        for (int t = type.begin; read && m.stars <= 1 && t < type.end; t++) {
            if (r->scan.tokens[t].kind != GR_TOKEN_WORD || is_known_word(&r->scan, f, t))
                continue;
            char *word = gr_token_text(&r->scan, t), *body = word ? macro_of(&r->scan, word) : NULL;
            struct gr_parameter p = {.type = body ? body : word};
            char bare[64];
            enum gr_dtype dtype;
            gr_type_resolved(&r->scan, p.type ? p.type : "", bare);
            if (p.type && strcmp(bare, word) != 0 &&
                (gr_parameter_dtype(&r->scan, &p, &dtype) || gr_parameter_bits(&r->scan, &p)))
                replace(r, r->scan.tokens[t].begin, r->scan.tokens[t].end, gr_strdup(bare));
            free(word);
            free(body);
        }
        i = end + 1;
    }
}

/* ---- The file ---- */

/* Has a kernel a parameter of a type that is none of the file's structures? */
static bool has_unknown_types(const struct rewriting *r)
{
    for (int k = 0; k < r->scan.function_count; k++) {
        const struct gr_function *f = &r->scan.functions[k];
        for (int i = f->parameters_begin; f->is_global && i < f->parameters_end;) {
            const int end = parameter_end(&r->scan, i, f->parameters_end);
            struct gr_range type = {0, 0};
            struct gr_member m;
            int at = i;
            if (gr_declarator_read(&r->scan, (struct gr_range){i, end}, &type, &at, &m) &&
                m.stars <= 1 && !gr_structure_of(&r->scan, &r->structures, type, NULL))
                for (int t = type.begin; t < type.end; t++)
                    if (r->scan.tokens[t].kind == GR_TOKEN_WORD && !is_known_word(&r->scan, f, t))
                        return true;
            i = end + 1;
        }
    }
    return false;
}

static void close_rewriting(struct rewriting *r)
{
    for (int i = 0; i < r->edit_count; i++)
        free(r->edits[i].text);
    gr_structures_free(&r->structures);
    gr_scan_free(&r->scan);
}

static char *rewrite(struct rewriting *r)
{
    gr_device_variables_find(&r->scan, &r->structures, &r->variables);
    for (int i = 0; i < r->scan.function_count; i++) {
        const struct gr_function *f = &r->scan.functions[i];
        if (!f->is_global || r->scan.tokens[f->name].begin < r->base)
            continue;
        const int before = r->edit_count;
        if (r->base > 0)
            resolve_numbers(r, f);
        rewrite_kernel(r, f);
        for (; r->failed && r->edit_count > before; r->edit_count--)
            free(r->edits[r->edit_count - 1].text);
        r->failed = false;
    }
    return edited(r);
}

/* Begins again with the headers' text, and with `before`, in front of the file's. *joined has to
 * stay as long as *r. False: that cannot be read. */
static bool join(struct rewriting *r, const char *before, const char *text, struct gr_str *joined)
{
    gr_header_texts(r->path, text, joined);
    gr_str_add(joined, before ? before : "");
    if (joined->length == 0)
        return true;
    gr_str_add(joined, "\n");
    const size_t base = joined->length;
    gr_str_add(joined, text);
    if (joined->failed)
        return false;
    close_rewriting(r);
    *r = (struct rewriting){.path = r->path, .base = base, .notes = r->notes};
    return gr_scan_text(r->path, joined->text, &r->scan, NULL) == GRADUS_OK &&
           gr_structures_find(&r->scan, &r->structures);
}

char *gr_plain_parameters(const char *path, const char *before, const char *text,
                          struct gr_plain_notes *notes)
{
    char *changed = NULL;
    struct gr_str joined = {0};
    if (!strstr(text, "__global__"))
        return NULL;
    struct rewriting *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct rewriting){.path = path, .notes = notes};
    bool read = gr_scan_text(path, text, &r->scan, NULL) == GRADUS_OK;
    read = read && gr_structures_find(&r->scan, &r->structures);
    if (read && has_unknown_types(r))
        read = join(r, before, text, &joined);
    if (read)
        changed = rewrite(r);
    close_rewriting(r);
    free(r);
    gr_str_free(&joined);
    return changed;
}

char *gr_plain_launches(const char *path, const char *text, const struct gr_kernel *k,
                        const char *name)
{
    char *changed = NULL;
    const struct gr_gathered_call *call = NULL;
    for (int i = 0; i < k->call_count; i++)
        if (k->calls[i].kernel && k->calls[i].passed && strcmp(k->calls[i].kernel, name) == 0)
            call = &k->calls[i];
    struct rewriting *r = call ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->path = path;
    if (gr_scan_text(path, text, &r->scan, NULL) == GRADUS_OK) {
        pass_members(r, name, call->passed, call->count);
        changed = edited(r);
    }
    close_rewriting(r);
    free(r);
    return changed;
}

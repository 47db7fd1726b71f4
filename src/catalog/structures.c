/* structures.c: reads the file's structures. SPDX-License-Identifier: MIT */
#include "catalog/structures.h"

#include "base/str.h"
#include "source/class_items.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const struct gr_scan *scan, int i)
{
    return i >= 0 && i < scan->token_count && scan->tokens[i].kind == GR_TOKEN_WORD;
}

static bool is_any(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* The tokens of the type that the word is an alias of: `using W = TYPE;`, `typedef TYPE W;`. */
static struct gr_range aliased(const struct gr_scan *scan, int word)
{
    for (int i = 0; i + 3 < scan->token_count; i++) {
        int end = i + 1;
        if (!gr_token_is(scan, i, "using") && !gr_token_is(scan, i, "typedef"))
            continue;
        while (end < scan->token_count && !gr_token_is(scan, end, ";") &&
               !gr_token_is(scan, end, "{") && scan->tokens[end].kind != GR_TOKEN_DIRECTIVE)
            end++;
        if (!gr_token_is(scan, end, ";"))
            continue;
        if (gr_token_is(scan, i, "typedef") && gr_tokens_same(scan, end - 1, word))
            return (struct gr_range){i + 1, end - 1};
        if (gr_token_is(scan, i + 2, "=") && gr_tokens_same(scan, i + 1, word))
            return (struct gr_range){i + 3, end};
    }
    return (struct gr_range){0, 0};
}

const struct gr_structure *gr_structure_of(const struct gr_scan *scan,
                                           const struct gr_structures *s, struct gr_range type,
                                           struct gr_range *arguments)
{
    static const char *const silent[] = {
        "const", "struct", "class", "volatile", "typename", "__grid_constant__", ":", NULL};
    enum { DEEPEST = 8 };
    for (int depth = 0; depth < DEEPEST && type.end > type.begin; depth++) {
        int word = -1;
        struct gr_range of = {0, 0};
        for (int i = type.begin; i < type.end; i++) {
            if (is_any(scan, i, silent) || gr_token_is(scan, i + 1, ":"))
                continue; /* and the name of a namespace */
            if (word >= 0 && gr_token_is(scan, i, "<") && of.end == 0) {
                of = (struct gr_range){i + 1, gr_token_close_angle(scan, i, type.end) - 1};
                i = of.end;
                continue;
            }
            if (word >= 0 || !is_word(scan, i))
                return NULL;
            word = i;
        }
        for (int i = 0; word >= 0 && i < s->count; i++) {
            const struct gr_structure *one = &s->items[i];
            const bool is_template = one->parameters.end > one->parameters.begin;
            if (((one->name >= 0 && gr_tokens_same(scan, word, one->name)) ||
                 (one->alias >= 0 && gr_tokens_same(scan, word, one->alias))) &&
                is_template == (of.end > 0)) {
                if (arguments)
                    *arguments = of;
                return one;
            }
        }
        if (word < 0 || of.end > 0)
            return NULL;
        type = aliased(scan, word);
    }
    return NULL;
}

/* ---- Templates ---- */

/* The end of an item of `<…>`: its comma, or `end`. */
static int item_end(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ","))
        i = gr_token_is(scan, i, "<")   ? gr_token_close_angle(scan, i, end)
            : gr_token_is(scan, i, "(") ? gr_token_close(scan, i, end)
                                        : i + 1;
    return i;
}

/* The tokens of the template's parameter `which`, without its default, which *value gets. */
static struct gr_range parameter(const struct gr_scan *scan, const struct gr_structure *s,
                                 int which, struct gr_range *value)
{
    int begin = s->parameters.begin;
    for (int i = 0; i < which && begin < s->parameters.end; i++)
        begin = item_end(scan, begin, s->parameters.end) + 1;
    if (begin >= s->parameters.end)
        return (struct gr_range){0, 0};
    const int end = item_end(scan, begin, s->parameters.end);
    int equals = begin;
    while (equals < end && !gr_token_is(scan, equals, "="))
        equals++;
    *value = (struct gr_range){equals < end ? equals + 1 : end, end};
    return (struct gr_range){begin, equals};
}

char *gr_structure_text(const struct gr_scan *scan, const struct gr_bound_structure *bound,
                        struct gr_range tokens)
{
    struct gr_str out = {0};
    for (int i = tokens.begin; i < tokens.end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        const char *value = NULL;
        for (int p = 0; bound && p < bound->count; p++) {
            struct gr_range ignored;
            const struct gr_range of = parameter(scan, bound->structure, p, &ignored);
            if (of.end > of.begin && gr_tokens_same(scan, of.end - 1, i))
                value = bound->arguments[p];
        }
        const bool spaced = i > tokens.begin && is_word(scan, i) && is_word(scan, i - 1);
        gr_str_add(&out, spaced ? " " : "");
        if (value)
            gr_str_add(&out, value);
        else
            gr_str_add_bytes(&out, scan->text + t->begin, t->end - t->begin);
    }
    if (out.text && !out.failed)
        return out.text;
    gr_str_free(&out);
    return NULL;
}

void gr_bound_structure_free(struct gr_bound_structure *bound)
{
    while (bound->count > 0)
        free(bound->arguments[--bound->count]);
}

bool gr_structure_bind(const struct gr_scan *scan, const struct gr_structure *structure,
                       struct gr_range arguments, const struct gr_bound_structure *outer,
                       struct gr_bound_structure *bound)
{
    *bound = (struct gr_bound_structure){.structure = structure};
    int at = arguments.begin;
    for (int p = 0;; p++) {
        struct gr_range value;
        const struct gr_range of = parameter(scan, structure, p, &value);
        if (of.end <= of.begin)
            break;
        const bool given = at < arguments.end;
        const int end = given ? item_end(scan, at, arguments.end) : at;
        char *text = p == GR_MOST_STRUCTURE_ARGUMENTS ? NULL
                     : given ? gr_structure_text(scan, outer, (struct gr_range){at, end})
                             : gr_structure_text(scan, bound, value);
        if (!text) {
            gr_bound_structure_free(bound);
            return false;
        }
        bound->arguments[bound->count++] = text;
        at = end + 1;
    }
    return true;
}

int gr_structure_pointers(const struct gr_structure *structure)
{
    int count = 0;
    for (int i = 0; i < structure->member_count; i++) {
        const struct gr_member *m = &structure->members[i];
        count += m->stars == 1               ? 1
                 : m->structure && !m->stars ? gr_structure_pointers(m->structure)
                                             : 0;
    }
    return count;
}

bool gr_declarator_read(const struct gr_scan *scan, struct gr_range declaration,
                        struct gr_range *type, int *at, struct gr_member *member)
{
    static const char *const silent[] = {"__restrict__", "__restrict", "restrict", "const", NULL};
    int i = *at;
    if (i == declaration.begin) { /* the type ends before the first star, or before the name */
        while (i < declaration.end &&
               (is_word(scan, i) || gr_token_is(scan, i, ":") || gr_token_is(scan, i, "<")))
            i = gr_token_is(scan, i, "<") ? gr_token_close_angle(scan, i, declaration.end) : i + 1;
        type->begin = declaration.begin;
        type->end = gr_token_is(scan, i, "*") ? i : i - 1;
        i = type->end;
    }
    *member = (struct gr_member){.type = *type};
    for (; gr_token_is(scan, i, "*") || is_any(scan, i, silent); i++)
        member->stars += gr_token_is(scan, i, "*");
    member->name = i;
    *at = i + 1;
    return type->end > type->begin && is_word(scan, i) && i < declaration.end &&
           (i + 1 == declaration.end || gr_token_is(scan, i + 1, ",") ||
            gr_token_is(scan, i + 1, "=") || gr_token_is(scan, i + 1, "["));
}

/* Past the default value of a member, and its comma. */
static int after_value(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ","))
        i = gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{") ? gr_token_close(scan, i, end)
                                                                   : i + 1;
    return i + 1;
}

/* Reads `int M, N, *A` as members. */
static bool read_members(const struct gr_scan *scan, const struct gr_structures *known,
                         struct gr_range declaration, struct gr_structure *s)
{
    struct gr_range type = {0, 0};
    for (int at = declaration.begin; at < declaration.end;) {
        struct gr_member *m = &s->members[s->member_count];
        if (s->member_count == GR_MOST_MEMBERS ||
            !gr_declarator_read(scan, declaration, &type, &at, m) || gr_token_is(scan, at, "["))
            return false;
        m->structure = gr_structure_of(scan, known, type, NULL);
        if (m->structure && m->structure->is_made && !m->stars)
            return false;
        s->member_count++;
        at = after_value(scan, at, declaration.end);
    }
    return true;
}

/* Does the function at [begin, end) have the structure's own name, as a constructor has? */
static bool is_constructor(const struct gr_scan *scan, const struct gr_structure *s, int begin,
                           int end)
{
    for (int i = begin; i + 1 < end && s->name >= 0 && !gr_token_is(scan, i, "{"); i++)
        if (gr_tokens_same(scan, i, s->name) && gr_token_is(scan, i + 1, "("))
            return true;
    return false;
}

/* Is the word, which `using word = …;` in the structure's body defines, a part of a member's type?
 * Outside of the structure it has no meaning. */
static bool is_of_member(const struct gr_scan *scan, const struct gr_structure *s, int word)
{
    for (int i = 0; i < s->member_count; i++)
        for (int t = s->members[i].type.begin; t < s->members[i].type.end; t++)
            if (gr_tokens_same(scan, t, word))
                return true;
    return false;
}

static bool has_own_types(const struct gr_scan *scan, const struct gr_structure *s, int begin,
                          int end)
{
    for (int i = begin; i + 1 < end; i++)
        if ((gr_token_is(scan, i, "using") && is_of_member(scan, s, i + 1)) ||
            (gr_token_is(scan, i, "typedef") && gr_token_is(scan, i + 3, ";") &&
             is_of_member(scan, s, i + 2)))
            return true;
    return false;
}

static bool read_body(const struct gr_scan *scan, const struct gr_structures *known, int begin,
                      int end, struct gr_structure *s)
{
    static const char *const other[] = {"virtual", "union", "enum", NULL};
    static const char *const silent[] = {"static", "using", "typedef", "friend", NULL};
    static const char *const hiding[] = {"private", "protected", NULL};
    for (int i = begin; i < end;) {
        if ((gr_token_is(scan, i, "public") || is_any(scan, i, hiding)) &&
            gr_token_is(scan, i + 1, ":")) {
            s->is_made |= is_any(scan, i, hiding);
            i += 2;
            continue;
        }
        const struct gr_class_item item = gr_class_item_at(scan, i, end);
        const bool is_function = item.is_function;
        const int past = item.end;
        if (is_any(scan, i, other))
            return false;
        s->is_made |= is_function && is_constructor(scan, s, i, past);
        if (!is_function && past > i && !is_any(scan, i, silent) &&
            !read_members(scan, known, (struct gr_range){i, past}, s))
            return false;
        i = past + gr_token_is(scan, past, ";");
    }
    return !has_own_types(scan, s, begin, end);
}

/* The parameters of the template whose `>` is before token i; empty: it is no template. */
static struct gr_range template_before(const struct gr_scan *scan, int i)
{
    int depth = 0, open = i - 1;
    if (!gr_token_is(scan, open, ">"))
        return (struct gr_range){0, 0};
    for (; open > 0; open--) {
        depth += gr_token_is(scan, open, ">");
        depth -= gr_token_is(scan, open, "<");
        if (depth == 0)
            break;
    }
    return gr_token_is(scan, open - 1, "template") ? (struct gr_range){open + 1, i - 1}
                                                   : (struct gr_range){0, 0};
}

/* The token of the structure's name after `struct` at token i, or of its `{`. */
static int after_attributes(const struct gr_scan *scan, int i)
{
    while (gr_token_is(scan, i + 1, "__align__") || gr_token_is(scan, i + 1, "alignas"))
        i = gr_token_close(scan, i + 2, scan->token_count) - 1;
    return i + 1;
}

bool gr_structures_find(const struct gr_scan *scan, struct gr_structures *list)
{
    size_t most = 1;
    for (int i = 0; i < scan->token_count; i++)
        most += gr_token_is(scan, i, "struct") || gr_token_is(scan, i, "class");
    /* Allocated at once, since members point to structures before them. */
    *list = (struct gr_structures){.items = calloc(most, sizeof *list->items)};
    if (!list->items)
        return false;
    for (int i = 0; i + 1 < scan->token_count; i++) {
        const bool is_class = gr_token_is(scan, i, "class");
        if (!gr_token_is(scan, i, "struct") && !is_class)
            continue;
        const bool is_alias = gr_token_is(scan, i - 1, "typedef");
        const int at = after_attributes(scan, i);
        const bool named = is_word(scan, at);
        const int open = at + named;
        const struct gr_range parameters = template_before(scan, i);
        if (!gr_token_is(scan, open, "{") ||
            (gr_token_is(scan, i - 1, ">") && parameters.end <= parameters.begin))
            continue;
        const int close = gr_token_close(scan, open, scan->token_count);
        struct gr_structure s = {
            .name = named ? at : -1, .alias = is_alias ? close : -1, .parameters = parameters};
        s.is_made = is_class && !gr_token_is(scan, open + 1, "public");
        if (!read_body(scan, list, open + 1, close - 1, &s))
            continue;
        list->items[list->count++] = s;
    }
    return true;
}

void gr_structures_free(struct gr_structures *structures)
{
    free(structures->items);
    *structures = (struct gr_structures){0};
}

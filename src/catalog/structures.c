/* structures.c: reads the file's structures. SPDX-License-Identifier: MIT */
#include "catalog/structures.h"

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

const struct gr_structure *gr_structure_of(const struct gr_scan *scan,
                                           const struct gr_structures *s, struct gr_range type)
{
    static const char *const silent[] = {"const", "struct", "volatile", "__grid_constant__", NULL};
    int word = -1;
    for (int i = type.begin; i < type.end; i++) {
        if (is_any(scan, i, silent))
            continue;
        if (word >= 0 || !is_word(scan, i))
            return NULL;
        word = i;
    }
    for (int i = 0; word >= 0 && i < s->count; i++)
        if ((s->items[i].name >= 0 && gr_tokens_same(scan, word, s->items[i].name)) ||
            (s->items[i].alias >= 0 && gr_tokens_same(scan, word, s->items[i].alias)))
            return &s->items[i];
    return NULL;
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
        while (i < declaration.end && (is_word(scan, i) || gr_token_is(scan, i, ":")))
            i++;
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
        m->structure = gr_structure_of(scan, known, type);
        s->member_count++;
        at = after_value(scan, at, declaration.end);
    }
    return true;
}

/* The end of the declaration or function at i of a structure's body. *is_function: it has
 * parentheses outside of a default value. */
static int end_of_item(const struct gr_scan *scan, int i, int end, bool *is_function)
{
    bool value = false;
    *is_function = false;
    for (; i < end && !gr_token_is(scan, i, ";"); i++) {
        value |= gr_token_is(scan, i, "=");
        if (gr_token_is(scan, i, "(")) {
            *is_function |= !value;
            i = gr_token_close(scan, i, end) - 1;
        } else if (gr_token_is(scan, i, "{")) {
            i = gr_token_close(scan, i, end) - 1;
            if (*is_function)
                return i + 1;
        }
    }
    return i;
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

static bool read_body(const struct gr_scan *scan, const struct gr_structures *known, int begin,
                      int end, struct gr_structure *s)
{
    static const char *const other[] = {"private",  "protected", "virtual", "static",
                                        "template", "using",     "typedef", "union",
                                        "friend",   "enum",      NULL};
    for (int i = begin; i < end;) {
        bool is_function;
        if (gr_token_is(scan, i, "public") && gr_token_is(scan, i + 1, ":")) {
            i += 2;
            continue;
        }
        const int past = end_of_item(scan, i, end, &is_function);
        if (is_any(scan, i, other) || (is_function && is_constructor(scan, s, i, past)))
            return false;
        if (!is_function && past > i && !read_members(scan, known, (struct gr_range){i, past}, s))
            return false;
        i = past + gr_token_is(scan, past, ";");
    }
    return true;
}

bool gr_structures_find(const struct gr_scan *scan, struct gr_structures *list)
{
    size_t most = 1;
    for (int i = 0; i < scan->token_count; i++)
        most += gr_token_is(scan, i, "struct");
    /* All at once, since members point to structures before them. */
    *list = (struct gr_structures){.items = calloc(most, sizeof *list->items)};
    if (!list->items)
        return false;
    for (int i = 0; i + 1 < scan->token_count; i++) {
        if (!gr_token_is(scan, i, "struct"))
            continue;
        const bool is_alias = gr_token_is(scan, i - 1, "typedef");
        const bool named = is_word(scan, i + 1);
        const int open = i + 1 + named;
        if (!gr_token_is(scan, open, "{") || gr_token_is(scan, i - 1, ">"))
            continue;
        const int close = gr_token_close(scan, open, scan->token_count);
        struct gr_structure s = {.name = named ? i + 1 : -1, .alias = is_alias ? close : -1};
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

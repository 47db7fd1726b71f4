/* given_constants.c: puts the numbers of `define` lines into a file's text.
 * SPDX-License-Identifier: MIT */
#include "catalog/given_constants.h"

#include "base/str.h"
#include "catalog/header_texts.h"
#include "catalog/keywords.h"
#include "source/defines.h"
#include "source/launchfind.h"
#include "source/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GIVEN = 16 };

struct given {
    char *name, *value;
    size_t begin, end; /* what the value replaces */
};

struct givens {
    struct given items[MOST_GIVEN];
    int count;
};

static size_t word_length(const char *p)
{
    size_t length = 0;
    while (isalnum((unsigned char)p[length]) || p[length] == '_')
        length++;
    return length;
}

/* Adds "N=512, SIZE=64"; a name that is given already keeps its value. */
static void add_items(const char *p, const char *end, struct givens *g)
{
    while (p < end && g->count < MOST_GIVEN) {
        p += strspn(p, " \t,");
        const size_t name = word_length(p);
        const char *value = p + name + strspn(p + name, " \t");
        if (p >= end || name == 0 || *value != '=')
            return;
        value += 1 + strspn(value + 1, " \t");
        const size_t digits = word_length(value);
        bool known = false;
        for (int i = 0; i < g->count; i++)
            known |= strlen(g->items[i].name) == name && strncmp(g->items[i].name, p, name) == 0;
        if (!known)
            g->items[g->count++] =
                (struct given){.name = gr_strndup(p, name), .value = gr_strndup(value, digits)};
        p = value + digits;
    }
}

/* The `define` lines of `lines`, each after `head`. */
static void add_lines(const char *lines, const char *head, struct givens *g)
{
    for (const char *p = lines; p && *p; p += *p == '\n') {
        const char *end = p + strcspn(p, "\n");
        p += strspn(p, " \t");
        if (gr_starts_with(p, head)) {
            p += strlen(head);
            p += strspn(p, " \t");
            if (gr_starts_with(p, "define") && (p[6] == ' ' || p[6] == '\t'))
                add_items(p + 6, end, g);
        }
        p = end;
    }
}

static void find_all(const char *text, const char *extra, struct givens *g)
{
    add_lines(extra, "", g);
    add_lines(text, "//@", g);
}

static void free_all(struct givens *g)
{
    for (int i = 0; i < g->count; i++) {
        free(g->items[i].name);
        free(g->items[i].value);
    }
}

bool gr_is_given_constant(const char *text, const char *extra, const char *name)
{
    struct givens g = {.count = 0};
    bool is = false;
    find_all(text, extra, &g);
    for (int i = 0; i < g.count; i++)
        is |= g.items[i].name && strcmp(g.items[i].name, name) == 0;
    free_all(&g);
    return is;
}

/* Where the file has the number: the body of its macro, or the value of its constant. */
static bool place_in_file(const struct gr_scan *scan, struct given *x)
{
    const int define = gr_define_find(scan, x->name);
    size_t length = 0;
    struct gr_range value;
    const char *body = define >= 0 ? gr_define_body(scan, define, x->name, &length) : NULL;
    if (body) {
        x->begin = (size_t)(body - scan->text);
        x->end = x->begin + length;
    } else if (gr_constant_find(scan, x->name, &value) && value.end > value.begin) {
        x->begin = scan->tokens[value.begin].begin;
        x->end = scan->tokens[value.end - 1].end;
    }
    return x->end > x->begin;
}

/* The first declaration: what is there is in no directive. */
static size_t first_declaration(const struct gr_scan *scan)
{
    for (int i = 0; i < scan->token_count; i++)
        if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
            return scan->tokens[i].begin;
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct given *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void drop(struct givens *g, int i)
{
    free(g->items[i].name);
    free(g->items[i].value);
    g->items[i] = g->items[--g->count];
}

/* Is the name a word of a condition, as in `#ifdef NAME`? */
static bool is_condition(const struct gr_scan *scan, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < scan->token_count; i++) {
        const char *p = scan->text + scan->tokens[i].begin, *end = scan->text + scan->tokens[i].end;
        if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        p += 1 + strspn(p + 1, " \t");
        if (!gr_starts_with(p, "if") && !gr_starts_with(p, "elif"))
            continue;
        for (p += word_length(p); p < end;) {
            const size_t word = word_length(p);
            if (word == length && strncmp(p, name, length) == 0)
                return true;
            p += word ? word : 1;
        }
    }
    return false;
}

/* Drops the names that the headers define, where they get their numbers (gr_given_in_header). */
static void drop_of_headers(const char *path, const char *text, struct givens *g)
{
    struct gr_str headers = {0};
    struct gr_scan scan;
    gr_header_texts(path, text, &headers);
    if (headers.length && gr_scan_text(path, headers.text, &scan, NULL) == GRADUS_OK) {
        for (int i = g->count - 1; i >= 0; i--) {
            struct given x = {.name = g->items[i].name};
            if (g->items[i].end == g->items[i].begin && place_in_file(&scan, &x))
                drop(g, i);
        }
        gr_scan_free(&scan);
    }
    gr_str_free(&headers);
}

/* The text with the numbers, each in its place. */
static char *write_text(const struct gr_scan *scan, struct givens *g)
{
    struct gr_str out = {0};
    size_t at = 0;
    qsort(g->items, (size_t)g->count, sizeof *g->items, by_place);
    for (int i = 0; i < g->count; i++) {
        const struct given *x = &g->items[i];
        gr_str_add_bytes(&out, scan->text + at, x->begin - at);
        if (x->end > x->begin)
            gr_str_add(&out, x->value);
        else
            gr_str_printf(&out, "constexpr int %s = %s; ", x->name, x->value);
        at = x->end;
    }
    gr_str_add(&out, scan->text + at);
    if (out.failed)
        gr_str_free(&out);
    return out.text;
}

static void place_all(const char *path, const struct gr_scan *scan, struct givens *g)
{
    bool placed = true;
    for (int i = 0; i < g->count; i++)
        placed &= place_in_file(scan, &g->items[i]);
    if (!placed)
        drop_of_headers(path, scan->text, g);
    for (int i = g->count - 1; i >= 0; i--)
        if (g->items[i].end == g->items[i].begin && is_condition(scan, g->items[i].name))
            drop(g, i);
    for (int i = 0; i < g->count; i++)
        if (g->items[i].end == g->items[i].begin)
            g->items[i].begin = g->items[i].end = first_declaration(scan);
}

char *gr_given_constants(const char *path, const char *text, const char *extra)
{
    struct givens g = {.count = 0};
    struct gr_scan scan;
    char *changed = NULL;
    bool complete = true;
    find_all(text, extra, &g);
    for (int i = 0; i < g.count; i++)
        complete &= g.items[i].name && g.items[i].value;
    if (g.count && complete && gr_scan_text(path, text, &scan, NULL) == GRADUS_OK) {
        place_all(path, &scan, &g);
        changed = g.count ? write_text(&scan, &g) : NULL;
        gr_scan_free(&scan);
    }
    free_all(&g);
    return changed;
}

char *gr_given_in_header(const char *header, const char *text, const char *extra)
{
    struct givens g = {.count = 0};
    struct gr_scan scan;
    char *changed = NULL;
    find_all(text, extra, &g);
    if (g.count && gr_scan_text("", header, &scan, NULL) == GRADUS_OK) {
        for (int i = g.count - 1; i >= 0; i--)
            if (!g.items[i].name || !g.items[i].value || !place_in_file(&scan, &g.items[i]))
                drop(&g, i);
        changed = g.count ? write_text(&scan, &g) : NULL;
        gr_scan_free(&scan);
    }
    free_all(&g);
    return changed;
}

void gr_given_conditions(const char *path, const char *text, const char *extra, struct gr_str *out)
{
    struct givens g = {.count = 0};
    struct gr_scan scan;
    find_all(text, extra, &g);
    if (g.count && gr_scan_text(path, text, &scan, NULL) == GRADUS_OK) {
        for (int i = 0; i < g.count; i++) {
            struct given *x = &g.items[i];
            if (x->name && x->value && !place_in_file(&scan, x) && is_condition(&scan, x->name))
                gr_str_printf(out, "#define %s %s\n", x->name, x->value);
        }
        gr_scan_free(&scan);
    }
    free_all(&g);
}

/* Reads "N=512, SIZE=64". What it means is in gr_given_constants. */
enum gradus_status gr_read_define(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)r, (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        struct gr_text name = {0};
        int64_t value;
        status = gr_cursor_name(&item, "a name such as N", &name);
        free(name.text);
        if (status == GRADUS_OK && !gr_cursor_accept(&item, '='))
            status = gr_cursor_fail(&item, "wanted '=' and a number after the name");
        if (status == GRADUS_OK)
            status = gr_cursor_integer(&item, "a number", &value);
        if (status == GRADUS_OK)
            status = gr_cursor_done(&item, "the number");
    }
    return status;
}

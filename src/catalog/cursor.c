/* cursor.c: reads one front-matter line from left to right. SPDX-License-Identifier: MIT */
#include "catalog/cursor.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int column_of(const struct gr_cursor *c, const char *p)
{
    return (int)(p - c->line_start) + 1;
}

static struct gr_place place_of(const struct gr_cursor *c, const char *p)
{
    return (struct gr_place){.option = c->option, .line = c->line, .column = column_of(c, p)};
}

struct gr_place gr_cursor_place(const struct gr_cursor *c)
{
    return place_of(c, c->p);
}

enum gradus_status gr_cursor_fail(const struct gr_cursor *c, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gr_fail_at(c->error, c->path, place_of(c, c->p), "%s", text);
}

bool gr_cursor_ends(struct gr_cursor *c)
{
    while (c->p < c->end && isspace((unsigned char)*c->p))
        c->p++;
    return c->p == c->end;
}

bool gr_cursor_accept(struct gr_cursor *c, char character)
{
    if (gr_cursor_ends(c) || *c->p != character)
        return false;
    c->p++;
    return true;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *gr_cursor_found(struct gr_cursor *c, char *text, size_t size)
{
    if (gr_cursor_ends(c)) {
        /* An item of a list ends before the end of the line. */
        bool inside = *c->end && strchr(",]\"@", *c->end);
        snprintf(text, size, inside ? "'%c'" : "the end of the line", *c->end);
        return text;
    }
    const char *q = c->p;
    while (q < c->end && is_name(*q))
        q++;
    if (q > c->p)
        snprintf(text, size, "'%.*s'", (int)(q - c->p), c->p);
    else if (isprint((unsigned char)*c->p))
        snprintf(text, size, "'%c'", *c->p);
    else
        snprintf(text, size, "byte 0x%02x", (unsigned char)*c->p);
    return text;
}

bool gr_cursor_item(struct gr_cursor *c, struct gr_cursor *item)
{
    if (gr_cursor_ends(c) && !c->more)
        return false;
    *item = *c;
    item->more = false;
    int depth = 0;
    bool quoted = false;
    for (; c->p < c->end; c->p++) {
        if (*c->p == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        depth += *c->p == '(' || *c->p == '[' || *c->p == '{';
        depth -= *c->p == ')' || *c->p == ']' || *c->p == '}';
        if (*c->p == ',' && depth <= 0)
            break;
    }
    item->end = c->p;
    gr_cursor_ends(item);
    while (item->end > item->p && isspace((unsigned char)item->end[-1]))
        item->end--;
    c->more = gr_cursor_accept(c, ',');
    return true;
}

static enum gradus_status take(struct gr_cursor *c, const char *q, struct gr_text *text)
{
    text->place = place_of(c, c->p);
    free(text->text);
    text->text = gr_strndup(c->p, (size_t)(q - c->p));
    c->p = q;
    return text->text ? GRADUS_OK : gr_fail_memory(c->error, "front matter", 0);
}

static enum gradus_status wanted(struct gr_cursor *c, const char *what)
{
    char text[200];
    return gr_cursor_fail(c, "found %s, wanted %s", gr_cursor_found(c, text, sizeof text), what);
}

enum gradus_status gr_cursor_name(struct gr_cursor *c, const char *what, struct gr_text *name)
{
    if (gr_cursor_ends(c) || !is_name(*c->p) || isdigit((unsigned char)*c->p))
        return wanted(c, what);
    const char *q = c->p;
    while (q < c->end && is_name(*q))
        q++;
    return take(c, q, name);
}

enum gradus_status gr_cursor_word(struct gr_cursor *c, const char *what, struct gr_text *word)
{
    if (gr_cursor_ends(c))
        return wanted(c, what);
    const char *q = c->p;
    while (q < c->end && !isspace((unsigned char)*q))
        q++;
    return take(c, q, word);
}

enum gradus_status gr_cursor_integer(struct gr_cursor *c, const char *what, int64_t *value)
{
    gr_cursor_ends(c);
    const char *q = c->p;
    bool negative = q < c->end && *q == '-';
    q += negative;
    if (q == c->end || !isdigit((unsigned char)*q))
        return wanted(c, what);
    int64_t x = 0;
    for (; q < c->end && isdigit((unsigned char)*q); q++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *q - '0', &x))
            return gr_cursor_fail(c, "a number that does not fit 64 bits, wanted %s", what);
    if (q < c->end && (is_name(*q) || *q == '.')) {
        c->p = q;
        return gr_cursor_fail(c, "'%c' after a number, wanted %s", *q, what);
    }
    c->p = q;
    *value = negative ? -x : x;
    return GRADUS_OK;
}

enum gradus_status gr_cursor_rest(struct gr_cursor *c, const char *what, struct gr_text *text)
{
    if (gr_cursor_ends(c))
        return wanted(c, what);
    const char *q = c->end;
    while (isspace((unsigned char)q[-1]))
        q--;
    enum gradus_status status = take(c, q, text);
    c->p = c->end;
    return status;
}

enum gradus_status gr_cursor_done(struct gr_cursor *c, const char *after)
{
    if (gr_cursor_ends(c))
        return GRADUS_OK;
    char text[200];
    return gr_cursor_fail(c, "found %s after %s, wanted the end of the line",
                          gr_cursor_found(c, text, sizeof text), after);
}

void *gr_grown(void *items, int count, size_t size)
{
    char *grown = realloc(items, ((size_t)count + 1) * size);
    if (grown)
        memset(grown + (size_t)count * size, 0, size);
    return grown;
}

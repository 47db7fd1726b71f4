/* python.c: reads the CUDA text in the strings of a Python file. SPDX-License-Identifier: MIT */
#include "source/python.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A string: its prefix and quotes begin at `begin`, its content is [from, to), and what follows its
 * quotes begins at `end`. */
struct literal {
    size_t begin, from, to, end;
    bool is_raw, is_format;
};

bool gr_is_python_path(const char *path)
{
    return gr_ends_with(path, ".py");
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The prefix of a string, as in r"…" and rf"…", is a part of it. */
static void read_prefix(const char *text, struct literal *s)
{
    size_t at = s->begin;
    while (at > 0 && s->begin - at < 2 && strchr("rRbBuUfF", text[at - 1]))
        at--;
    if (at > 0 && is_word(text[at - 1]))
        return;
    for (size_t i = at; i < s->begin; i++) {
        s->is_raw |= tolower((unsigned char)text[i]) == 'r';
        s->is_format |= tolower((unsigned char)text[i]) == 'f';
    }
    s->begin = at;
}

/* Reads the string whose first quote is at `quote`. */
static struct literal read_literal(const char *text, size_t quote)
{
    const char *q = text + quote;
    const bool is_long = q[1] == q[0] && q[2] == q[0];
    struct literal s = {.begin = quote, .from = quote + (is_long ? 3 : 1)};
    read_prefix(text, &s);
    const char *p = text + s.from;
    while (*p && !(is_long ? p[0] == *q && p[1] == *q && p[2] == *q : *p == *q || *p == '\n'))
        p += *p == '\\' && p[1] ? 2 : 1;
    s.to = (size_t)(p - text);
    s.end = s.to + (*p == 0 || *p == '\n' ? 0 : is_long ? 3 : 1);
    return s;
}

static bool has(const char *text, const struct literal *s, const char *word)
{
    return memmem(text + s->from, s->to - s->from, word, strlen(word)) != NULL;
}

/* Is it CUDA or C++, and no text that speaks of it? */
static bool is_device_text(const char *text, const struct literal *s)
{
    const bool code = has(text, s, "{") && (has(text, s, "__global__") ||
                                            has(text, s, "__device__") || has(text, s, "<<<"));
    return code || has(text, s, "#include") || has(text, s, "#define");
}

static void blank(const char *text, size_t from, size_t to, struct gr_str *out)
{
    for (size_t i = from; i < to; i++)
        gr_str_add_bytes(out, text[i] == '\n' ? "\n" : " ", 1);
}

/* The number that a line `NAME = 32` of the file assigns; null: there is none. */
static char *assigned(const char *text, const char *name, size_t length)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *p = line + strspn(line, " \t");
        if (strncmp(p, name, length) != 0)
            continue;
        p += length + strspn(p + length, " \t");
        if (p[0] != '=' || p[1] == '=')
            continue;
        p += 1 + strspn(p + 1, " \t");
        const size_t digits = strspn(p, "0123456789");
        if (digits && !is_word(p[digits]) && p[digits] != '.')
            return gr_strndup(p, digits);
    }
    return NULL;
}

/* Writes what the brace at i of an f-string stands for. The number of characters that it read. */
static size_t write_brace(const char *text, size_t i, struct gr_str *out)
{
    if (text[i + 1] == text[i]) {
        gr_str_add_bytes(out, text + i, 1);
        return 2;
    }
    size_t length = 1;
    while (is_word(text[i + length]))
        length++;
    char *number = text[i] == '{' && text[i + length] == '}' && length > 1
                       ? assigned(text, text + i + 1, length - 1)
                       : NULL;
    if (!number) {
        gr_str_add_bytes(out, text + i, 1);
        return 1;
    }
    gr_str_add(out, number);
    free(number);
    return length + 1;
}

/* Writes what the escape at i stands for. A line's end in a string would move the lines behind it,
 * and is a blank. The number of characters that it read. */
static size_t write_escape(const char *text, size_t i, struct gr_str *out)
{
    static const char blanks[] = "ntrfv";
    const char next = text[i + 1];
    if (next && strchr(blanks, next))
        gr_str_add(out, " ");
    else if (next == '\\' || next == '"' || next == '\'')
        gr_str_add_bytes(out, &next, 1);
    else
        gr_str_add_bytes(out, text + i, 2);
    return 2;
}

static void write_content(const char *text, const struct literal *s, struct gr_str *out)
{
    for (size_t i = s->from; i < s->to;) {
        if (!s->is_raw && text[i] == '\\' && i + 1 < s->to) {
            i += write_escape(text, i, out);
        } else if (s->is_format && (text[i] == '{' || text[i] == '}')) {
            i += write_brace(text, i, out);
        } else {
            gr_str_add_bytes(out, text + i, 1);
            i++;
        }
    }
}

char *gr_python_device_text(const char *text)
{
    struct gr_str out = {0};
    size_t done = 0; /* what was written ends here */
    for (size_t i = 0; text[i];) {
        if (text[i] == '#') {
            i += strcspn(text + i, "\n");
        } else if (text[i] == '"' || text[i] == '\'') {
            const struct literal s = read_literal(text, i);
            if (is_device_text(text, &s)) {
                blank(text, done, s.from, &out);
                write_content(text, &s, &out);
                done = s.to;
            }
            i = s.end > i ? s.end : i + 1;
        } else {
            i++;
        }
    }
    blank(text, done, strlen(text), &out);
    if (!out.failed)
        return out.text ? out.text : gr_strdup("");
    gr_str_free(&out);
    return NULL;
}

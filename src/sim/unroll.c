/* unroll.c: finds the `for` loops of a source that have a condition. g++ accepts its unroll pragma
 * only for these, and neither for endless loops nor for loops over a range.
 * SPDX-License-Identifier: MIT */
#include "sim/unroll.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it the separator in a number such as 1'000? */
static bool separates_digits(const char *text, const char *p)
{
    return *p == '\'' && p > text && is_word(p[-1]) && is_word(p[1]) && p[2] != '\'';
}

/* The end of the comment, the string or the character literal that begins at p; p if none does. */
static const char *skip_quoted(const char *text, const char *p)
{
    if (separates_digits(text, p))
        return p;
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return p;
    const char *end = p + 1;
    while (*end && *end != *p && *end != '\n')
        end += *end == '\\' && end[1] ? 2 : 1;
    return *end == *p ? end + 1 : end;
}

/* The end of a directive, with its continuation lines. */
static const char *skip_directive(const char *p)
{
    for (;;) {
        const char *end = p + strcspn(p, "\n");
        bool goes_on = end > p && end[-1] == '\\';
        if (!*end || !goes_on)
            return end;
        p = end + 1;
    }
}

/* Does the loop whose parenthesis is at p have two semicolons with something between them? */
static bool has_condition(const char *text, const char *p)
{
    int depth = 0, semicolons = 0;
    bool something = false;
    while (*p) {
        const char *after = skip_quoted(text, p);
        if (after > p) {
            p = after;
            continue;
        }
        depth += *p == '(' || *p == '{' || *p == '[';
        depth -= *p == ')' || *p == '}' || *p == ']';
        if (depth == 0)
            break;
        if (*p == ';' && depth == 1)
            semicolons++;
        else if (semicolons == 1 && !isspace((unsigned char)*p))
            something = true;
        p++;
    }
    return semicolons == 2 && something;
}

static bool begins_loop(const char *text, const char *p)
{
    if (strncmp(p, "for", 3) != 0 || is_word(p[3]) || (p > text && is_word(p[-1])))
        return false;
    p += 3;
    p += strspn(p, " \t\r\n");
    return *p == '(' && has_condition(text, p);
}

/* Is it `#pragma unroll 1`, perhaps with parentheses around the number? */
static bool forbids(const char *directive)
{
    static const char *const words[] = {"#", "pragma", "unroll"};
    const char *p = directive;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(p, words[i], strlen(words[i])) != 0)
            return false;
        p += strlen(words[i]);
        p += strspn(p, " \t(");
    }
    return *p == '1' && !is_word(p[1]);
}

void gr_sim_unroll_mark(const char *text, struct gr_str *out)
{
    const char *done = text, *p = text;
    bool fresh = true;   /* only blanks so far in this line */
    bool single = false; /* only blanks since a directive that forbids unrolling the next loop */
    while (*p) {
        const char *after = *p == '#' && fresh ? skip_directive(p) : skip_quoted(text, p);
        if (after > p) {
            single = *p == '#' ? forbids(p) : single;
            p = after;
            fresh = false;
            continue;
        }
        if (!single && begins_loop(text, p)) {
            gr_str_add_bytes(out, done, (size_t)(p - done));
            gr_str_add(out, GR_SIM_LOOP);
            p += 3;
            done = p;
            fresh = false;
            continue;
        }
        single = single && isspace((unsigned char)*p);
        fresh = *p == '\n' || (fresh && isspace((unsigned char)*p));
        p++;
    }
    gr_str_add(out, done);
}

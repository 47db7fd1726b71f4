/* source_term.c: parses from an operator in both directions. SPDX-License-Identifier: MIT */
#include "explain/source_term.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A part of a line of the source. */
struct stretch {
    const char *begin, *end;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

static struct stretch line_of(const char *source, int line)
{
    while (line > 1 && *source) {
        line -= *source == '\n';
        source++;
    }
    return (struct stretch){source, source + (line == 1 ? strcspn(source, "\n") : 0)};
}

/* The bracket that matches the one before `end`; `begin` if there is none. */
static const char *opening(const char *begin, const char *end)
{
    int depth = 0;
    for (const char *p = end; p > begin;) {
        p--;
        depth += *p == ')' || *p == ']';
        depth -= *p == '(' || *p == '[';
        if (depth == 0)
            return p;
    }
    return begin;
}

/* The end of the brackets that open at `p`. */
static const char *closing(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
        if (depth == 0)
            return p + 1;
    }
    return end;
}

static const char *blanks_before(const char *begin, const char *p)
{
    while (p > begin && isspace((unsigned char)p[-1]))
        p--;
    return p;
}

static const char *blanks_behind(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

/* The beginning of an operand such as "a->b(c)[d]" that ends at `p`. */
static const char *operand_before(const char *begin, const char *p)
{
    for (;;) {
        if (p > begin && (p[-1] == ')' || p[-1] == ']'))
            p = opening(begin, p);
        else if (p > begin && is_name(p[-1]))
            p--;
        else if (p > begin + 1 && p[-1] == '>' && p[-2] == '-')
            p -= 2;
        else
            return p;
    }
}

static const char *operand_behind(const char *p, const char *end)
{
    bool begun = false;
    p += p < end && *p == '-';
    for (;; begun = true) {
        if (p < end && is_name(*p))
            p++;
        else if (p + 1 < end && p[0] == '-' && p[1] == '>' && begun)
            p += 2;
        else if (p < end && (*p == '(' || *p == '['))
            p = closing(p, end);
        else
            return p;
    }
}

static bool is_operator(char c)
{
    return c != 0 && strchr("*/%+-", c) != NULL;
}

/* The text from the first operand of the sum to its last. */
static struct stretch around(struct stretch line, const char *at)
{
    const char *left = at, *right = at;
    for (const char *p = at; p >= line.begin && is_operator(*p);) {
        const char *end = blanks_before(line.begin, p), *begin = operand_before(line.begin, end);
        if (begin == end)
            break;
        left = begin;
        p = blanks_before(line.begin, left) - 1;
    }
    for (const char *p = at; p < line.end && is_operator(*p);) {
        bool twice = p + 1 < line.end && (p[1] == '=' || p[1] == *p);
        const char *begin = blanks_behind(p + 1 + twice, line.end);
        right = operand_behind(begin, line.end);
        if (right == begin)
            break;
        p = blanks_behind(right, line.end);
    }
    return (struct stretch){left, right > at ? right : at + 1};
}

bool gr_source_term(const char *source, int line, int column, char operation, int *begin,
                    char term[GR_TERM_SIZE])
{
    const struct stretch whole = line_of(source, line);
    const char *at = whole.begin + column - 1;
    struct stretch found;
    if (column < 1 || at >= whole.end)
        return false;
    if (*at == operation)
        found = around(whole, at);
    else if (isalpha((unsigned char)*at) || *at == '_')
        found = (struct stretch){at, operand_behind(at, whole.end)};
    else
        return false;
    size_t length = (size_t)(found.end - found.begin);
    if (length < 2 || length >= GR_TERM_SIZE)
        return false;
    memcpy(term, found.begin, length);
    term[length] = 0;
    *begin = (int)(found.begin - whole.begin) + 1;
    return true;
}

bool gr_source_widened(const char term[GR_TERM_SIZE], char wide[2 * GR_TERM_SIZE + 8])
{
    const char *end = term + strlen(term), *factor = term;
    for (const char *p = term; p < end;) {
        if (*p == '(' || *p == '[') {
            p = closing(p, end);
        } else if (*p == '*' && p > term) {
            snprintf(wide, 2 * GR_TERM_SIZE + 8, "%.*s(size_t)%.*s", (int)(factor - term), term,
                     GR_TERM_SIZE, factor);
            return true;
        } else if (*p == '+' || *p == '-') {
            p = factor = blanks_behind(p + 1 + (p[1] == '='), end);
        } else {
            p++;
        }
    }
    return false;
}

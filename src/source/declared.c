/* declared.c: finds the declarations of a name. SPDX-License-Identifier: MIT */
#include "source/declared.h"

#include "base/str.h"

#include <ctype.h>
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

/* Where the statement, parameter list or template's list with token i begins. */
static int begin_of(const struct gr_scan *scan, int i)
{
    static const char *const ends[] = {";", "{", "}", "(", ")", "<", ":", NULL};
    while (i > 0 && !is_any(scan, i - 1, ends) && scan->tokens[i - 1].kind != GR_TOKEN_DIRECTIVE)
        i--;
    return i;
}

/* Is token i the name in a declaration: behind a type, as in `int BM` and `int *BM`, or behind
 * another name of the same, as in `int BM, BN`; or an enumerator? */
static bool is_declared(const struct gr_scan *scan, int i)
{
    static const char *const before[] = {"return", "case",   "else",  "sizeof", "throw", "goto",
                                         "new",    "delete", "using", "do",     NULL};
    static const char *const after[] = {";", ",", "=", "[", ")", ">", "{", "}", ":", NULL};
    const int begin = begin_of(scan, i);
    if (!is_any(scan, i + 1, after) || is_any(scan, begin, before))
        return false;
    if (gr_token_is(scan, begin - 1, "{") && (begin == i || gr_token_is(scan, i - 1, ",")))
        for (int t = begin - 2; t >= 0 && (is_word(scan, t) || gr_token_is(scan, t, ":")); t--)
            if (gr_token_is(scan, t, "enum"))
                return true;
    bool in_value = false;
    for (int t = begin; t < i; t++)
        in_value = (in_value || gr_token_is(scan, t, "=")) && !gr_token_is(scan, t, ",");
    const bool behind_type = is_word(scan, i - 1) || gr_token_is(scan, i - 1, "*") ||
                             gr_token_is(scan, i - 1, "&") || gr_token_is(scan, i - 1, ",");
    return behind_type && !in_value && begin < i && is_word(scan, begin) &&
           (begin + 1 == i || is_word(scan, begin + 1) || gr_token_is(scan, begin + 1, "*"));
}

/* The brace, parenthesis or angle that holds token i; -1: none. */
static int holder_of(const struct gr_scan *scan, int i)
{
    int depth = 0;
    for (int t = i - 1; t >= 0; t--) {
        if (scan->tokens[t].kind != GR_TOKEN_PUNCTUATION)
            continue;
        const char c = scan->text[scan->tokens[t].begin];
        if (c == ')' || c == '}' || c == ']')
            depth++;
        else if ((c == '(' || c == '{' || c == '[') && depth-- == 0)
            return t;
        else if (c == '<' && depth == 0 && gr_token_is(scan, t - 1, "template"))
            return gr_token_close_angle(scan, t, scan->token_count) > i ? t : -1;
    }
    return -1;
}

/* Is what is behind the brace a namespace or an enumeration, whose names are seen outside? */
static bool is_open(const struct gr_scan *scan, int brace)
{
    static const char *const words[] = {"namespace", "enum", "extern", NULL};
    for (int t = brace - 1; t >= 0 && (is_word(scan, t) || gr_token_is(scan, t, ":") ||
                                       scan->tokens[t].kind == GR_TOKEN_STRING);
         t--)
        if (is_any(scan, t, words))
            return true;
    return false;
}

static bool is_outside(const struct gr_scan *scan, int i)
{
    const struct gr_function *f = gr_function_at(scan, i);
    for (int t = holder_of(scan, i); t >= 0; t = holder_of(scan, t)) {
        if (f && t == f->body_begin)
            return f->is_global;
        if (!gr_token_is(scan, t, "{") || !is_open(scan, t))
            return false;
    }
    return true;
}

enum gr_declared gr_declared_find(const struct gr_scan *scan, const char *name, int *at)
{
    enum gr_declared found = GR_DECLARED_NOWHERE;
    for (int i = 0; i < scan->token_count; i++) {
        if (!gr_token_is(scan, i, name) || !is_word(scan, i))
            continue;
        const bool member = gr_token_is(scan, i - 1, ".") ||
                            (gr_token_is(scan, i - 1, ">") && gr_token_is(scan, i - 2, "-"));
        if (!member && !is_declared(scan, i))
            continue;
        const bool outside = !member && is_outside(scan, i);
        if (outside || found == GR_DECLARED_NOWHERE)
            *at = i;
        if (outside)
            return GR_DECLARED_OUTSIDE;
        found = GR_DECLARED_INSIDE;
    }
    return found;
}

bool gr_condition_names(const struct gr_scan *scan, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < scan->token_count; i++) {
        const struct gr_token *t = &scan->tokens[i];
        char *text = t->kind == GR_TOKEN_DIRECTIVE ? gr_token_text(scan, i) : NULL;
        const char *word = text ? text + 1 + strspn(text + 1, " \t") : "";
        bool named = false;
        if (gr_starts_with(word, "if ") || gr_starts_with(word, "if(") ||
            gr_starts_with(word, "elif"))
            for (const char *p = strstr(word, name); p && !named; p = strstr(p + 1, name))
                named = !isalnum((unsigned char)p[-1]) && p[-1] != '_' &&
                        !isalnum((unsigned char)p[length]) && p[length] != '_';
        free(text);
        if (named)
            return true;
    }
    return false;
}

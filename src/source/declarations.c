/* declarations.c: finds the declarations at file scope other than functions, and which of them
 * only host code needs. SPDX-License-Identifier: MIT */
#include "source/declarations.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool token_is_any(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* ---- Which code names which declaration ---- */

static bool text_has_word(const char *text, size_t length, const char *word, size_t word_length)
{
    for (size_t i = 0; i + word_length <= length; i++)
        if (memcmp(text + i, word, word_length) == 0 &&
            (i == 0 || !is_word_character(text[i - 1])) &&
            (i + word_length == length || !is_word_character(text[i + word_length])))
            return true;
    return false;
}

static bool tokens_have_word(const struct gr_scan *scan, int begin, int end, const char *word,
                             size_t length)
{
    for (int i = begin; i < end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if ((t->kind == GR_TOKEN_WORD || t->kind == GR_TOKEN_DIRECTIVE) &&
            text_has_word(scan->text + t->begin, t->end - t->begin, word, length))
            return true;
    }
    return false;
}

bool gr_tokens_mention_of(const struct gr_scan *by, int begin, int end, const struct gr_scan *scan,
                          int name)
{
    const struct gr_token *t = &scan->tokens[name];
    return tokens_have_word(by, begin, end, scan->text + t->begin, t->end - t->begin);
}

bool gr_tokens_mention(const struct gr_scan *scan, int begin, int end, int name)
{
    return gr_tokens_mention_of(scan, begin, end, scan, name);
}

/* Does the declaration introduce the word at token i? In `float x = 1, y[2];` it introduces
 * words that are followed by such punctuation, or by an attribute; a type declaration introduces
 * the word after `struct` and the like, an enum also its enumerators. */
static bool introduces(const struct gr_scan *scan, const struct gr_declaration *d, int i, int depth)
{
    static const char *const types[] = {"struct", "class", "union", "enum", "typename", NULL};
    static const char *const ends[] = {";", ",", "=", "[", "(", "{", "}", "__attribute__", NULL};
    if (scan->tokens[i].kind != GR_TOKEN_WORD || gr_token_is(scan, i, "__attribute__"))
        return false;
    bool in_enum = gr_token_is(scan, d->begin, "enum") || (gr_token_is(scan, d->begin, "typedef") &&
                                                           gr_token_is(scan, d->begin + 1, "enum"));
    if (depth > 0 && !in_enum)
        return gr_token_is(scan, i - 2, "(") && gr_token_is(scan, i - 1, "*") &&
               gr_token_is(scan, i + 1, ")"); /* (*function)(…) */
    return (i > d->begin && token_is_any(scan, i - 1, types)) || token_is_any(scan, i + 1, ends);
}

/* The token after `template <typename T = float>`, whose parameters are no names of the file. */
static int after_template(const struct gr_scan *scan, const struct gr_declaration *d)
{
    if (!gr_token_is(scan, d->begin, "template"))
        return d->begin;
    return gr_token_close_angle(scan, d->begin + 1, d->end);
}

/* `struct name;`: no code needs it unless it names it. Kept without need, it would name the
 * definition, which may be of a host class. */
static bool is_forward(const struct gr_scan *scan, const struct gr_declaration *d)
{
    static const char *const types[] = {"struct", "class", "union", NULL};
    return d->end - d->begin == 3 && token_is_any(scan, d->begin, types);
}

/* Do the tokens [begin, end) of `by` contain a name that d, of `scan`, declares? */
static bool is_named(const struct gr_scan *scan, const struct gr_declaration *d,
                     const struct gr_scan *by, int begin, int end)
{
    static const char *const opening[] = {"{", "(", "[", NULL}, *const closing[] = {"}", ")", "]",
                                                                                    NULL};
    if (d->is_macro) {
        const char *p = scan->text + scan->tokens[d->begin].begin + 1;
        p = strstr(p, "define") + strlen("define");
        p += strspn(p, " \t");
        size_t length = 0;
        while (is_word_character(p[length]))
            length++;
        return length && tokens_have_word(by, begin, end, p, length);
    }
    int depth = 0;
    bool value = false; /* after `=`, `<` is a comparison */
    for (int i = after_template(scan, d); i < d->end; i++) {
        if (introduces(scan, d, i, depth) && gr_tokens_mention_of(by, begin, end, scan, i))
            return true;
        value |= gr_token_is(scan, i, "=");
        if (token_is_any(scan, i, opening) || (!value && gr_token_is(scan, i, "<")))
            depth++;
        else if (token_is_any(scan, i, closing) || (!value && gr_token_is(scan, i, ">")))
            depth--;
    }
    return false;
}

bool gr_declaration_is_named(const struct gr_scan *scan, const struct gr_declaration *d, int begin,
                             int end)
{
    return is_named(scan, d, scan, begin, end);
}

bool gr_declaration_is_named_in(const struct gr_scan *scan, const struct gr_declaration *d,
                                const struct gr_scan *by)
{
    return is_named(scan, d, by, 0, by->token_count);
}

bool gr_declaration_is_plain(const struct gr_scan *scan, const struct gr_declaration *d)
{
    static const char *const built_in[] = {
        "typedef", "using",  "struct", "enum",   "union",  "const", "constexpr", "static",
        "void",    "bool",   "char",   "short",  "int",    "long",  "signed",    "unsigned",
        "float",   "double", "uint",   "float2", "float4", "class", "public",    "size_t",
        "dim3",    "sizeof", "true",   "false",  "int2",   "int4",  NULL};
    static const char *const ends[] = {";", ",", "=", "[", "{", "}", NULL};
    if (!token_is_any(scan, d->begin, built_in) || is_forward(scan, d))
        return false;
    for (int i = d->begin; i < d->end; i++) {
        if (gr_token_is(scan, i, "(") || scan->tokens[i].kind == GR_TOKEN_STRING)
            return false;
        if (scan->tokens[i].kind == GR_TOKEN_WORD && !token_is_any(scan, i, built_in) &&
            !(token_is_any(scan, i + 1, ends) && !gr_token_is(scan, i - 1, "=")))
            return false;
    }
    return true;
}

/* ---- Where the declarations are ---- */

static bool is_device_word(const struct gr_scan *scan, int i)
{
    static const char *const words[] = {"__global__", "__device__",  "__constant__",
                                        "__shared__", "__managed__", "static_assert",
                                        "asm",        NULL};
    return token_is_any(scan, i, words);
}

/* The token after the `;` that ends what begins at i; token_count if there is none. */
static int end_of(const struct gr_scan *scan, int i, bool *is_device)
{
    while (i < scan->token_count) {
        *is_device |= is_device_word(scan, i);
        if (gr_token_is(scan, i, ";"))
            return i + 1;
        bool opens =
            gr_token_is(scan, i, "{") || gr_token_is(scan, i, "(") || gr_token_is(scan, i, "[");
        int after = opens ? gr_token_close(scan, i, scan->token_count) : i + 1;
        for (int j = i; j < after; j++)
            *is_device |= is_device_word(scan, j);
        i = after;
    }
    return i;
}

/* The token after `namespace x {`, `namespace {` or `extern "C" {`; i if there is none of these. */
static int after_transparent(const struct gr_scan *scan, int i)
{
    int at = i + (gr_token_is(scan, i, "inline") ? 1 : 0);
    if (gr_token_is(scan, at, "extern") && gr_token_is(scan, at + 2, "{") &&
        scan->tokens[at + 1].kind == GR_TOKEN_STRING)
        return at + 3;
    if (!gr_token_is(scan, at, "namespace"))
        return i;
    while (at < scan->token_count && !gr_token_is(scan, at, "{") && !gr_token_is(scan, at, ";"))
        at++;
    return gr_token_is(scan, at, "{") ? at + 1 : i;
}

static int after_function(const struct gr_scan *scan, int i)
{
    for (int f = 0; f < scan->function_count; f++)
        if (scan->functions[f].head <= i && i < scan->functions[f].body_end)
            return scan->functions[f].body_end;
    return i;
}

static bool is_define(const struct gr_scan *scan, int i)
{
    const char *p = scan->text + scan->tokens[i].begin + 1;
    return gr_starts_with(p + strspn(p, " \t"), "define");
}

static bool push(const struct gr_declaration *d, struct gr_declaration **list, int *count)
{
    struct gr_declaration *grown = realloc(*list, ((size_t)*count + 1) * sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[(*count)++] = *d;
    return true;
}

bool gr_declarations_find(const struct gr_scan *scan, struct gr_declaration **list, int *count)
{
    bool whole = true;
    for (int i = 0, next; i < scan->token_count && whole; i = next) {
        bool directive = scan->tokens[i].kind == GR_TOKEN_DIRECTIVE;
        struct gr_declaration d = {.begin = i, .is_macro = directive && is_define(scan, i)};
        next = i + 1;
        if (directive) {
            whole = !d.is_macro || (d.end = next, push(&d, list, count));
            continue;
        }
        if (gr_token_is(scan, i, "}") || gr_token_is(scan, i, ";"))
            continue;
        if ((next = after_function(scan, i)) != i || (next = after_transparent(scan, i)) != i)
            continue;
        next = d.end = end_of(scan, i, &d.is_device);
        d.is_device |= gr_token_is(scan, i, "using") && gr_token_is(scan, i + 1, "namespace");
        whole = push(&d, list, count);
    }
    return whole;
}

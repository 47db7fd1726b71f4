/* tokens.c: splits a kernel file into tokens. SPDX-License-Identifier: MIT */
#include "source/scan.h"

#include "core/error.h"
#include "base/str.h"
#include "source/functions.h"
#include "source/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
    const char *path, *text;
    size_t at, line_start;
    int line;
    int dead; /* the depth of #if inside an `#if 0`; 0: the code is compiled */
    struct gr_scan *scan;
    int capacity;
    struct gradus_error *error;
    enum gradus_status status;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void step(struct lexer *x)
{
    if (x->text[x->at] == '\n') {
        x->line++;
        x->line_start = x->at + 1;
    }
    x->at++;
}

static void step_to(struct lexer *x, size_t end)
{
    while (x->at < end)
        step(x);
}

static enum gradus_status unclosed(struct lexer *x, const struct gr_token *token, const char *what)
{
    return x->status = gr_fail_at(x->error, x->path, gr_place_in_file(token->line, token->column),
                                  "%s that is not closed before the file ends", what);
}

static struct gr_token begin_token(const struct lexer *x, enum gr_token_kind kind)
{
    return (struct gr_token){
        .kind = kind, .begin = x->at, .line = x->line, .column = (int)(x->at - x->line_start) + 1};
}

static void end_token(struct lexer *x, struct gr_token token)
{
    if (x->dead)
        return;
    token.end = x->at;
    struct gr_scan *scan = x->scan;
    if (scan->token_count == x->capacity) {
        int capacity = x->capacity ? 2 * x->capacity : 256;
        void *grown = realloc(scan->tokens, sizeof *scan->tokens * (size_t)capacity);
        if (!grown) {
            x->status = gr_fail_memory(x->error, "tokens", sizeof token * (uint64_t)capacity);
            return;
        }
        scan->tokens = grown;
        x->capacity = capacity;
    }
    scan->tokens[scan->token_count++] = token;
}

static void line_comment(struct lexer *x)
{
    while (x->text[x->at] && x->text[x->at] != '\n') {
        if (x->text[x->at] == '\\' && x->text[x->at + 1] == '\n')
            step(x);
        step(x);
    }
}

static void block_comment(struct lexer *x)
{
    struct gr_token token = begin_token(x, GR_TOKEN_PUNCTUATION);
    const char *close = strstr(x->text + x->at + 2, "*/");
    if (close)
        step_to(x, (size_t)(close - x->text) + 2);
    else
        unclosed(x, &token, "a comment");
}

/* A literal in quotes. One that is not closed on its line is an error, except in code that is
 * not compiled, which may contain prose with an apostrophe. */
static void quoted(struct lexer *x, struct gr_token token)
{
    char quote = x->text[x->at];
    step(x);
    while (x->text[x->at] && x->text[x->at] != quote && x->text[x->at] != '\n') {
        if (x->text[x->at] == '\\' && x->text[x->at + 1])
            step(x);
        step(x);
    }
    if (x->text[x->at] == quote)
        step(x);
    else if (!x->dead)
        x->status = gr_fail_at(x->error, x->path, gr_place_in_file(token.line, token.column),
                               "a literal that is not closed on its line, wanted %c", quote);
    end_token(x, token);
}

/* Reads R"tag( … )tag". */
static void raw_string(struct lexer *x, struct gr_token token)
{
    const char *start = x->text + x->at + 1, *open = strchr(start, '(');
    const char *end = NULL;
    if (open && open - start <= 16) {
        struct gr_str close = {0};
        gr_str_printf(&close, ")%.*s\"", (int)(open - start), start);
        end = strstr(open, gr_str_text(&close));
        if (end)
            end += close.length;
        gr_str_free(&close);
    }
    if (!end) {
        unclosed(x, &token, "a raw string");
        return;
    }
    step_to(x, (size_t)(end - x->text));
    end_token(x, token);
}

static void word(struct lexer *x)
{
    struct gr_token token = begin_token(x, GR_TOKEN_WORD);
    while (is_word(x->text[x->at]))
        step(x);
    char next = x->text[x->at];
    if (next != '"' && next != '\'') {
        end_token(x, token);
        return;
    }
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R", "L", "u", "U", "u8"};
    size_t length = x->at - token.begin;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strlen(prefixes[i]) != length ||
            memcmp(prefixes[i], x->text + token.begin, length) != 0)
            continue;
        token.kind = GR_TOKEN_STRING;
        if (next == '"' && prefixes[i][length - 1] == 'R')
            raw_string(x, token);
        else
            quoted(x, token);
        return;
    }
    end_token(x, token);
}

static void number(struct lexer *x)
{
    struct gr_token token = begin_token(x, GR_TOKEN_NUMBER);
    const char *t = x->text;
    for (;;) {
        char c = t[x->at];
        bool sign_of_exponent =
            (c == '+' || c == '-') && strchr("eEpP", t[x->at - 1]) && x->at > token.begin;
        bool separator = c == '\'' && isalnum((unsigned char)t[x->at + 1]);
        if (!is_word(c) && c != '.' && !sign_of_exponent && !separator)
            break;
        step(x);
    }
    end_token(x, token);
}

/* Counts the #if directives inside an `#if 0`, whose content produces no tokens. */
static void follow_condition(struct lexer *x, const char *directive)
{
    const char *p = directive + 1;
    while (*p == ' ' || *p == '\t')
        p++;
    if (gr_starts_with(p, "if")) {
        const char *condition = p + 2;
        while (*condition == ' ' || *condition == '\t')
            condition++;
        bool zero = condition > p + 2 && *condition == '0' && !is_word(condition[1]);
        if (x->dead || zero)
            x->dead++;
    } else if (x->dead && gr_starts_with(p, "endif")) {
        x->dead--;
    } else if (x->dead == 1 && (gr_starts_with(p, "else") || gr_starts_with(p, "elif"))) {
        x->dead = 0;
    }
}

/* A whole preprocessor line. A comment that begins on it may end on a later one. */
static void directive(struct lexer *x)
{
    struct gr_token token = begin_token(x, GR_TOKEN_DIRECTIVE);
    const char *t = x->text;
    while (t[x->at] && t[x->at] != '\n' && !x->status) {
        if (t[x->at] == '/' && t[x->at + 1] == '*') {
            block_comment(x);
        } else if (t[x->at] == '/' && t[x->at + 1] == '/') {
            line_comment(x);
        } else {
            if (t[x->at] == '\\' && t[x->at + 1] == '\n')
                step(x);
            step(x);
        }
    }
    int was_dead = x->dead;
    follow_condition(x, t + token.begin);
    if (!was_dead || !x->dead) {
        int now = x->dead;
        x->dead = 0; /* the directive that begins or ends the uncompiled part is itself a token */
        end_token(x, token);
        x->dead = now;
    }
}

static void punctuation(struct lexer *x)
{
    struct gr_token token = begin_token(x, GR_TOKEN_PUNCTUATION);
    step(x);
    end_token(x, token);
}

static void next_token(struct lexer *x, bool line_begins)
{
    char c = x->text[x->at], next = x->text[x->at + 1];
    if (c == '/' && next == '/')
        line_comment(x);
    else if (c == '/' && next == '*')
        block_comment(x);
    else if (c == '#' && line_begins)
        directive(x);
    else if (c == '"' || c == '\'')
        quoted(x, begin_token(x, GR_TOKEN_STRING));
    else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)next)))
        number(x);
    else if (is_word(c))
        word(x);
    else
        punctuation(x);
}

enum gradus_status gr_scan_text(const char *path, const char *text, struct gr_scan *scan,
                                struct gradus_error *error)
{
    *scan = (struct gr_scan){.text = text};
    struct lexer x = {.path = path, .text = text, .line = 1, .scan = scan, .error = error};
    bool line_begins = true;
    while (text[x.at] && !x.status) {
        char c = text[x.at];
        if (isspace((unsigned char)c) || c == '\\') {
            line_begins |= c == '\n';
            step(&x);
            continue;
        }
        next_token(&x, line_begins);
        line_begins = false;
    }
    if (!x.status)
        x.status = gr_scan_functions(path, scan, error);
    if (x.status)
        gr_scan_free(scan);
    return x.status;
}

void gr_scan_free(struct gr_scan *scan)
{
    free(scan->tokens);
    free(scan->functions);
    *scan = (struct gr_scan){0};
}

bool gr_token_is(const struct gr_scan *scan, int i, const char *text)
{
    if (i < 0 || i >= scan->token_count)
        return false;
    const struct gr_token *t = &scan->tokens[i];
    const char *at = scan->text + t->begin;
    size_t length = t->end - t->begin;
    if (length > 0 && *at != *text) /* so that most are told apart without a call */
        return false;
    return strlen(text) == length && memcmp(at, text, length) == 0;
}

bool gr_tokens_same(const struct gr_scan *scan, int i, int j)
{
    const struct gr_token *a = &scan->tokens[i], *b = &scan->tokens[j];
    return a->end - a->begin == b->end - b->begin &&
           memcmp(scan->text + a->begin, scan->text + b->begin, a->end - a->begin) == 0;
}

char *gr_token_text(const struct gr_scan *scan, int i)
{
    const struct gr_token *t = &scan->tokens[i];
    return gr_strndup(scan->text + t->begin, t->end - t->begin);
}

int gr_token_close(const struct gr_scan *scan, int open, int end)
{
    int depth = 0;
    for (int i = open; i < end; i++) {
        if (scan->tokens[i].kind != GR_TOKEN_PUNCTUATION)
            continue;
        char c = scan->text[scan->tokens[i].begin];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i + 1;
    }
    return end;
}

int gr_token_close_angle(const struct gr_scan *scan, int open, int end)
{
    int depth = 0;
    for (int i = open; i < end; i++) {
        if (gr_token_is(scan, i, "(") || gr_token_is(scan, i, "[") || gr_token_is(scan, i, "{"))
            i = gr_token_close(scan, i, end) - 1;
        else if (gr_token_is(scan, i, "<"))
            depth++;
        else if (gr_token_is(scan, i, ">") && --depth == 0)
            return i + 1;
    }
    return end;
}

char *gr_tokens_text(const struct gr_scan *scan, struct gr_range range)
{
    struct gr_str text = {0};
    bool word_before = false;
    gr_str_add(&text, "");
    for (int i = range.begin; i < range.end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        bool word = t->kind == GR_TOKEN_WORD || t->kind == GR_TOKEN_NUMBER;
        if (t->kind == GR_TOKEN_DIRECTIVE)
            continue;
        gr_str_add(&text, word && word_before ? " " : "");
        gr_str_add_bytes(&text, scan->text + t->begin, t->end - t->begin);
        gr_str_add(&text, gr_token_is(scan, i, ",") ? " " : "");
        word_before = word;
    }
    return text.text;
}

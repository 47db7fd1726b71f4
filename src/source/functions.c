/* functions.c: finds the functions of a scanned file. SPDX-License-Identifier: MIT */
#include "source/functions.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CONDITIONS = 64 };

/* An open conditional: the depth of braces before it, and that after the last of its branches so
 * far that opens or closes one. */
struct condition {
    int before, after;
};

/* The position in the file. Depth counts the open braces, except those of `namespace x {` and
 * `extern "C" {`. All branches of a conditional begin at the same depth, because `#if A … {
 * #else … { #endif` opens one brace and not two; and so does one whose other branch opens none. */
struct walk {
    const char *path;
    struct gr_scan *scan;
    int capacity;
    int declaration; /* the first token of the current declaration */
    struct condition conditions[MAX_CONDITIONS];
    int condition_count;
    int depth, open; /* `open`: the token that opened depth 1 */
    struct gr_function function;
    bool in_function;
    int transparent; /* open braces of namespaces and of extern "C" */
    struct gradus_error *error;
};

static bool is_punctuation(const struct gr_scan *scan, int i, char c)
{
    return scan->tokens[i].kind == GR_TOKEN_PUNCTUATION && scan->text[scan->tokens[i].begin] == c;
}

/* Words before a parenthesis that do not make it a parameter list. */
static bool takes_parentheses(const struct gr_scan *scan, int i)
{
    static const char *const words[] = {"__attribute__",
                                        "__attribute",
                                        "__launch_bounds__",
                                        "__cluster_dims__",
                                        "__maxnreg__",
                                        "__declspec",
                                        "alignas",
                                        "_Alignas",
                                        "decltype",
                                        "noexcept",
                                        "__align__",
                                        "typeof",
                                        "__typeof__",
                                        "requires",
                                        "if",
                                        "while",
                                        "for",
                                        "switch"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (gr_token_is(scan, i, words[w]))
            return true;
    return false;
}

static void note_word(const struct gr_scan *scan, int i, struct gr_function *f)
{
    f->is_global |= gr_token_is(scan, i, "__global__");
    f->is_device |= gr_token_is(scan, i, "__device__");
    f->is_host |= gr_token_is(scan, i, "__host__");
    f->is_static |= gr_token_is(scan, i, "static");
    f->is_void |= gr_token_is(scan, i, "void") && !gr_token_is(scan, i + 1, "*");
}

/* The opening parenthesis of an operator's parameters: after `operator+`, `operator()`,
 * `operator float4`. */
static int after_operator(const struct gr_scan *scan, int i, int end)
{
    i++;
    if (is_punctuation(scan, i, '(') && is_punctuation(scan, i + 1, ')'))
        i += 2;
    while (i < end && !is_punctuation(scan, i, '('))
        i++;
    return i;
}

/* The opening parenthesis after the template arguments of the name at i, as an explicit
 * specialization has them; 0: it has none. */
static int specialized_list(const struct gr_scan *scan, int i, int end)
{
    if (scan->tokens[i].kind != GR_TOKEN_WORD || !is_punctuation(scan, i + 1, '<') ||
        takes_parentheses(scan, i))
        return 0;
    const int after = gr_token_close_angle(scan, i + 1, end);
    return after < end && is_punctuation(scan, after, '(') ? after : 0;
}

/* Parses the tokens before a `{` as a function's declaration. Its name is the word before the
 * last parentheses that do not belong to an attribute. */
static bool read_head(const struct gr_scan *scan, int begin, int brace, struct gr_function *f)
{
    *f = (struct gr_function){.head = begin, .name = -1};
    int i = begin;
    while (i < brace) {
        if (scan->tokens[i].kind == GR_TOKEN_DIRECTIVE) {
            i++;
        } else if (gr_token_is(scan, i, "operator")) {
            f->name = i;
            i = after_operator(scan, i, brace);
            f->parameters_begin = i + 1;
            i = gr_token_close(scan, i, brace);
            f->parameters_end = i - 1;
        } else if (is_punctuation(scan, i, '=')) {
            return false; /* int t[] = { … } */
        } else if (gr_token_is(scan, i, "template")) {
            f->is_template = true;
            i = gr_token_close_angle(scan, i + 1, brace);
        } else if (specialized_list(scan, i, brace) > 0) { /* template <> void f<true>(int n) */
            f->name = i;
            f->is_specialization = true;
            i = specialized_list(scan, i, brace);
            f->parameters_begin = i + 1;
            i = gr_token_close(scan, i, brace);
            f->parameters_end = i - 1;
        } else if (is_punctuation(scan, i, '(')) {
            int close = gr_token_close(scan, i, brace);
            if (i > begin && scan->tokens[i - 1].kind == GR_TOKEN_WORD &&
                !takes_parentheses(scan, i - 1)) {
                f->name = i - 1;
                f->parameters_begin = i + 1;
                f->parameters_end = close - 1;
            }
            i = close;
        } else if (f->name >= 0 && is_punctuation(scan, i, ':')) {
            break; /* a constructor's initializer list */
        } else {
            if (f->name < 0)
                note_word(scan, i, f);
            i++;
        }
    }
    f->is_template &= !f->is_specialization;
    return f->name >= 0;
}

static bool opens_transparent(const struct gr_scan *scan, int begin, int brace)
{
    while (begin < brace && scan->tokens[begin].kind == GR_TOKEN_DIRECTIVE)
        begin++;
    if (gr_token_is(scan, begin, "inline"))
        begin++;
    if (gr_token_is(scan, begin, "namespace"))
        return true;
    return brace == begin + 2 && gr_token_is(scan, begin, "extern") &&
           scan->tokens[begin + 1].kind == GR_TOKEN_STRING;
}

static enum gradus_status add_function(struct walk *w)
{
    struct gr_scan *scan = w->scan;
    if (scan->function_count == w->capacity) {
        int capacity = w->capacity ? 2 * w->capacity : 16;
        void *grown = realloc(scan->functions, sizeof w->function * (size_t)capacity);
        if (!grown)
            return gr_fail_memory(w->error, "functions", sizeof w->function * (uint64_t)capacity);
        scan->functions = grown;
        w->capacity = capacity;
    }
    scan->functions[scan->function_count++] = w->function;
    return GRADUS_OK;
}

static void open_brace(struct walk *w, int i)
{
    if (w->depth++ > 0)
        return;
    if (opens_transparent(w->scan, w->declaration, i)) {
        w->depth = 0;
        w->transparent++;
        w->declaration = i + 1;
        return;
    }
    w->open = i;
    w->in_function = read_head(w->scan, w->declaration, i, &w->function);
    w->function.body_begin = i;
}

static enum gradus_status close_brace(struct walk *w, int i)
{
    const struct gr_token *t = &w->scan->tokens[i];
    if (w->depth == 0) {
        if (w->transparent == 0)
            return gr_fail_at(w->error, w->path, gr_place_in_file(t->line, t->column),
                              "a '}' that closes nothing; is a '{' missing above?");
        w->transparent--;
        w->declaration = i + 1;
        return GRADUS_OK;
    }
    if (--w->depth > 0 || !w->in_function)
        return GRADUS_OK; /* what follows a struct's brace still belongs to its declaration */
    w->function.body_end = i + 1;
    w->declaration = i + 1;
    w->in_function = false;
    return add_function(w);
}

static void follow_directive(struct walk *w, const struct gr_token *t)
{
    const char *p = w->scan->text + t->begin + 1;
    while (*p == ' ' || *p == '\t')
        p++;
    struct condition *c = w->condition_count ? &w->conditions[w->condition_count - 1] : NULL;
    const bool ends_branch = c && (gr_starts_with(p, "el") || gr_starts_with(p, "endif"));
    if (ends_branch && w->depth != c->before)
        c->after = w->depth;
    if (gr_starts_with(p, "if") && w->condition_count < MAX_CONDITIONS) {
        w->conditions[w->condition_count++] = (struct condition){w->depth, w->depth};
    } else if (ends_branch && gr_starts_with(p, "el")) {
        w->depth = c->before;
    } else if (ends_branch) {
        w->depth = c->after;
        w->condition_count--;
    }
    if (w->depth == 0 && !w->in_function && t == &w->scan->tokens[w->declaration])
        w->declaration++;
}

static enum gradus_status walk_token(struct walk *w, int i)
{
    const struct gr_token *t = &w->scan->tokens[i];
    if (t->kind == GR_TOKEN_DIRECTIVE) {
        follow_directive(w, t);
        return GRADUS_OK;
    }
    if (t->kind != GR_TOKEN_PUNCTUATION)
        return GRADUS_OK;
    char c = w->scan->text[t->begin];
    if (c == '{')
        open_brace(w, i);
    else if (c == '}')
        return close_brace(w, i);
    else if (c == ';' && w->depth == 0)
        w->declaration = i + 1;
    return GRADUS_OK;
}

enum gradus_status gr_scan_functions(const char *path, struct gr_scan *scan,
                                     struct gradus_error *error)
{
    struct walk w = {.path = path, .scan = scan, .error = error};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < scan->token_count && status == GRADUS_OK; i++)
        status = walk_token(&w, i);
    if (status == GRADUS_OK && w.depth > 0) {
        const struct gr_token *t = &scan->tokens[w.open];
        status = gr_fail_at(error, path, gr_place_in_file(t->line, t->column),
                            "a '{' that is not closed before the file ends");
    }
    return status;
}

const struct gr_function *gr_function_at(const struct gr_scan *scan, int i)
{
    for (int f = 0; f < scan->function_count; f++)
        if (scan->functions[f].body_begin <= i && i < scan->functions[f].body_end)
            return &scan->functions[f];
    return NULL;
}

/* The open braces outside of functions, each with the name of its namespace. */
struct scopes {
    char *names[MAX_CONDITIONS]; /* null: not a namespace */
    int count;
};

/* The words between `namespace` at i and the brace without attributes: "outer::inner". */
static char *namespace_name(const struct gr_scan *scan, int i, int brace)
{
    struct gr_str name = {0};
    for (i++; i < brace; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (gr_token_is(scan, i, "[")) {
            i = gr_token_close(scan, i, brace) - 1;
        } else if (t->kind == GR_TOKEN_WORD && !gr_token_is(scan, i, "inline")) {
            gr_str_add(&name, name.length ? "::" : "");
            gr_str_add_bytes(&name, scan->text + t->begin, t->end - t->begin);
        }
    }
    return name.text;
}

static int follow_scope(const struct gr_scan *scan, int i, struct scopes *open)
{
    if (gr_token_is(scan, i, "namespace")) {
        int brace = i;
        while (brace < scan->token_count && !gr_token_is(scan, brace, "{") &&
               !gr_token_is(scan, brace, ";") && !gr_token_is(scan, brace, "="))
            brace++;
        if (gr_token_is(scan, brace, "{") && open->count < MAX_CONDITIONS)
            open->names[open->count++] = namespace_name(scan, i, brace);
        return brace + 1;
    }
    if (gr_token_is(scan, i, "{") && open->count < MAX_CONDITIONS)
        open->names[open->count++] = NULL;
    else if (gr_token_is(scan, i, "}") && open->count)
        free(open->names[--open->count]);
    return i + 1;
}

char *gr_function_name(const struct gr_scan *scan, const struct gr_function *function)
{
    struct scopes open = {.count = 0};
    int passed = 0; /* functions already passed; their braces are not scopes */
    for (int i = 0; i < function->head;) {
        while (passed < scan->function_count && scan->functions[passed].head < i)
            passed++;
        bool here = passed < scan->function_count && scan->functions[passed].head == i;
        i = here ? scan->functions[passed].body_end : follow_scope(scan, i, &open);
    }
    struct gr_str name = {0};
    for (int i = 0; i < open.count; i++) {
        if (open.names[i])
            gr_str_printf(&name, "%s::", open.names[i]);
        free(open.names[i]);
    }
    const int last = function->is_specialization
                         ? gr_token_close_angle(scan, function->name + 1, scan->token_count)
                         : function->name + 1;
    for (int i = function->name; i < last; i++) {
        const struct gr_token *t = &scan->tokens[i];
        gr_str_add_bytes(&name, scan->text + t->begin, t->end - t->begin);
    }
    return name.text;
}

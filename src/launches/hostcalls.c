/* hostcalls.c: translates calls and macros in host expressions. SPDX-License-Identifier: MIT */
#include "launches/hostexpr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_any(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* Scans the text of a macro or function body separately, with its parameters replaced by
 * arguments that are already translated. */
bool gr_host_read_body(struct gr_host_reader *r, const char *body, size_t length,
                       const char *const *names, char *const *values, int count, struct gr_str *out)
{
    struct gr_str text = {0};
    for (size_t i = 0; i < length;) {
        size_t word = 0;
        while (i + word < length &&
               (isalnum((unsigned char)body[i + word]) || body[i + word] == '_'))
            word++;
        int which = -1;
        for (int p = 0; p < count && word; p++)
            if (strlen(names[p]) == word && memcmp(names[p], body + i, word) == 0)
                which = p;
        if (which >= 0)
            gr_str_printf(&text, "(%s)", values[which]);
        else
            gr_str_add_bytes(&text, body + i, word ? word : 1);
        i += word ? word : 1;
    }
    struct gr_scan scan;
    bool ok = text.text && r->host->depth < GR_MOST_HOST_DEPTH &&
              gr_scan_text("", text.text, &scan, NULL) == GRADUS_OK;
    if (ok) {
        struct gr_host_reader inner = {
            .host = r->host, .scan = &scan, .end = scan.token_count, .at = r->at};
        r->host->depth++;
        gr_str_add(out, "(");
        ok = gr_host_read(&inner, out) && inner.i == inner.end;
        gr_str_add(out, ")");
        r->host->depth--;
        gr_scan_free(&scan);
    }
    gr_str_free(&text);
    return ok;
}

enum { MOST_ARGUMENTS = 8 };

struct call {
    char *names[MOST_ARGUMENTS], *values[MOST_ARGUMENTS];
    int count;
    const char *body;
    size_t length;
};

/* Finds `#define NAME(a, b) body`. */
static bool find_macro(const struct gr_scan *file, const char *name, struct call *c)
{
    for (int i = 0; i < file->token_count; i++) {
        const char *p = file->text + file->tokens[i].begin + 1;
        const char *end = file->text + file->tokens[i].end;
        if (file->tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        p += strspn(p, " \t");
        if (!gr_starts_with(p, "define"))
            continue;
        p += strlen("define");
        p += strspn(p, " \t");
        size_t length = strlen(name);
        if (strncmp(p, name, length) != 0 || p[length] != '(')
            continue;
        for (p += length + 1; p < end && *p != ')' && c->count < MOST_ARGUMENTS;) {
            p += strspn(p, " \t,");
            size_t word = strcspn(p, " \t,)");
            c->names[c->count++] = gr_strndup(p, word);
            p += word;
            p += strspn(p, " \t,");
        }
        c->body = p + 1;
        c->length = p + 1 < end ? (size_t)(end - p - 1) : 0;
        return c->length > 0;
    }
    return false;
}

/* Finds `int NAME(int a, int b) { return body; }`. */
static bool find_function(const struct gr_scan *file, const char *name, struct call *c)
{
    for (int i = 0; i < file->function_count; i++) {
        const struct gr_function *f = &file->functions[i];
        int first = f->body_begin + 1, semicolon = first;
        if (!gr_token_is(file, f->name, name) || !gr_token_is(file, first, "return"))
            continue;
        while (semicolon < f->body_end && !gr_token_is(file, semicolon, ";"))
            semicolon++;
        for (int p = f->parameters_begin; p < f->parameters_end && c->count < MOST_ARGUMENTS;) {
            int end = gr_item_end(file, p, f->parameters_end);
            c->names[c->count++] = gr_token_text(file, end - 1);
            p = end + 1;
        }
        c->body = file->text + file->tokens[first].end;
        c->length = (size_t)(file->text + file->tokens[semicolon].begin - c->body);
        return true;
    }
    return false;
}

/* The value of the only `return` of a function without parameters, which computes it in statements
 * of its own: `size_t bytes() { size_t all = max(X, Y); return all; }`. False: it is none such. */
static bool read_returned(struct gr_host_reader *r, const char *name, struct gr_str *out)
{
    const struct gr_scan *file = r->host->file;
    for (int i = 0; i < file->function_count; i++) {
        const struct gr_function *f = &file->functions[i];
        int returns = 0, at = 0, end;
        if (!gr_token_is(file, f->name, name) || f->parameters_end > f->parameters_begin)
            continue;
        for (int t = f->body_begin; t < f->body_end; t++)
            if (gr_token_is(file, t, "return"))
                returns++, at = t;
        for (end = at + 1; end < f->body_end && !gr_token_is(file, end, ";");)
            end++;
        if (returns == 1)
            return gr_host_expression(r->host, (struct gr_range){at + 1, end}, at, out);
    }
    return false;
}

/* Translates the arguments of a call, [i, end). */
static bool read_arguments(struct gr_host_reader *r, int i, int end, char *values[MOST_ARGUMENTS],
                           int *count)
{
    for (*count = 0; i < end && *count < MOST_ARGUMENTS;) {
        struct gr_host_reader inner = *r;
        struct gr_str text = {0};
        int past = gr_item_end(r->scan, i, end);
        inner.i = i;
        inner.end = past;
        inner.real = false;
        bool ok = gr_host_read(&inner, &text) && inner.i == past;
        r->real |= inner.real;
        values[(*count)++] = text.text ? text.text : gr_strdup("");
        if (!ok)
            return false;
        i = past + 1;
    }
    return true;
}

static void free_call(struct call *c, char *const *values, int value_count)
{
    for (int i = 0; i < c->count; i++)
        free(c->names[i]);
    for (int i = 0; i < value_count; i++)
        free(values[i]);
}

/* Does the name suggest a division that rounds up? */
static bool divides(const char *name)
{
    return strcasestr(name, "div") || strcasestr(name, "ceil") || strcasestr(name, "blocks");
}

static bool read_user_call(struct gr_host_reader *r, const char *name, int open, int past,
                           struct gr_str *out)
{
    struct call c = {.count = 0};
    char *values[MOST_ARGUMENTS];
    int count = 0;
    bool ok = read_arguments(r, open + 1, past - 1, values, &count);
    struct gr_str returned = {0};
    if (ok && count == 0 && read_returned(r, name, &returned)) {
        gr_str_printf(out, "(%s)", gr_str_text(&returned));
        gr_str_free(&returned);
        return true;
    }
    gr_str_free(&returned);
    bool known = ok && (find_macro(r->host->file, name, &c) ||
                        (c.count == 0 && find_function(r->host->file, name, &c)));
    if (known && c.count == count)
        ok = gr_host_read_body(r, c.body, c.length, (const char *const *)c.names, values, count,
                               out);
    else if (ok && count == 2 && divides(name))
        gr_str_printf(out, "cdiv(%s, %s)", values[0], values[1]);
    else
        ok = false;
    free_call(&c, values, count);
    return ok;
}

/* ceil(x / y) is cdiv(x, y) if the division is in real numbers, and x / y if it is in integers. */
static bool read_ceil(struct gr_host_reader *r, int open, int past, struct gr_str *out)
{
    struct gr_host_reader inner = *r;
    int slash = open + 1, end = past - 1;
    while (slash < end && !gr_token_is(r->scan, slash, "/")) {
        bool opens = gr_token_is(r->scan, slash, "(");
        slash = opens ? gr_token_close(r->scan, slash, end) : slash + 1;
    }
    inner.i = open + 1;
    inner.end = slash;
    inner.real = false;
    struct gr_str x = {0}, y = {0};
    bool ok = gr_host_read(&inner, &x) && inner.i == slash;
    inner.i = slash + 1;
    inner.end = end;
    bool divided = slash < end;
    ok = ok && (!divided || (gr_host_read(&inner, &y) && inner.i == end));
    if (ok && divided)
        gr_str_printf(out, inner.real ? "cdiv(%s, %s)" : "((%s)/(%s))", gr_str_text(&x),
                      gr_str_text(&y));
    else if (ok)
        gr_str_add(out, gr_str_text(&x));
    gr_str_free(&x);
    gr_str_free(&y);
    return ok;
}

static bool read_sizeof(const struct gr_host_reader *r, int open, struct gr_str *out)
{
    static const struct {
        const char *type;
        int bytes;
    } types[] = {{"double", 8}, {"half", 2},          {"__half", 2}, {"float4", 16}, {"float2", 8},
                 {"char", 1},   {"__nv_bfloat16", 2}, {"short", 2},  {"int8_t", 1},  {"size_t", 8}};
    int bytes = 4;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (gr_token_is(r->scan, open + 1, types[i].type))
            bytes = types[i].bytes;
    gr_str_printf(out, "%d", bytes);
    return true;
}

bool gr_host_read_call(struct gr_host_reader *r, const char *name, struct gr_str *out)
{
    static const char *const ceils[] = {"ceil", "ceilf", "std::ceil", NULL};
    static const char *const bounds[] = {"min", "max", NULL};
    int i = r->i, open = i + 1, past = gr_token_close(r->scan, open, r->end);
    r->i = past;
    if (gr_token_is(r->scan, i, "sizeof"))
        return read_sizeof(r, open, out);
    const bool one = gr_item_end(r->scan, open + 1, past - 1) == past - 1;
    if (is_any(r->scan, i, ceils) && one) /* with two arguments it is a function of the project */
        return read_ceil(r, open, past, out);
    if (!is_any(r->scan, i, bounds))
        return read_user_call(r, name, open, past, out);
    char *values[MOST_ARGUMENTS];
    int count = 0;
    bool ok = read_arguments(r, open + 1, past - 1, values, &count) && count == 2;
    if (ok)
        gr_str_printf(out, "%s(%s, %s)", name, values[0], values[1]);
    free_call(&(struct call){.count = 0}, values, count);
    return ok;
}
